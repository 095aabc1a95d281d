/*
 * Any file is refused, or gets the entry and keeps everything else: all other values and,
 * if the entry is new, every byte that is not white space, in order. The same edit again
 * changes nothing, and removing the entry leaves the rest.
 *
 * Input: the format, then the text.
 */
#include "app/cli/config_edit.h"
#include "base/sbuf.h"

static const str keys[] = {{"mcp", 3}, {"a", 1}};
static const struct config_path path = {keys, COUNT_OF(keys)};
static const struct config_path whole = {0};

/* Equal apart from what is at path; an object on the way may be new if it is empty. */
static bool same_but(const struct json *x, const struct json *y, size_t depth)
{
    const struct json *in_x = json_get(x, keys[depth]), *in_y = json_get(y, keys[depth]);
    if (x != NULL && y != NULL && (x->type != JSON_OBJECT || y->type != JSON_OBJECT))
        return config_same(x, y);
    const struct json *sides[] = {x, y};
    for (int i = 0; i < 2; i++) {
        const struct json *m = sides[i] != NULL ? sides[i]->child : NULL;
        for (; m != NULL; m = m->next)
            if (!str_eq(m->key, keys[depth]) &&
                !config_same(m, json_get(sides[!i], m->key)))
                return false;
    }
    return depth + 1 == path.n || (in_x == NULL && in_y == NULL) ||
           same_but(in_x, in_y, depth + 1);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool has_bytes(str before, str after)
{
    size_t at = 0;
    for (size_t i = 0; i < before.n; i++) {
        if (is_blank(before.p[i]))
            continue;
        while (at < after.n && after.p[at] != before.p[i])
            at++;
        if (at++ >= after.n)
            return false;
    }
    return true;
}

static void check_rest(struct arena *a, enum config_format format, str before, str after)
{
    const struct json *x, *y;
    struct err err = {0};
    if (!config_get(a, format, before, whole, &x, &err))
        return; /* a key twice somewhere else: JSON cannot say what that means */
    if (!config_get(a, format, after, whole, &y, &err))
        BUG("no longer readable: %s", err.msg);
    if (!same_but(x, y, 0))
        BUG("something else changed: " STR_FMT, STR_ARG(after));
}

static void check(struct arena *a, enum config_format format, str text)
{
    const struct json *value, *was;
    struct err err = {0};
    str put, again, gone;
    if (!json_parse(a, STR("{\"c\":\"x\\\"y\\u007f\",\"l\":[\"\",\"é\"]}"), &value, &err))
        BUG("%s", err.msg);
    const struct config_member members[] = {
        {STR("c"), json_get(value, STR("c"))},
        {STR("l"), json_get(value, STR("l"))},
        {STR("u"), NULL},
    };
    if (!config_put(a, format, text, path, members, COUNT_OF(members), &put, &err)) {
        if (err.msg[0] == '\0')
            BUG("no reason");
        return;
    }
    if (!config_get(a, format, text, path, &was, &err))
        BUG("edited what cannot be read: %s", err.msg);
    check_rest(a, format, text, put);
    if (was == NULL && !has_bytes(text, put))
        BUG("bytes are missing: " STR_FMT, STR_ARG(put));
    if (!config_put(a, format, put, path, members, COUNT_OF(members), &again, &err) ||
        again.p != put.p)
        BUG("not the same again: %s", err.msg);
    if (!config_drop(a, format, put, path, &gone, &err))
        BUG("cannot be taken out: %s: " STR_FMT, err.msg, STR_ARG(put));
    check_rest(a, format, text, gone);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a = {0};
    if (size > 0)
        check(&a, (enum config_format)(data[0] % 3),
              (str){(const char *)data + 1, size - 1});
    arena_release(&a);
    return 0;
}
