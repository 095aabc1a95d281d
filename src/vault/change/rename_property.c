/* A new name for a property: in the properties and inline fields of notes, in bases and in
 * queries. */
#include "base/text.h"
#include "base/utf8.h"
#include "vault/change/rename_parts.h"
#include "vault/eval/uses.h"
#include "vault/forms/inline.h"
#include "vault/forms/task.h"
#include "vault/index/file.h"
#include "vault/note/note.h"
#include "vault/note/prop.h"

struct rename_property_job {
    struct planner *planner;
    str old, name;
    str other;    /* the old name as Dataview writes it in queries (inline_name) */
    size_t taken; /* notes that have both */
    size_t kept;  /* inline fields that stay */
};

static const struct prop *rename_property_find_property(const struct file *f, str name)
{
    const struct prop *p = f->props != NULL ? f->props->child : NULL;
    while (p != NULL && !prop_same_name(p->key, name))
        p = p->next;
    return p;
}

static void rename_in_properties(struct rename_property_job *j, struct rename_visit *v,
                                 const struct prop *p)
{
    const struct prop *there = rename_property_find_property(v->file, j->name);
    str written;
    if (there != NULL && there != p) {
        j->taken++;
        return;
    }
    struct span block = v->file->note.frontmatter, key;
    if (!quote_yaml_key(v->arena, span_of(v->file->text, block), p, j->name, &key,
                        &written))
        return;
    rename_splice_add(&v->splices, block.start + key.start, block.start + key.end,
                      written);
    v->links++;
}

/* --- inline fields --- */

/* Whether "name:: value" is read as that field, with and without brackets. */
static bool fits_inline(str name)
{
    for (size_t i = 0; i < name.n; i++) {
        unsigned char c = (unsigned char)name.p[i];
        if (!is_alnum(c) && c < 0x80 && strchr(" _-/", c) == NULL)
            return false;
    }
    return name.n > 0 && name.n <= INLINE_KEY_MAX;
}

static bool rename_property_is_field(const struct rename_property_job *j,
                                     const struct file *f,
                                     const struct inline_field *field)
{
    return prop_same_name(inline_key(f->text, field), j->old);
}

static bool has_field(const struct rename_property_job *j, const struct file *f)
{
    for (uint32_t i = 0; i < f->n_fields; i++)
        if (rename_property_is_field(j, f, &f->fields[i]))
            return true;
    return false;
}

/* Fields of the plugin Tasks have their names from it, and emojis have none. */
static void rename_fields(struct rename_property_job *j, struct rename_visit *v)
{
    const struct file *f = v->file;
    for (uint32_t i = 0; i < f->n_fields; i++) {
        const struct inline_field *field = &f->fields[i];
        str written = span_of(f->text, field->key);
        if (!rename_property_is_field(j, f, field))
            continue;
        if (!prop_same_name(written, j->old) || !fits_inline(j->name) ||
            (field->of_task && task_is_key(written))) {
            j->kept++;
            continue;
        }
        rename_splice_add(&v->splices, field->key.start, field->key.end, j->name);
        v->links++;
    }
}

/* --- bases and queries --- */

static bool rename_in_query(void *arg, enum use_kind kind, str value, str *out)
{
    const struct rename_property_job *j = arg;
    *out = j->name;
    return kind == USE_PROPERTY &&
           (prop_same_name(value, j->old) || prop_same_name(value, j->other));
}

static bool rename_in_base(void *arg, enum use_kind kind, str value, str *out)
{
    const struct rename_property_job *j = arg;
    *out = j->name;
    return kind == USE_PROPERTY && prop_same_name(value, j->old);
}

static bool rename_property_check_name(str name, struct err *err)
{
    if (name.n > 0 && name.n <= PROP_KEY_MAX && utf8_valid(name) &&
        text_is_printable(name) && str_trim(name).n == name.n)
        return true;
    return err_set(err, ERR_INVALID,
                   "'" STR_FMT "' is not the name of a property: use one line of at most "
                   "%d bytes",
                   STR_ARG(utf8_cut(name, 80)), PROP_KEY_MAX);
}

/* Whether the note has the property. */
static bool rename_property_in(struct rename_property_job *j, const struct file *f)
{
    struct planner *p = j->planner;
    const struct prop *property = rename_property_find_property(f, j->old);
    bool fields = has_field(j, f);
    if (property == NULL && !fields && !f->has_queries)
        return false;
    struct rename_visit v = {
        .arena = p->arena, .file = f, .splices = {.arena = p->arena}};
    if (property != NULL)
        rename_in_properties(j, &v, property);
    rename_fields(j, &v);
    rename_visit_bases(&v, rename_in_base, j);
    rename_visit_queries(&v, p->index->names, rename_in_query, j);
    planner_add(p, &v, f->path);
    return property != NULL || fields;
}

bool rename_property(const struct index *x, struct arena *a, str name, str new_name,
                     const struct stop *stop, struct rename_plan *out, struct err *err)
{
    struct planner p = planner_on(x, a, stop);
    struct rename_property_job j = {.planner = &p,
                                    .old = arena_str(a, name),
                                    .name = arena_str(a, new_name),
                                    .other = inline_name(a, name)};
    size_t found = 0;
    if (!rename_property_check_name(j.name, err))
        return false;
    for (file_id id = 0; id < x->n && !p.stopped; id++) {
        const struct file *f = index_file(x, id);
        found += f != NULL && rename_property_in(&j, f);
        p.stopped = stop_now(stop);
    }
    if (found == 0 && !p.stopped)
        return err_set(err, ERR_NOT_FOUND, "no note has the property '" STR_FMT "'",
                       STR_ARG(utf8_cut(name, 80)));
    if (j.taken > 0)
        planner_warn(&p, "notes that already have '" STR_FMT "' and keep both: %zu",
                     STR_ARG(utf8_cut(j.name, 80)), j.taken);
    if (j.kept > 0)
        planner_warn(&p, "inline fields that keep their name: %zu (%s)", j.kept,
                     fits_inline(j.name) ? "they are fields of the plugin Tasks"
                                         : "they cannot have the new one");
    return planner_done(&p, out, err);
}
