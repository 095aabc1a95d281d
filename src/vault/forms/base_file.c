#include "vault/forms/base_file.h"

#include "base/array.h"
#include "base/utf8.h"
#include "vault/note/frontmatter.h"
#include "vault/note/prop.h"

enum {
    BASE_KEY_SHOWN = 60,
    /* A filter in a filter is a map and a list; around them are views, a view and a map. */
    BASE_YAML_DEPTH = 2 * BASE_MAX_DEPTH + 8,
    BASE_YAML_VALUES = 100000,
};

#define BASE_TOO_MANY " has more than 256 items"

struct base_reader {
    struct arena *arena;
    struct base *out;
    struct err *err;
};

/* --- problems --- */

/* at is a byte of the YAML; name is the subject of the sentence, or empty. */
static bool base_fail(const struct base *b, size_t at, enum err_code code, str name,
                      const char *what, struct err *err)
{
    size_t line, column;
    base_source_line(&b->source, base_source_place(&b->source, at), &line, &column);
    return err_set(err, code, "line %zu, column %zu: " STR_FMT "%s", line, column,
                   STR_ARG(utf8_cut(name, BASE_KEY_SHOWN)), what);
}

bool base_fail_at(const struct base *b, const struct base_text *text, size_t at,
                  enum err_code code, const char *what, struct err *err)
{
    struct span in_text = base_source_in_scalar(&b->source, text->raw, text->text, at);
    return base_fail(b, in_text.start, code, STR(""), what, err);
}

static bool base_refuse(struct base_reader *r, const struct prop *p, const char *what)
{
    return base_fail(r->out, p->key.n > 0 ? p->key_start : p->start, ERR_INVALID, STR(""),
                     what, r->err);
}

/* The same, beginning with the key of p. */
static bool base_refuse_key(struct base_reader *r, const struct prop *p, const char *what)
{
    return base_fail(r->out, p->key.n > 0 ? p->key_start : p->start, ERR_INVALID, p->key,
                     what, r->err);
}

static bool base_too_many(struct base_reader *r, const struct prop *p, const char *what)
{
    return base_fail(r->out, p->start, ERR_LIMIT, p->key, what, r->err);
}

/* Whether p is a map or list, as type says, and not too long. */
static bool base_check_items(struct base_reader *r, const struct prop *p,
                             enum prop_type type)
{
    if (p->type != type)
        return base_refuse_key(r, p,
                               type == PROP_MAP ? " must be a map" : " must be a list");
    return p->n <= BASE_MAX_MEMBERS || base_too_many(r, p, BASE_TOO_MANY);
}

/* --- parts --- */

static const struct prop *base_get(const struct prop *map, const char *key)
{
    for (const struct prop *p = map->child; p != NULL; p = p->next)
        if (str_eq(p->key, str_c(key)))
            return p->type != PROP_NULL ? p : NULL;
    return NULL;
}

/* Either spelling of a key; the first one counts. */
static const struct prop *base_get_either(const struct prop *map, const char *key,
                                          const char *older)
{
    const struct prop *p = base_get(map, key);
    return p != NULL ? p : base_get(map, older);
}

/* A number or boolean is a text here, as written. */
static bool base_read_text(struct base_reader *r, const struct prop *p,
                           struct base_text *out)
{
    if (p->type >= PROP_LIST)
        return base_refuse_key(r, p,
                               p->key.n > 0 ? " must be a text" : "this must be a text");
    if (p->text.n > BASE_MAX_EXPRESSION)
        return base_fail(r->out, p->start, ERR_LIMIT, STR(""),
                         "this text is too long: 16 KB are allowed", r->err);
    *out = (struct base_text){p->text, {p->start, p->end}};
    return true;
}

static bool base_read_members(struct base_reader *r, const struct prop *map,
                              struct base_members *out)
{
    if (map == NULL)
        return true;
    if (!base_check_items(r, map, PROP_MAP))
        return false;
    out->items = ARENA_ARRAY(r->arena, struct base_member, map->n);
    for (const struct prop *p = map->child; p != NULL; p = p->next) {
        struct base_member *m = &out->items[out->n++];
        m->name = p->key;
        if (!base_read_text(r, p, &m->value))
            return false;
    }
    return true;
}

/* properties: {id: {displayName: name}}; display: {id: name} in older files. */
static bool base_read_properties(struct base_reader *r, const struct prop *map)
{
    struct base_members *out = &r->out->properties;
    if (map == NULL)
        return base_read_members(r, base_get(r->out->root, "display"), out);
    if (!base_check_items(r, map, PROP_MAP))
        return false;
    out->items = ARENA_ARRAY(r->arena, struct base_member, map->n);
    for (const struct prop *p = map->child; p != NULL; p = p->next) {
        if (p->type != PROP_MAP && p->type != PROP_NULL)
            return base_refuse_key(r, p,
                                   " must be a map with the settings of that property");
        const struct prop *name = base_get(p, "displayName");
        if (name == NULL)
            continue;
        struct base_member *m = &out->items[out->n++];
        m->name = p->key;
        if (!base_read_text(r, name, &m->value))
            return false;
    }
    return true;
}

/* --- filters --- */

static bool base_read_filter(struct base_reader *r, const struct prop *p, int depth,
                             struct base_filter **out);

/* The filters of a group: a list, or only one. Those that restrict nothing are left out. */
static bool base_read_group(struct base_reader *r, const struct prop *p, int depth,
                            struct base_filter *group)
{
    struct base_filter **link = &group->child;
    const struct prop *item = p->type == PROP_LIST ? p->child : p;
    for (; item != NULL; item = p->type == PROP_LIST ? item->next : NULL) {
        if (!base_read_filter(r, item, depth + 1, link))
            return false;
        link = *link != NULL ? &(*link)->next : link;
    }
    return true;
}

static bool base_read_filter_map(struct base_reader *r, const struct prop *p, int depth,
                                 struct base_filter *out)
{
    static const struct {
        const char *key;
        enum base_filter_kind kind;
    } kinds[] = {{"and", BASE_AND}, {"or", BASE_OR}, {"not", BASE_NOT}};
    for (size_t i = 0; p->n == 1 && i < COUNT_OF(kinds); i++) {
        out->kind = kinds[i].kind;
        if (str_eq(p->child->key, str_c(kinds[i].key)))
            return base_read_group(r, p->child, depth, out);
    }
    return base_refuse(r, p->n > 0 ? p->child : p,
                       "a filter has exactly one of and, or, not");
}

/* *out is NULL if the filter restricts nothing. */
static bool base_read_filter(struct base_reader *r, const struct prop *p, int depth,
                             struct base_filter **out)
{
    *out = NULL;
    if (p == NULL || p->type == PROP_NULL ||
        (p->type == PROP_TEXT && str_trim_line(p->text).n == 0))
        return true;
    if (depth > BASE_MAX_DEPTH)
        return base_fail(r->out, p->start, ERR_LIMIT, STR(""),
                         "filters are nested deeper than 64 levels", r->err);
    struct base_filter *f = ARENA_NEW(r->arena, struct base_filter);
    bool ok = p->type == PROP_MAP ? base_read_filter_map(r, p, depth, f)
              : p->type == PROP_LIST
                  ? (f->kind = BASE_AND, base_read_group(r, p, depth, f))
              : p->type == PROP_INT || p->type == PROP_FLOAT
                  ? base_refuse(r, p, "a filter must be an expression or a map")
                  : base_read_text(r, p, &f->expression);
    if (f->kind == BASE_FILTER || f->child != NULL)
        *out = f;
    return ok;
}

/* --- views --- */

static bool base_read_columns(struct base_reader *r, const struct prop *list,
                              struct base_view *v)
{
    if (list == NULL)
        return true;
    if (!base_check_items(r, list, PROP_LIST))
        return false;
    v->columns = ARENA_ARRAY(r->arena, struct base_text, list->n);
    for (const struct prop *p = list->child; p != NULL; p = p->next) {
        struct base_text id;
        if (!base_read_text(r, p, &id))
            return false;
        if (id.text.n > 0)
            v->columns[v->n_columns++] = id;
    }
    return true;
}

static bool base_read_direction(struct base_reader *r, const struct prop *map,
                                bool *descending)
{
    const struct prop *p = base_get(map, "direction");
    *descending = p != NULL && str_eq_nocase(p->text, STR("DESC"));
    return p == NULL || *descending || str_eq_nocase(p->text, STR("ASC")) ||
           base_refuse(r, p, "the direction must be ASC or DESC");
}

/* {property, direction}; in older files column, or only the id. */
static bool base_read_order(struct base_reader *r, const struct prop *p,
                            struct base_order *out)
{
    if (p->type == PROP_TEXT)
        return base_read_text(r, p, &out->property);
    const struct prop *property = base_get_either(p, "property", "column");
    if (p->type != PROP_MAP || property == NULL || property->type >= PROP_LIST)
        return base_refuse(r, p, "this needs a property and a direction");
    return base_read_text(r, property, &out->property) &&
           base_read_direction(r, p, &out->descending);
}

static bool base_read_sort(struct base_reader *r, const struct prop *list,
                           struct base_view *v)
{
    if (list == NULL)
        return true;
    if (!base_check_items(r, list, PROP_LIST))
        return false;
    v->order = ARENA_ARRAY(r->arena, struct base_order, list->n);
    for (const struct prop *p = list->child; p != NULL; p = p->next)
        if (!base_read_order(r, p, &v->order[v->n_order++]))
            return false;
    return true;
}

static bool base_read_limit(struct base_reader *r, const struct prop *p,
                            struct base_view *v)
{
    if (p == NULL)
        return true;
    if (p->type != PROP_INT || p->number < 0)
        return base_refuse(r, p, "the limit must be a whole number");
    v->limit = (size_t)p->number;
    return true;
}

/* A type or name; its default if there is none. */
static bool base_read_label(struct base_reader *r, const struct prop *view,
                            const char *key, str *out)
{
    const struct prop *p = base_get(view, key);
    struct base_text text;
    if (p == NULL)
        return true;
    if (!base_read_text(r, p, &text))
        return false;
    if (text.text.n > 0)
        *out = text.text;
    return true;
}

static bool base_read_view(struct base_reader *r, const struct prop *p,
                           struct base_view *v)
{
    if (p->type != PROP_MAP)
        return base_refuse(r, p, "each view must be a map");
    const struct prop *group = base_get_either(p, "groupBy", "group_by");
    return base_read_label(r, p, "type", &v->type) &&
           base_read_label(r, p, "name", &v->name) &&
           base_read_filter(r, base_get(p, "filters"), 1, &v->filter) &&
           base_read_columns(r, base_get(p, "order"), v) &&
           base_read_sort(r, base_get(p, "sort"), v) &&
           (group == NULL || base_read_order(r, group, &v->group)) &&
           base_read_limit(r, base_get(p, "limit"), v) &&
           base_read_members(r, base_get(p, "summaries"), &v->summaries);
}

/* Without views there is one table. */
static bool base_read_views(struct base_reader *r, const struct prop *list)
{
    struct base *b = r->out;
    if (list != NULL && list->type != PROP_LIST)
        return base_refuse_key(r, list, " must be a list");
    if (list != NULL && list->n > BASE_MAX_VIEWS)
        return base_too_many(r, list, " has more than 64 items");
    size_t n = list != NULL ? list->n : 0;
    b->views = ARENA_ARRAY(r->arena, struct base_view, n > 0 ? n : 1);
    b->views[0] = (struct base_view){.type = STR("table"), .name = STR("Table")};
    for (const struct prop *p = n > 0 ? list->child : NULL; p != NULL; p = p->next) {
        struct base_view *v = &b->views[b->n_views++];
        v->type = STR("table");
        v->name = arena_printf(r->arena, "View %zu", b->n_views);
        if (!base_read_view(r, p, v))
            return false;
    }
    b->n_views = n > 0 ? n : 1;
    return true;
}

/* --- the base --- */

static void base_warn_unknown(struct base_reader *r)
{
    static const char *const known[] = {"filters", "formulas", "properties", "summaries",
                                        "views",   "display",  NULL};
    enum { WARNINGS_MAX = 10 };
    struct base *b = r->out;
    for (const struct prop *p = b->root->child; p != NULL; p = p->next) {
        const char *const *k = known;
        while (*k != NULL && !str_eq(p->key, str_c(*k)))
            k++;
        if (*k == NULL && b->n_warnings < WARNINGS_MAX)
            *ARRAY_ADD(r->arena, b->warnings, b->n_warnings) =
                arena_printf(r->arena, "line %u: unknown key '" STR_FMT "' is ignored",
                             p->line, STR_ARG(utf8_cut(p->key, BASE_KEY_SHOWN)));
    }
}

bool base_read(struct arena *a, const struct base_source *source, struct base *out,
               struct err *err)
{
    static const struct frontmatter_limits limits = {
        .bytes = BASE_MAX_BYTES, .depth = BASE_YAML_DEPTH, .values = BASE_YAML_VALUES};
    *out = (struct base){.source = *source};
    struct base_reader r = {.arena = a, .out = out, .err = err};
    if (!frontmatter_read_map(a, source->text, source->line, &limits, &out->root, err))
        return false;
    base_warn_unknown(&r);
    const struct prop *root = out->root;
    return base_read_filter(&r, base_get(root, "filters"), 1, &out->filter) &&
           base_read_members(&r, base_get(root, "formulas"), &out->formulas) &&
           base_read_properties(&r, base_get(root, "properties")) &&
           base_read_members(&r, base_get(root, "summaries"), &out->summaries) &&
           base_read_views(&r, base_get(root, "views"));
}

const struct base_view *base_find_view(const struct base *b, str name)
{
    if (name.n == 0)
        return &b->views[0];
    for (size_t i = 0; i < b->n_views; i++)
        if (str_eq(b->views[i].name, name))
            return &b->views[i];
    for (size_t i = 0; i < b->n_views; i++)
        if (prop_same_name(b->views[i].name, name))
            return &b->views[i];
    return NULL;
}

/* --- property ids --- */

enum base_owner base_property(str id, str *name)
{
    static const struct {
        const char *prefix;
        enum base_owner owner;
    } prefixes[] = {
        {"note.", BASE_NOTE}, {"file.", BASE_FILE}, {"formula.", BASE_FORMULA}};
    for (size_t i = 0; i < COUNT_OF(prefixes); i++) {
        str prefix = str_c(prefixes[i].prefix);
        if (str_starts(id, prefix) && id.n > prefix.n) {
            *name = str_skip(id, prefix.n);
            return prefixes[i].owner;
        }
    }
    *name = id;
    return BASE_NOTE;
}

bool base_same_property(str a, str b)
{
    str x, y;
    return base_property(a, &x) == base_property(b, &y) && str_eq(x, y);
}

str base_display_name(const struct base *b, str property)
{
    str name;
    for (size_t i = 0; i < b->properties.n; i++)
        if (base_same_property(b->properties.items[i].name, property))
            return b->properties.items[i].value.text;
    (void)base_property(property, &name);
    return name;
}
