/*
 * TOML, edited in place. A table can be written as a [header] with lines below, as keys
 * with dots, or inline, and what is added goes where the rest of its table is.
 */
#include "base/config_language.h"
#include "base/toml.h"

static bool starts_with(const struct toml_pair *p, struct config_path path)
{
    if (p->elsewhere || p->n < path.n)
        return false;
    for (size_t i = 0; i < path.n; i++)
        if (!str_eq(p->path[i], path.keys[i]))
            return false;
    return true;
}

static const struct toml_node *locate(const struct toml *t, struct config_path path,
                                      size_t *depth)
{
    const struct toml_node *node = t->root;
    for (*depth = 0; *depth < path.n && node->type == JSON_OBJECT; ++*depth) {
        const struct toml_node *next = toml_member(node, path.keys[*depth]);
        if (next == NULL)
            break;
        node = next;
    }
    return node;
}

static bool config_toml_get(const struct config_language *l, struct arena *a, str text,
                            struct config_path path, const struct json **out,
                            struct err *err)
{
    (void)l;
    struct toml t;
    size_t depth;
    if (!toml_parse(a, text, &t, err))
        return false;
    const struct toml_node *node = locate(&t, path, &depth);
    *out = depth == path.n ? toml_json(a, node) : NULL;
    return depth == path.n || node->type == JSON_OBJECT ||
           config_blocked(err, path.keys[depth - 1], "is no table");
}

/* --- writing --- */

static void put_string(struct sbuf *out, str text)
{
    sbuf_char(out, '"');
    for (size_t i = 0; i < text.n; i++) {
        unsigned char c = (unsigned char)text.p[i];
        if (c == '"' || c == '\\')
            sbuf_printf(out, "\\%c", c);
        else if (c < 0x20 || c == 0x7F)
            sbuf_printf(out, "\\u%04X", c);
        else
            sbuf_char(out, (char)c);
    }
    sbuf_char(out, '"');
}

static void put_key(struct sbuf *out, str key)
{
    static const char bare[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    bool plain = key.n > 0;
    for (size_t i = 0; i < key.n; i++)
        plain = plain && key.p[i] != '\0' && strchr(bare, key.p[i]) != NULL;
    if (plain)
        sbuf_add(out, key);
    else
        put_string(out, key);
}

static void put_path(struct sbuf *out, struct config_path path, size_t from)
{
    for (size_t i = from; i < path.n; i++) {
        if (i > from)
            sbuf_char(out, '.');
        put_key(out, path.keys[i]);
    }
}

static void put_value(struct sbuf *out, const struct json *v)
{
    if (v->type == JSON_STRING) {
        put_string(out, v->text);
    } else if (v->type == JSON_ARRAY || v->type == JSON_OBJECT) {
        bool table = v->type == JSON_OBJECT;
        sbuf_add(out, table ? STR("{") : STR("["));
        for (const struct json *m = v->child; m != NULL; m = m->next) {
            sbuf_add(out, m != v->child ? STR(", ") : table ? STR(" ") : STR(""));
            if (table) {
                put_key(out, m->key);
                sbuf_add(out, STR(" = "));
            }
            put_value(out, m);
        }
        sbuf_add(out, !table ? STR("]") : v->n > 0 ? STR(" }") : STR("}"));
    } else {
        sbuf_add(out, v->raw);
    }
}

/* --- adding --- */

/* A line behind the lines of pair, with the keys of path that it does not inherit. */
static str config_toml_add_line(struct arena *a, str text, const struct toml_pair *behind,
                                size_t base, struct config_path path,
                                const struct json *value)
{
    struct sbuf out = SBUF_ON(a);
    size_t at = behind->line_end;
    if (at > 0 && text.p[at - 1] != '\n')
        sbuf_add(&out, config_eol(text));
    sbuf_add(&out, config_indent(text, behind->line));
    put_path(&out, path, base);
    sbuf_add(&out, STR(" = "));
    put_value(&out, value);
    if (at > 0 && text.p[at - 1] == '\n')
        sbuf_add(&out, config_eol(text));
    return config_splice(a, text, at, at, sbuf_str(&out));
}

/* Into the inline table that is the value of table, behind what is in it. */
static str add_inline(struct arena *a, str text, const struct toml *t, size_t table,
                      struct config_path path, const struct json *value)
{
    struct sbuf out = SBUF_ON(a);
    const struct toml_pair *pair = &t->pairs[table], *last = NULL;
    for (size_t i = table + 1; i < t->n; i++)
        if (t->pairs[i].in == table)
            last = &t->pairs[i];
    size_t from = last != NULL ? last->end : pair->value + 1;
    size_t to = last != NULL ? from : pair->end - 1;
    sbuf_add(&out, last != NULL ? STR(", ") : STR(" "));
    put_path(&out, path, pair->n);
    sbuf_add(&out, STR(" = "));
    put_value(&out, value);
    if (last == NULL)
        sbuf_char(&out, ' ');
    return config_splice(a, text, from, to, sbuf_str(&out));
}

/* A table of its own at the end of the file. */
static str add_table(struct arena *a, str text, struct config_path path,
                     const struct json *value)
{
    struct sbuf out = SBUF_ON(a);
    str eol = config_eol(text);
    sbuf_add(&out, text);
    if (text.n > 0 && !str_ends(text, STR("\n")) && !str_eq(text, STR("\xEF\xBB\xBF")))
        sbuf_add(&out, eol);
    if (str_trim_line(text).n > 0)
        sbuf_add(&out, eol);
    sbuf_char(&out, '[');
    put_path(&out, path, 0);
    sbuf_char(&out, ']');
    sbuf_add(&out, eol);
    for (const struct json *m = value->child; m != NULL; m = m->next) {
        put_key(&out, m->key);
        sbuf_add(&out, STR(" = "));
        put_value(&out, m);
        sbuf_add(&out, eol);
    }
    return sbuf_str(&out);
}

/* The pair of exactly that path with a value, or TOML_NONE. */
static size_t find_pair(const struct toml *t, struct config_path path, bool header)
{
    for (size_t i = 0; i < t->n; i++) {
        const struct toml_pair *p = &t->pairs[i];
        if (p->header == header && p->n == path.n && starts_with(p, path))
            return i;
    }
    return TOML_NONE;
}

/* The nearest table on the way that is written inline, or TOML_NONE. */
static size_t find_inline(const struct toml *t, struct config_path path)
{
    size_t pair = TOML_NONE;
    while (path.n > 1 && pair == TOML_NONE) {
        path.n--;
        pair = find_pair(t, path, false);
    }
    return pair;
}

/* The last line of the lines below a header. */
static const struct toml_pair *last_of_section(const struct toml *t, size_t header)
{
    const struct toml_pair *last = &t->pairs[header];
    for (size_t i = header + 1; i < t->n && !t->pairs[i].header; i++)
        if (t->pairs[i].in == TOML_NONE)
            last = &t->pairs[i];
    return last;
}

/* The last key with dots that is part of the table at path, or TOML_NONE. */
static size_t find_dotted(const struct toml *t, struct config_path path)
{
    size_t found = TOML_NONE;
    for (size_t i = 0; i < t->n; i++)
        if (!t->pairs[i].header && t->pairs[i].base < path.n &&
            t->pairs[i].in == TOML_NONE && t->pairs[i].n > path.n &&
            starts_with(&t->pairs[i], path))
            found = i;
    return found;
}

static str config_toml_add(struct arena *a, str text, const struct toml *t,
                           struct config_path path, const struct json *value)
{
    struct config_path parent = {path.keys, path.n - 1};
    size_t around = find_inline(t, path);
    if (around != TOML_NONE)
        return add_inline(a, text, t, around, path, value);
    if (value->type == JSON_OBJECT)
        return add_table(a, text, path, value);
    size_t header = find_pair(t, parent, true);
    if (header != TOML_NONE)
        return config_toml_add_line(a, text, last_of_section(t, header), parent.n, path,
                                    value);
    size_t dotted = find_dotted(t, parent);
    if (dotted != TOML_NONE)
        return config_toml_add_line(a, text, &t->pairs[dotted], t->pairs[dotted].base,
                                    path, value);
    struct json member = *value;
    member.key = path.keys[parent.n];
    member.next = NULL;
    return add_table(a, text, parent,
                     &(struct json){.type = JSON_OBJECT, .n = 1, .child = &member});
}

static bool config_toml_set(const struct config_language *l, struct arena *a, str text,
                            struct config_path path, const struct json *value, str *out,
                            struct err *err)
{
    (void)l;
    struct toml t;
    if (!toml_parse(a, text, &t, err))
        return false;
    size_t pair = find_pair(&t, path, false);
    if (pair == TOML_NONE) {
        *out = config_toml_add(a, text, &t, path, value);
        return true;
    }
    struct sbuf now = SBUF_ON(a);
    put_value(&now, value);
    *out = config_splice(a, text, t.pairs[pair].value, t.pairs[pair].end, sbuf_str(&now));
    return true;
}

/* --- removing --- */

static str drop_inline(struct arena *a, str text, const struct toml *t, size_t pair)
{
    const struct toml_pair *p = &t->pairs[pair], *before = NULL, *behind = NULL;
    for (size_t i = 0; i < t->n; i++) {
        if (t->pairs[i].in != p->in || i == pair)
            continue;
        if (i < pair)
            before = &t->pairs[i];
        else if (behind == NULL)
            behind = &t->pairs[i];
    }
    if (behind != NULL)
        return config_splice(a, text, p->start, behind->start, STR(""));
    const struct toml_pair *table = &t->pairs[p->in];
    return before != NULL
               ? config_splice(a, text, before->end, p->end, STR(""))
               : config_splice(a, text, table->value + 1, table->end - 1, STR(""));
}

/* A header goes with the lines below it, and with the empty ones above it. */
static str drop_section(struct arena *a, str text, const struct toml *t, size_t header)
{
    size_t from = t->pairs[header].line;
    for (size_t line; from > 0; from = line) {
        line = config_line(text, from - 1);
        if (str_trim_line(str_slice(text, line, from)).n > 0)
            break;
    }
    return config_splice(a, text, from, last_of_section(t, header)->line_end, STR(""));
}

static size_t first_below(const struct toml *t, struct config_path path)
{
    for (size_t i = 0; i < t->n; i++)
        if (starts_with(&t->pairs[i], path))
            return i;
    return TOML_NONE;
}

static bool config_toml_drop(const struct config_language *l, struct arena *a, str text,
                             struct config_path path, str *out, struct err *err)
{
    (void)l;
    for (;;) {
        struct toml t;
        if (!toml_parse(a, text, &t, err))
            return false;
        size_t i = first_below(&t, path);
        if (i == TOML_NONE)
            break;
        const struct toml_pair *p = &t.pairs[i];
        if (p->header)
            text = drop_section(a, text, &t, i);
        else if (p->in != TOML_NONE)
            text = drop_inline(a, text, &t, i);
        else
            text = config_splice(a, text, p->line, p->line_end, STR(""));
    }
    *out = text;
    return true;
}

const struct config_language config_toml = {config_toml_get, config_toml_set,
                                            config_toml_drop, false};
