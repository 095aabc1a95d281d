/* Property names that no note has, and similar ones that exist. */
#include "base/near.h"
#include "base/utf8.h"
#include "vault/eval/catalogue.h"
#include "vault/eval/narrow.h"
#include "vault/eval/property.h"
#include "vault/eval/select_field.h"

struct select_unknown_search {
    struct arena *arena;
    str folded;
    size_t far; /* from this distance on, names have nothing in common */
    struct select_unknown *out;
    size_t distances[SELECT_NEAREST_MAX];
};

static bool is_known(const struct index *x, const struct select_fields *fields,
                     struct arena *note, const struct select_field *f)
{
    struct value_reader r = {.arena = note, .names = x->names};
    struct narrow_files may = narrow_having_any(x, fields->arena, f);
    for (size_t i = 0; i < may.n; i++) {
        struct row row = {.file = x->files[may.ids[i]]};
        arena_reset(note);
        if (select_field_exists(&r, f, x, &row) ||
            (f->n_path == 1 && property_occurs(&r, row.file, f->spelt[0], f->path[0])))
            return true;
    }
    return false;
}

static bool is_listed(const struct select_unknown *list, size_t n, str name)
{
    for (size_t i = 0; i < n; i++)
        if (str_eq(list[i].field, name))
            return true;
    return false;
}

/* Keep the nearest names; ties go to the one proposed first. */
static void propose(struct select_unknown_search *s, str name, size_t distance)
{
    struct select_unknown *out = s->out;
    if (distance >= s->far)
        return;
    size_t at = out->n;
    while (at > 0 && s->distances[at - 1] > distance)
        at--;
    if (at == SELECT_NEAREST_MAX)
        return;
    size_t moved = (out->n < SELECT_NEAREST_MAX ? out->n : SELECT_NEAREST_MAX - 1) - at;
    memmove(&out->nearest[at + 1], &out->nearest[at], moved * sizeof(str));
    memmove(&s->distances[at + 1], &s->distances[at], moved * sizeof(size_t));
    out->nearest[at] = name;
    s->distances[at] = distance;
    out->n += out->n < SELECT_NEAREST_MAX;
}

/* folder may mean file.folder, done may mean task.done. */
static void propose_built_in(struct select_unknown_search *s, enum select_from from)
{
    for (size_t i = 0; select_field_name(i) != NULL; i++) {
        str name = str_c(select_field_name(i));
        bool of_task = str_starts(name, STR("task."));
        if ((of_task && from != SELECT_TASKS) || !str_eq(str_skip(name, 5), s->folded))
            continue;
        propose(s, name, 0);
    }
}

static void find_nearest(struct select_unknown_search *s, enum select_from from,
                         const struct catalogue *known)
{
    struct near_letters wanted;
    near_read(&wanted, s->folded);
    propose_built_in(s, from);
    for (size_t i = 0; i < known->n; i++) {
        str name = known->properties[i].name;
        struct near_letters letters;
        near_read(&letters, utf8_fold(s->arena, name));
        propose(s, name, near_count(&wanted, &letters, s->far - 1));
    }
}

size_t select_find_unknown(const struct index *x, const struct select_fields *fields,
                           const struct stop *stop, struct select_unknown **out)
{
    struct arena note = {0}, *a = fields->arena;
    struct catalogue known = {0};
    struct select_unknown *list =
        ARENA_ARRAY(a, struct select_unknown, SELECT_UNKNOWN_MAX);
    size_t n = 0;
    for (const struct select_field *f = fields->first; f != NULL; f = f->next) {
        if (n == SELECT_UNKNOWN_MAX)
            break;
        if (f->kind != SELECT_PROPERTY || is_listed(list, n, f->name) ||
            is_known(x, fields, &note, f))
            continue;
        if (known.n == 0 && !catalogue_make(x, NULL, a, STR(""), 0, stop, &known)) {
            n = 0;
            break;
        }
        struct select_unknown *u = &list[n++];
        u->field = f->name;
        struct select_unknown_search s = {.arena = a,
                                          .folded = utf8_fold(a, f->name),
                                          .far = f->name.n < 3 ? 2 : f->name.n / 3 + 1,
                                          .out = u};
        find_nearest(&s, fields->from, &known);
    }
    arena_release(&note);
    *out = list;
    return n;
}
