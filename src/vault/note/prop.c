#include "vault/note/prop.h"

#include "base/utf8.h"
#include "vault/note/yaml_scalar.h"

static bool fill(struct arena *a, const struct json *j, int depth, struct prop *out,
                 struct err *err);

static bool fill_children(struct arena *a, const struct json *j, int depth,
                          struct prop *out, struct err *err)
{
    if (depth >= PROP_MAX_DEPTH - 1) /* the properties themselves are a map */
        return err_set(err, ERR_LIMIT, "a value has more than %d nested lists and maps",
                       PROP_MAX_DEPTH - 1);
    struct prop **link = &out->child;
    for (const struct json *c = j->child; c != NULL; c = c->next) {
        if (c->key.n > PROP_KEY_MAX)
            return err_set(err, ERR_LIMIT, "a key in a value is longer than %d bytes",
                           PROP_KEY_MAX);
        *link = ARENA_NEW(a, struct prop);
        (*link)->key = c->key;
        if (!fill(a, c, depth + 1, *link, err))
            return false;
        link = &(*link)->next;
        out->n++;
    }
    return true;
}

static bool fill(struct arena *a, const struct json *j, int depth, struct prop *out,
                 struct err *err)
{
    switch (j->type) {
    case JSON_NULL:
        out->type = PROP_NULL;
        return true;
    case JSON_FALSE:
    case JSON_TRUE:
    case JSON_NUMBER: /* these are written the same in YAML and JSON */
        out->text = j->raw;
        yaml_scalar_plain(out);
        return true;
    case JSON_STRING:
        out->type = PROP_TEXT;
        out->text = j->text;
        return true;
    case JSON_ARRAY:
        out->type = PROP_LIST;
        break;
    case JSON_OBJECT:
        out->type = PROP_MAP;
        break;
    }
    return fill_children(a, j, depth, out, err);
}

bool prop_of_json(struct arena *a, const struct json *j, struct prop **out,
                  struct err *err)
{
    struct prop *p = ARENA_NEW(a, struct prop);
    if (!fill(a, j, 0, p, err))
        return false;
    *out = p;
    return true;
}

struct prop *prop_of_text(struct arena *a, str text)
{
    struct prop *p = ARENA_NEW(a, struct prop);
    p->type = PROP_TEXT;
    p->text = text;
    return p;
}

struct prop *prop_of_items(struct arena *a, struct prop *first)
{
    struct prop *list = ARENA_NEW(a, struct prop);
    list->type = PROP_LIST;
    list->child = first;
    for (const struct prop *c = first; c != NULL; c = c->next)
        list->n++;
    return list;
}

/* Split a text at any of seps into the items of a list. */
static struct prop *prop_split(struct arena *a, str text, const char *seps)
{
    struct prop *first = NULL, **link = &first;
    while (text.n > 0) {
        size_t n = 0;
        while (n < text.n && (text.p[n] == '\0' || strchr(seps, text.p[n]) == NULL))
            n++;
        str part = str_trim_line(str_slice(text, 0, n));
        text = str_skip(text, n + 1);
        if (part.n == 0)
            continue;
        *link = prop_of_text(a, part);
        link = &(*link)->next;
    }
    return prop_of_items(a, first);
}

static struct prop *without_marks(struct arena *a, const struct prop *list)
{
    struct prop *first = NULL, **link = &first;
    for (const struct prop *c = list->child; c != NULL; c = c->next) {
        *link = prop_copy(a, c);
        if (c->type == PROP_TEXT)
            (*link)->text = str_skip(c->text, str_starts(c->text, STR("#")));
        link = &(*link)->next;
    }
    return prop_of_items(a, first);
}

const struct prop *prop_for_key(struct arena *a, str key, const struct prop *value)
{
    static const struct {
        str key;
        const char *seps;
    } lists[] = {
        {STR("tags"), ", \t\r\n"}, {STR("aliases"), ""}, {STR("cssclasses"), ""}};
    for (size_t i = 0; i < COUNT_OF(lists); i++) {
        if (!prop_same_name(key, lists[i].key))
            continue;
        if (value->type == PROP_TEXT)
            value = prop_split(a, value->text, lists[i].seps);
        return i == 0 && value->type == PROP_LIST ? without_marks(a, value) : value;
    }
    return value;
}

static bool same_number(const struct prop *a, const struct prop *b)
{
    if (a->type == PROP_INT && b->type == PROP_INT)
        return a->number == b->number;
    double x = prop_real(a), y = prop_real(b);
    return x != x ? y != y : x <= y && x >= y;
}

static bool prop_is_number(const struct prop *p)
{
    return p->type == PROP_INT || p->type == PROP_FLOAT;
}

bool prop_same(const struct prop *a, const struct prop *b)
{
    if (prop_is_number(a) && prop_is_number(b))
        return same_number(a, b);
    if (a->type != b->type || a->n != b->n)
        return false;
    if (a->type == PROP_TEXT)
        return str_eq(a->text, b->text);
    if (a->type == PROP_BOOL)
        return a->flag == b->flag;
    const struct prop *y = b->child;
    for (const struct prop *x = a->child; x != NULL; x = x->next, y = y->next)
        if (!str_eq(x->key, y->key) || !prop_same(x, y))
            return false;
    return true;
}

bool prop_is_empty(const struct prop *p)
{
    return p == NULL || p->type == PROP_NULL || (p->type == PROP_TEXT && p->text.n == 0);
}

struct prop *prop_copy(struct arena *a, const struct prop *p)
{
    struct prop *copy = ARENA_NEW(a, struct prop);
    *copy = *p;
    copy->key = STR("");
    copy->next = NULL;
    return copy;
}

static bool prop_is_ascii(str s)
{
    for (size_t i = 0; i < s.n; i++)
        if ((uint8_t)s.p[i] >= 0x80)
            return false;
    return true;
}

bool prop_same_name(str a, str b)
{
    if (prop_is_ascii(a) && prop_is_ascii(b))
        return str_eq_nocase(a, b);
    struct arena scratch = {0};
    bool same = str_eq(utf8_fold(&scratch, a), utf8_fold(&scratch, b));
    arena_release(&scratch);
    return same;
}

void prop_json(struct jsonw *w, const struct prop *p)
{
    switch (p->type) {
    case PROP_NULL:
        jsonw_null(w);
        return;
    case PROP_BOOL:
        jsonw_bool(w, p->flag);
        return;
    case PROP_INT:
        jsonw_int(w, p->number);
        return;
    case PROP_FLOAT:
        jsonw_num(w, p->real);
        return;
    case PROP_TEXT:
        jsonw_str(w, p->text);
        return;
    case PROP_LIST:
        jsonw_array(w);
        break;
    case PROP_MAP:
        jsonw_object(w);
        break;
    }
    for (const struct prop *c = p->child; c != NULL; c = c->next) {
        if (p->type == PROP_MAP)
            jsonw_key(w, c->key);
        prop_json(w, c);
    }
    jsonw_end(w);
}
