#include "app/cli/config_edit.h"

#include "app/cli/config_language.h"
#include "base/text.h"
#include "base/utf8.h"

static const struct config_language *const languages[] = {
    [CONFIG_JSON] = &config_json,
    [CONFIG_JSONC] = &config_jsonc,
    [CONFIG_TOML] = &config_toml,
};

/* --- for the languages --- */

str config_splice(struct arena *a, str text, size_t from, size_t to, str with)
{
    struct sbuf out = SBUF_ON(a);
    sbuf_add(&out, str_slice(text, 0, from));
    sbuf_add(&out, with);
    sbuf_add(&out, str_skip(text, to));
    return sbuf_str(&out);
}

bool config_wrong(struct err *err, str text, size_t at, const char *what)
{
    size_t column = 1, start = text_line_start(text, at);
    size_t line = 1 + text_count_ends(text, 0, start);
    for (size_t i = start, n; i < at && i < text.n; i += n, column++)
        (void)utf8_decode(str_skip(text, i), &n);
    return err_set(err, ERR_INVALID, "line %zu, column %zu: %s", line, column, what);
}

bool config_blocked(struct err *err, str key, const char *why)
{
    enum { SHOWN_MAX = 60 };
    return err_set(err, ERR_INVALID, "'" STR_FMT "' %s",
                   STR_ARG(utf8_cut(key, SHOWN_MAX)), why);
}

str config_indent(str text, size_t at)
{
    size_t start = text_line_start(text, at), end = start;
    while (end < text.n && is_blank(text.p[end]))
        end++;
    return str_slice(text, start, end);
}

/* --- values --- */

static bool same_members(const struct json *a, const struct json *b)
{
    for (const struct json *m = a->child; m != NULL; m = m->next)
        if (!config_same(m, json_get(b, m->key)))
            return false;
    return a->n == b->n;
}

static bool same_items(const struct json *a, const struct json *b)
{
    const struct json *x = a->child, *y = b->child;
    for (; x != NULL && y != NULL; x = x->next, y = y->next)
        if (!config_same(x, y))
            return false;
    return x == NULL && y == NULL;
}

bool config_same(const struct json *a, const struct json *b)
{
    if (a == NULL || b == NULL || a->type != b->type)
        return a == b;
    switch (a->type) {
    case JSON_STRING:
        return str_eq(a->text, b->text);
    case JSON_NUMBER:
        return str_eq(a->raw, b->raw);
    case JSON_ARRAY:
        return same_items(a, b);
    case JSON_OBJECT:
        return same_members(a, b);
    default:
        return true;
    }
}

/* --- editing --- */

static const struct json *make_object(struct arena *a,
                                      const struct config_member *members, size_t n)
{
    struct json *object = ARENA_NEW(a, struct json), **end = &object->child;
    object->type = JSON_OBJECT;
    for (size_t i = 0; i < n; i++) {
        if (members[i].value == NULL)
            continue;
        *end = ARENA_NEW(a, struct json);
        **end = *members[i].value;
        (*end)->key = members[i].key;
        (*end)->next = NULL;
        end = &(*end)->next;
        object->n++;
    }
    return object;
}

static struct config_path below(struct arena *a, struct config_path path, str key)
{
    str *keys = ARENA_ARRAY(a, str, path.n + 1);
    memcpy(keys, path.keys, path.n * sizeof(*keys));
    keys[path.n] = key;
    return (struct config_path){keys, path.n + 1};
}

static bool config_edit_put_member(const struct config_language *l, struct arena *a,
                                   str *text, struct config_path path,
                                   const struct json *entry,
                                   const struct config_member *m, struct err *err)
{
    const struct json *have = json_get(entry, m->key);
    if (config_same(have, m->value))
        return true;
    struct config_path at = below(a, path, m->key);
    return m->value == NULL ? l->drop(l, a, *text, at, text, err)
                            : l->set(l, a, *text, at, m->value, text, err);
}

static bool config_edit_holds(const struct json *entry,
                              const struct config_member *members, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!config_same(json_get(entry, members[i].key), members[i].value))
            return false;
    return json_is(entry, JSON_OBJECT);
}

/* Whether the entry has nothing that is not among these members. */
static bool has_no_more(const struct json *entry, const struct config_member *members,
                        size_t n)
{
    for (const struct json *m = entry->child; m != NULL; m = m->next) {
        size_t i = 0;
        while (i < n && !str_eq(members[i].key, m->key))
            i++;
        if (i == n)
            return false;
    }
    return true;
}

static bool config_edit_put(const struct config_language *l, struct arena *a,
                            struct config_path path, const struct json *entry,
                            const struct config_member *members, size_t n, str *text,
                            struct err *err)
{
    str key = path.keys[path.n - 1];
    if (entry != NULL && entry->type != JSON_OBJECT)
        return config_blocked(err, key, "exists, but is not an entry");
    if (config_edit_holds(entry, members, n))
        return true;
    if (entry != NULL && l->is_whole && !has_no_more(entry, members, n))
        return config_blocked(err, key, "has other settings: change the file by hand");
    if (entry == NULL || l->is_whole)
        return l->set(l, a, *text, path, make_object(a, members, n), text, err);
    for (size_t i = 0; i < n; i++)
        if (!config_edit_put_member(l, a, text, path, entry, &members[i], err))
            return false;
    return true;
}

static bool readable(str text, struct err *err)
{
    if (text.n > CONFIG_MAX_BYTES)
        return err_set(err, ERR_LIMIT, "it has more than %d bytes", CONFIG_MAX_BYTES);
    size_t good = utf8_valid_prefix(text);
    return good == text.n || config_wrong(err, text, good, "invalid UTF-8");
}

bool config_get(struct arena *a, enum config_format format, str text,
                struct config_path path, const struct json **out, struct err *err)
{
    return readable(text, err) &&
           languages[format]->get(languages[format], a, text, path, out, err);
}

/* A wrong edit would be a bug in vaultd, but even then the file must not be damaged. */
static bool proven(struct err *err, bool good)
{
    return good ||
           err_set(err, ERR_INVALID, "it cannot be edited safely: edit it by hand");
}

bool config_put(struct arena *a, enum config_format format, str text,
                struct config_path path, const struct config_member *members, size_t n,
                str *out, struct err *err)
{
    const struct json *entry;
    str next = text;
    if (!config_get(a, format, text, path, &entry, err) ||
        !config_edit_put(languages[format], a, path, entry, members, n, &next, err))
        return false;
    struct err why;
    if (!proven(err, config_get(a, format, next, path, &entry, &why) &&
                         config_edit_holds(entry, members, n)))
        return false;
    *out = next;
    return true;
}

bool config_drop(struct arena *a, enum config_format format, str text,
                 struct config_path path, str *out, struct err *err)
{
    const struct json *entry;
    str next = text;
    if (!config_get(a, format, text, path, &entry, err))
        return false;
    if (entry != NULL &&
        !languages[format]->drop(languages[format], a, text, path, &next, err))
        return false;
    struct err why;
    if (!proven(err, config_get(a, format, next, path, &entry, &why) && entry == NULL))
        return false;
    *out = next;
    return true;
}
