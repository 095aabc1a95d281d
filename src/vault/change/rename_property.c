/* A new name for a property, in the properties of notes and in bases. */
#include "base/text.h"
#include "base/utf8.h"
#include "vault/change/rename_parts.h"
#include "vault/eval/bases_uses.h"
#include "vault/note/note.h"
#include "vault/note/prop.h"

struct rename_property_job {
    struct planner *planner;
    str old, name;
    size_t taken; /* notes that have both */
};

static const struct prop *find_property(const struct file *f, str name)
{
    const struct prop *p = f->props != NULL ? f->props->child : NULL;
    while (p != NULL && !prop_same_name(p->key, name))
        p = p->next;
    return p;
}

static void rename_in_properties(struct rename_property_job *j, struct rename_visit *v,
                                 const struct prop *p)
{
    const struct prop *there = find_property(v->file, j->name);
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

static bool rename_in_base(void *arg, enum bases_use_kind kind, str value, str *out)
{
    const struct rename_property_job *j = arg;
    *out = j->name;
    return kind == USE_PROPERTY && prop_same_name(value, j->old);
}

static bool check_name(str name, struct err *err)
{
    if (name.n > 0 && name.n <= PROP_KEY_MAX && utf8_valid(name) &&
        text_is_printable(name) && str_trim(name).n == name.n)
        return true;
    return err_set(err, ERR_INVALID,
                   "'" STR_FMT "' is not the name of a property: use one line of at most "
                   "%d bytes",
                   STR_ARG(utf8_cut(name, 80)), PROP_KEY_MAX);
}

bool rename_property(const struct index *x, struct arena *a, str name, str new_name,
                     const struct stop *stop, struct rename_plan *out, struct err *err)
{
    struct planner p = planner_on(x, a, stop);
    struct rename_property_job j = {
        .planner = &p, .old = arena_str(a, name), .name = arena_str(a, new_name)};
    size_t found = 0;
    if (!check_name(j.name, err))
        return false;
    for (file_id id = 0; id < x->n && !p.stopped; id++) {
        const struct file *f = index_file(x, id);
        const struct prop *property = f != NULL ? find_property(f, j.old) : NULL;
        if (property == NULL && (f == NULL || !rename_has_base(f)))
            continue;
        struct rename_visit v = {.arena = a, .file = f, .splices = {.arena = a}};
        if (property != NULL)
            rename_in_properties(&j, &v, property);
        rename_visit_bases(&v, rename_in_base, &j);
        planner_add(&p, &v, f->path);
        found += property != NULL;
        p.stopped = stop_now(stop);
    }
    if (found == 0 && !p.stopped)
        return err_set(err, ERR_NOT_FOUND, "no note has the property '" STR_FMT "'",
                       STR_ARG(utf8_cut(name, 80)));
    if (j.taken > 0)
        planner_warn(&p, "notes that already have '" STR_FMT "' and keep both: %zu",
                     STR_ARG(utf8_cut(j.name, 80)), j.taken);
    return planner_done(&p, out, err);
}
