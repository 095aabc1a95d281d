/*
 * Two tables with open addressing: properties by folded name, and values by property and
 * folded text. Files are visited by path, so the result does not depend on their ids.
 */
#include "vault/eval/catalogue.h"

#include <math.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/sort.h"
#include "base/utf8.h"
#include "vault/eval/filter.h"
#include "vault/eval/value.h"
#include "vault/eval/value_inline.h"
#include "vault/forms/inline.h"
#include "vault/index/index.h"
#include "vault/note/obsidian.h"

struct value_entry {
    struct value value, key;
    size_t property;
    size_t notes, last; /* last: the note that was counted, from 1 */
};

struct catalogue_spelling {
    str text;
    size_t count;
    struct catalogue_spelling *next;
};

struct property_entry {
    str folded;
    struct catalogue_spelling *spellings;
    unsigned types; /* bits of enum kind */
    size_t notes, last, distinct;
};

struct counter {
    struct arena work, note;
    struct arena *arena; /* of the result */
    const struct index *index;
    bool with_values;
    size_t visited; /* the current note, from 1 */
    struct map by_name;
    struct map_index by_value;
    struct property_entry *properties;
    struct value_entry *values;
    size_t n_properties, n_values;
};

/* --- types --- */

static const char *const kinds[] = {"text",     "number", "checkbox", "date",
                                    "datetime", "list",   "object"};

static unsigned catalogue_kind_of(const struct value *v)
{
    switch (v->type) {
    case VALUE_NULL:
        return 0;
    case VALUE_NUMBER:
        return 1 << 1;
    case VALUE_BOOL:
        return 1 << 2;
    case VALUE_DATE:
        return v->date.timed ? 1 << 4 : 1 << 3;
    case VALUE_LIST:
        return 1 << 5;
    case VALUE_MAP:
        return 1 << 6;
    default:
        return 1 << 0;
    }
}

static str kind_name(unsigned types)
{
    for (size_t i = 0; i < COUNT_OF(kinds); i++)
        if (types == 1u << i)
            return str_c(kinds[i]);
    return types == 0 ? STR("empty") : STR("mixed");
}

/* --- tables --- */

static size_t catalogue_find_property(struct counter *c, str name)
{
    uint32_t i = map_add(&c->by_name, utf8_fold(&c->note, name));
    if (i == c->n_properties) {
        str folded = c->by_name.keys[i] = arena_str(&c->work, c->by_name.keys[i]);
        *ARRAY_ADD(NULL, c->properties, c->n_properties) =
            (struct property_entry){.folded = folded};
    }
    return i;
}

/* Keys that are equal in value_order() have the same hash. */
static uint64_t key_hash(const struct value *key, size_t property)
{
    double real = key->real == 0 || isnan(key->real) ? 0 : key->real; /* no -0 */
    str bytes = key->type == VALUE_NUMBER ? (str){(const char *)&real, sizeof(real)}
                : key->type == VALUE_DATE
                    ? (str){(const char *)&key->date.seconds, sizeof(int64_t)}
                    : key->text;
    return hash_table(bytes) + (uint64_t)property * 0x9E3779B97F4A7C15u;
}

static struct value_entry *find_value(struct counter *c, const struct value *key,
                                      size_t property, uint64_t hash)
{
    size_t at = 0;
    for (uint32_t i; (i = map_next(&c->by_value, hash, &at)) != MAP_NONE;) {
        struct value_entry *e = &c->values[i];
        if (e->property == property && value_order(&e->key, key) == 0)
            return e;
    }
    return NULL;
}

/* --- counting --- */

static void count_value(struct counter *c, const struct value_reader *r, size_t property,
                        const struct value *v)
{
    struct property_entry *p = &c->properties[property];
    if (v->type == VALUE_NULL || v->type == VALUE_MAP || v->type == VALUE_LIST ||
        v->text.n > CATALOGUE_VALUE_BYTES)
        return;
    struct value key = value_key(r, v);
    uint64_t hash = key_hash(&key, property);
    struct value_entry *e = find_value(c, &key, property, hash);
    if (e == NULL) {
        if (p->distinct == CATALOGUE_DISTINCT_MAX)
            return;
        p->distinct++;
        key.text = arena_str(&c->work, key.text);
        e = ARRAY_ADD(NULL, c->values, c->n_values);
        *e = (struct value_entry){.value = *v, .key = key, .property = property};
        e->value.text = arena_str(c->arena, v->text); /* the note's arena is reset */
        e->value.path = e->key.path = (str){0};
        map_put(&c->by_value, NULL, hash, (uint32_t)c->n_values - 1);
    }
    e->notes += e->last != c->visited;
    e->last = c->visited;
}

static void count_spelling(struct counter *c, struct property_entry *p, str name)
{
    struct catalogue_spelling **s = &p->spellings;
    while (*s != NULL && !str_eq((*s)->text, name))
        s = &(*s)->next;
    if (*s == NULL) {
        *s = ARENA_NEW(&c->work, struct catalogue_spelling);
        (*s)->text = name;
    }
    (*s)->count++;
}

static void count_property(struct counter *c, const struct value_reader *r, str key,
                           const struct value *v)
{
    size_t i = catalogue_find_property(c, key);
    struct property_entry *p = &c->properties[i];
    struct value item;
    count_spelling(c, p, key);
    p->types |= catalogue_kind_of(v);
    p->notes += p->last != c->visited; /* "A" and "a" may both be there */
    p->last = c->visited;
    if (!c->with_values)
        return;
    if (v->type != VALUE_LIST) {
        count_value(c, r, i, v);
        return;
    }
    struct value_items it = {.list = v};
    while (value_next(r, &it, &item))
        count_value(c, r, i, &item);
}

/* Fields of tasks are not those of their note. */
static void count_fields(struct counter *c, const struct value_reader *r,
                         const struct file *f)
{
    for (uint32_t i = 0; i < f->n_fields; i++) {
        if (f->fields[i].of_task)
            continue;
        struct value v = value_of_inline(r, span_of(f->text, f->fields[i].value));
        count_property(c, r, inline_key(f->text, &f->fields[i]), &v);
    }
}

static void count_file(struct counter *c, const struct file *f)
{
    struct value_reader r = {.arena = &c->note,
                             .names = c->index->names,
                             .source = f->path,
                             .source_id = f->id};
    c->visited++;
    arena_reset(&c->note);
    if (f->excluded)
        return;
    bool any = f->props != NULL && f->props->type == PROP_MAP;
    for (const struct prop *p = any ? f->props->child : NULL; p != NULL; p = p->next) {
        struct value v = value_of_prop(&r, p);
        count_property(c, &r, p->key, &v);
    }
    count_fields(c, &r, f);
}

/* --- the result --- */

static str common_spelling(const struct property_entry *p)
{
    const struct catalogue_spelling *best = p->spellings;
    for (const struct catalogue_spelling *s = best; s != NULL; s = s->next)
        if (s->count > best->count ||
            (s->count == best->count && str_cmp(s->text, best->text) < 0))
            best = s;
    return best->text;
}

/* By property, then most notes first, then by value. */
static int by_rank(const void *x, const void *y)
{
    const struct value_entry *a = x, *b = y;
    if (a->property != b->property)
        return a->property < b->property ? -1 : 1;
    if (a->notes != b->notes)
        return a->notes > b->notes ? -1 : 1;
    return value_order(&a->key, &b->key);
}

static int by_use(const void *x, const void *y)
{
    const struct catalogue_property *a = x, *b = y;
    if (a->notes != b->notes)
        return a->notes > b->notes ? -1 : 1;
    return str_cmp(a->name, b->name);
}

static void set_type(const struct obsidian *settings, const struct property_entry *p,
                     struct catalogue_property *out)
{
    str declared =
        settings != NULL ? obsidian_property_type(settings, out->name) : (str){0};
    out->declared = declared.n > 0;
    out->type = out->declared ? declared : kind_name(p->types);
}

/* After sorting, the values of a property are adjacent. */
static void set_values(const struct value_entry *from, size_t n, struct arena *a,
                       size_t max, struct catalogue_property *out)
{
    out->n_values = n < max ? n : max;
    out->values = ARENA_ARRAY(a, struct catalogue_value, out->n_values);
    for (size_t i = 0; i < out->n_values; i++)
        out->values[i] = (struct catalogue_value){from[i].value, from[i].notes};
}

static void make_result(struct counter *c, const struct obsidian *settings,
                        struct arena *a, size_t values, struct catalogue *out)
{
    size_t used = 0;
    if (c->n_values > 1)
        sort_items(c->values, c->n_values, sizeof(*c->values), by_rank);
    out->n = c->n_properties;
    out->properties = ARENA_ARRAY(a, struct catalogue_property, out->n);
    for (size_t i = 0; i < out->n; i++) {
        const struct property_entry *p = &c->properties[i];
        struct catalogue_property *to = &out->properties[i];
        to->name = common_spelling(p);
        to->notes = p->notes;
        to->distinct = p->distinct;
        set_type(settings, p, to);
        if (p->distinct > 0)
            set_values(&c->values[used], p->distinct, a, values, to);
        used += p->distinct;
    }
    if (out->n > 1)
        sort_items(out->properties, out->n, sizeof(*out->properties), by_use);
}

bool catalogue_make(const struct index *x, const struct obsidian *settings,
                    struct arena *a, str folder, size_t values, const struct stop *stop,
                    struct catalogue *out)
{
    struct counter c = {.arena = a, .index = x, .with_values = values > 0};
    struct filter filter = {0};
    struct err err;
    const struct file *f;
    if (!filter_open(&filter, x, &c.work, &(struct filter_request){.folder = folder},
                     &err))
        BUG("a folder is always a filter: %s", err.msg);
    for (size_t i = 0; (f = index_next_by_path(x, &i, stop)) != NULL;)
        if (filter_takes(&filter, f))
            count_file(&c, f);
    bool stopped = stop_now(stop);
    filter_release(&filter);
    if (!stopped)
        make_result(&c, settings, a,
                    values < CATALOGUE_VALUES_MAX ? values : CATALOGUE_VALUES_MAX, out);
    map_release(&c.by_name);
    free(c.by_value.slots);
    free(c.properties);
    free(c.values);
    arena_release(&c.work);
    arena_release(&c.note);
    return !stopped;
}
