#include "vault/eval/property.h"

#include "base/array.h"
#include "vault/eval/dialect.h"
#include "vault/eval/value.h"
#include "vault/eval/value_inline.h"
#include "vault/forms/inline.h"

static bool has_inline(const struct value_reader *r)
{
    return r->dialect == NULL || r->dialect->reads.inline_fields;
}

static const struct prop *first_prop(const struct file *f)
{
    return f->props != NULL && f->props->type == PROP_MAP ? f->props->child : NULL;
}

/* --- names --- */

/* Whether the key is the name; if other, whether that is its other form. */
static bool property_is_named(struct arena *a, str key, str folded, bool other)
{
    if (!other)
        return value_is_key(a, key, folded);
    return inline_has_name(key) && str_eq(inline_name(a, key), folded);
}

static const struct prop *find_prop(const struct value_reader *r, const struct file *f,
                                    str name, str folded, bool other)
{
    const struct prop *p = first_prop(f);
    if (!other)
        return value_find_prop(r->arena, p, name, folded);
    while (p != NULL && !property_is_named(r->arena, p->key, folded, true))
        p = p->next;
    return p;
}

/* --- inline fields --- */

/* Of a note: those that are not of a task. Of a task: its own. */
static bool is_of(const struct inline_field *f, const struct note_task *task)
{
    return task != NULL ? f->of_task && f->item == task->line : !f->of_task;
}

struct property_gathered {
    struct value *items;
    size_t n;
};

static void gather(const struct value_reader *r, struct property_gathered *g,
                   struct value v)
{
    if (v.type != VALUE_LIST) {
        *ARRAY_ADD(r->arena, g->items, g->n) = v;
        return;
    }
    struct value_items it = {.list = &v};
    for (struct value item; value_next(r, &it, &item);)
        *ARRAY_ADD(r->arena, g->items, g->n) = item;
}

/* The fields of that name, after the value of p if it is not NULL; false if there is
 * nothing. */
static bool all_values(const struct value_reader *r, const struct property_place *place,
                       const struct prop *p, str folded, bool other, struct value *out)
{
    const struct file *f = place->file;
    struct property_gathered g = {0};
    size_t met = p != NULL;
    if (p != NULL)
        *out = value_of_property(r, p);
    for (uint32_t i = 0; i < f->n_fields; i++) {
        const struct inline_field *field = &f->fields[i];
        if (!is_of(field, place->task) ||
            !property_is_named(r->arena, inline_key(f->text, field), folded, other))
            continue;
        struct value v = value_of_inline(r, span_of(f->text, field->value));
        if (met++ == 0) {
            *out = v;
            continue;
        }
        if (met == 2)
            gather(r, &g, *out);
        gather(r, &g, v);
    }
    if (met > 1)
        *out = value_list(g.items, g.n);
    return met > 0;
}

bool property_of_task(const struct value_reader *r, const struct property_place *place,
                      str folded, struct value *out)
{
    return place->task != NULL && has_inline(r) &&
           (all_values(r, place, NULL, folded, false, out) ||
            all_values(r, place, NULL, folded, true, out));
}

struct value property_value(const struct value_reader *r,
                            const struct property_place *place, str name, str folded)
{
    struct value v;
    struct property_place note = {place->file, NULL};
    bool inlined = has_inline(r);
    if (property_of_task(r, place, folded, &v))
        return v;
    for (int other = 0; other <= inlined; other++) {
        const struct prop *p = find_prop(r, place->file, name, folded, other);
        if (!inlined)
            return p != NULL ? value_of_property(r, p) : value_null();
        if (all_values(r, &note, p, folded, other, &v))
            return v;
    }
    return value_null();
}

/* In the note, and in a task of it: place.task, or any if any_task is set. */
static bool property_is_there(const struct value_reader *r,
                              const struct property_place *place, bool any_task, str name,
                              str folded)
{
    const struct file *f = place->file;
    bool inlined = has_inline(r);
    for (int other = 0; other <= inlined; other++) {
        if (find_prop(r, f, name, folded, other) != NULL)
            return true;
        for (uint32_t i = 0; inlined && i < f->n_fields; i++) {
            const struct inline_field *field = &f->fields[i];
            bool fits = any_task || is_of(field, NULL) || is_of(field, place->task);
            if (fits &&
                property_is_named(r->arena, inline_key(f->text, field), folded, other))
                return true;
        }
    }
    return false;
}

bool property_exists(const struct value_reader *r, const struct property_place *place,
                     str name, str folded)
{
    return property_is_there(r, place, false, name, folded);
}

bool property_occurs(const struct value_reader *r, const struct file *f, str name,
                     str folded)
{
    struct property_place note = {f, NULL};
    return property_is_there(r, &note, true, name, folded);
}
