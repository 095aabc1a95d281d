#include "vault/eval/unknown_fields.h"

#include "base/near.h"
#include "base/utf8.h"
#include "vault/eval/catalogue.h"
#include "vault/eval/field.h"
#include "vault/eval/prefilter.h"
#include "vault/eval/property.h"

struct unknown_field_search {
    struct arena *arena;
    str folded;
    size_t far; /* from this distance on, names have nothing in common */
    struct unknown_field *out;
    size_t distances[UNKNOWN_NEAREST_MAX];
};

static bool is_known(const struct index *x, const struct field_list *fields,
                     struct arena *note, const struct field *f)
{
    struct value_reader r = {.arena = note, .names = x->names};
    struct prefilter_files may = prefilter_having_any(x, fields->arena, f);
    for (size_t i = 0; i < may.n; i++) {
        struct row row = {.file = x->files[may.ids[i]]};
        arena_reset(note);
        if (field_exists(&r, f, x, &row) ||
            (f->n_path == 1 && property_occurs(&r, row.file, f->spelt[0], f->path[0])))
            return true;
    }
    return false;
}

static bool unknown_fields_is_listed(const struct unknown_field *list, size_t n, str name)
{
    for (size_t i = 0; i < n; i++)
        if (str_eq(list[i].field, name))
            return true;
    return false;
}

/* Keep the nearest names; ties go to the one proposed first. */
static void propose(struct unknown_field_search *s, str name, size_t distance)
{
    struct unknown_field *out = s->out;
    if (distance >= s->far)
        return;
    size_t at = out->n;
    while (at > 0 && s->distances[at - 1] > distance)
        at--;
    if (at == UNKNOWN_NEAREST_MAX)
        return;
    size_t moved = (out->n < UNKNOWN_NEAREST_MAX ? out->n : UNKNOWN_NEAREST_MAX - 1) - at;
    memmove(&out->nearest[at + 1], &out->nearest[at], moved * sizeof(str));
    memmove(&s->distances[at + 1], &s->distances[at], moved * sizeof(size_t));
    out->nearest[at] = name;
    s->distances[at] = distance;
    out->n += out->n < UNKNOWN_NEAREST_MAX;
}

/* folder may mean file.folder, done may mean task.done. */
static void propose_built_in(struct unknown_field_search *s, bool of_tasks)
{
    for (size_t i = 0; field_name(i) != NULL; i++) {
        str name = str_c(field_name(i));
        bool of_task = str_starts(name, STR("task."));
        if ((of_task && !of_tasks) || !str_eq(str_skip(name, 5), s->folded))
            continue;
        propose(s, name, 0);
    }
}

static void find_nearest(struct unknown_field_search *s, bool of_tasks,
                         const struct catalogue *known)
{
    struct near_letters wanted;
    near_read(&wanted, s->folded);
    propose_built_in(s, of_tasks);
    for (size_t i = 0; i < known->n; i++) {
        str name = known->properties[i].name;
        struct near_letters letters;
        near_read(&letters, utf8_fold(s->arena, name));
        propose(s, name, near_count(&wanted, &letters, s->far - 1));
    }
}

size_t unknown_fields_find(const struct index *x, const struct field_list *fields,
                           const struct stop *stop, struct unknown_field **out)
{
    struct arena note = {0}, *a = fields->arena;
    struct catalogue known = {0};
    struct unknown_field *list = ARENA_ARRAY(a, struct unknown_field, UNKNOWN_FIELDS_MAX);
    size_t n = 0;
    for (const struct field *f = fields->first; f != NULL; f = f->next) {
        if (n == UNKNOWN_FIELDS_MAX)
            break;
        if (f->kind != FIELD_PROPERTY || unknown_fields_is_listed(list, n, f->name) ||
            is_known(x, fields, &note, f))
            continue;
        if (known.n == 0 && !catalogue_make(x, NULL, a, STR(""), 0, stop, &known)) {
            n = 0;
            break;
        }
        struct unknown_field *u = &list[n++];
        u->field = f->name;
        struct unknown_field_search s = {.arena = a,
                                         .folded = utf8_fold(a, f->name),
                                         .far = f->name.n < 3 ? 2 : f->name.n / 3 + 1,
                                         .out = u};
        find_nearest(&s, fields->of_tasks, &known);
    }
    arena_release(&note);
    *out = list;
    return n;
}
