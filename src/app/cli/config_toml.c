/*
 * TOML, edited by its lines: a table is a [header] and what follows up to the next one.
 * Only this form is edited. An entry that is an inline table, has dotted keys or is in a
 * list of tables is refused, and the user has to change the file by hand.
 *
 * The lines are read only as far as that requires. A value is a string on one line, a
 * list of those, a number or a boolean; anything else is only skipped and counts as null.
 * So an error elsewhere in the file may go unnoticed: finding it is not our job.
 */
#include "app/cli/config_language.h"
#include "base/text.h"

#define BY_HAND "write it as a [table], or change the file by hand"

enum { KEYS_MAX = 32 };

/* A header, or a key with its value. */
struct part {
    struct part *next;
    size_t line, line_end;   /* line_end is after its line feed */
    size_t value, value_end; /* of a key */
    const str *path;         /* from the top */
    size_t base, n;          /* number of keys: of the header above it, and in total */
    bool header, list;       /* [header], [[header]] */
    bool elsewhere;          /* in a list of tables, which no path can name */
    struct json *json;       /* the value */
};

struct config_toml_reader {
    struct arena *a;
    str text;
    size_t at;
    struct err *err;
};

/* --- reading --- */

static char peek(const struct config_toml_reader *r)
{
    return r->at < r->text.n ? r->text.p[r->at] : '\n';
}

static bool sees(const struct config_toml_reader *r, const char *what)
{
    return str_starts(str_skip(r->text, r->at), str_c(what));
}

static bool toml_wrong(const struct config_toml_reader *r, const char *what)
{
    return config_wrong(r->err, r->text, r->at, what);
}

static void skip_spaces(struct config_toml_reader *r)
{
    while (peek(r) == ' ' || peek(r) == '\t')
        r->at++;
}

static void skip_comment(struct config_toml_reader *r)
{
    if (peek(r) == '#')
        while (peek(r) != '\n')
            r->at++;
}

/* Spaces, comments and line ends. */
static void skip_gap(struct config_toml_reader *r)
{
    for (;;) {
        skip_spaces(r);
        skip_comment(r);
        bool feed = r->at < r->text.n && (peek(r) == '\n' || sees(r, "\r\n"));
        if (!feed)
            return;
        r->at++;
    }
}

/* Of all four kinds. */
static bool skip_string(struct config_toml_reader *r)
{
    char quote = peek(r);
    size_t start = r->at;
    const char *ends = quote == '"' ? "\"\"\"" : "'''";
    bool many = sees(r, ends);
    if (!many)
        ends += 2;
    for (r->at += strlen(ends); r->at < r->text.n; r->at++) {
        if (sees(r, ends)) {
            r->at += strlen(ends);
            for (int more = 0; many && more < 2 && peek(r) == quote; more++)
                r->at++; /* quotes before the last three belong to the text */
            return true;
        }
        if (quote == '"' && sees(r, "\\") && !sees(r, "\\\n"))
            r->at++;
        else if (!many && peek(r) == '\n')
            break;
    }
    r->at = start;
    return toml_wrong(r, "this string is not closed");
}

/* Null if it has several lines or an escape that JSON does not have. */
static bool read_string(struct config_toml_reader *r, struct json *out)
{
    size_t start = r->at;
    const struct json *j;
    struct err ignored;
    if (!skip_string(r))
        return false;
    str s = str_slice(r->text, start, r->at);
    if (str_starts(s, STR("\"\"\"")) || str_starts(s, STR("'''")))
        return true;
    if (s.p[0] == '\'')
        *out = (struct json){.type = JSON_STRING, .text = str_slice(s, 1, s.n - 1)};
    else if (json_parse(r->a, s, &j, &ignored))
        *out = *j;
    return true;
}

/* A word, or a value with brackets, which is only skipped. */
static bool read_other(struct config_toml_reader *r, struct json *out)
{
    size_t start = r->at, depth = 0;
    const struct json *j;
    struct err ignored;
    while (r->at < r->text.n) {
        char c = peek(r);
        if (c == '"' || c == '\'') {
            if (!skip_string(r))
                return false;
            continue;
        }
        if (depth == 0 && c != '\0' && strchr(",]}#\n", c) != NULL)
            break;
        skip_comment(r);
        depth += c == '[' || c == '{';
        depth -= c == ']' || c == '}';
        r->at++;
    }
    str word = str_trim_line(str_slice(r->text, start, r->at));
    if (depth > 0 || word.n == 0) {
        r->at = start;
        return toml_wrong(r, depth > 0 ? "this bracket is not closed"
                                       : "a value is expected here");
    }
    r->at = start + word.n;
    if (json_parse(r->a, word, &j, &ignored) && j->type <= JSON_NUMBER)
        *out = *j;
    return true;
}

static bool read_item(struct config_toml_reader *r, struct json *out)
{
    return peek(r) == '"' || peek(r) == '\'' ? read_string(r, out) : read_other(r, out);
}

static bool read_list(struct config_toml_reader *r, struct json *out)
{
    struct json **end = &out->child;
    out->type = JSON_ARRAY;
    r->at++;
    for (skip_gap(r); !sees(r, "]"); skip_gap(r)) {
        *end = ARENA_NEW(r->a, struct json);
        if (!read_item(r, *end))
            return false;
        end = &(*end)->next;
        out->n++;
        skip_gap(r);
        if (sees(r, ","))
            r->at++;
        else if (!sees(r, "]"))
            return toml_wrong(r, "',' or ']' is expected here");
    }
    r->at++;
    return true;
}

/* Of a key without quotes. */
static bool is_bare(char c)
{
    return is_alnum(c) || c == '_' || c == '-';
}

static bool read_key(struct config_toml_reader *r, str *out)
{
    size_t start = r->at;
    struct json quoted = {0};
    if (peek(r) == '"' || peek(r) == '\'') {
        if (!read_string(r, &quoted))
            return false;
        *out = quoted.text;
    } else {
        while (is_bare(peek(r)))
            r->at++;
        *out = str_slice(r->text, start, r->at);
    }
    if (out->n > 0 || quoted.type == JSON_STRING)
        return true;
    r->at = start;
    return toml_wrong(r, "a key is expected here");
}

/* Dotted keys, appended to those of above. */
static bool read_path(struct config_toml_reader *r, const struct part *above,
                      struct part *p)
{
    str *path = ARENA_ARRAY(r->a, str, KEYS_MAX);
    p->path = path;
    p->base = p->n = above != NULL ? above->n : 0;
    if (above != NULL)
        memcpy(path, above->path, above->n * sizeof(*path));
    for (;; r->at++) {
        if (p->n == KEYS_MAX)
            return toml_wrong(r, "this key has too many parts");
        skip_spaces(r);
        if (!read_key(r, &path[p->n++]))
            return false;
        skip_spaces(r);
        if (peek(r) != '.')
            return true;
    }
}

static bool read_header(struct config_toml_reader *r, struct part *p)
{
    p->header = true;
    p->list = sees(r, "[[");
    r->at += p->list ? 2 : 1;
    if (!read_path(r, NULL, p))
        return false;
    const char *ends = p->list ? "]]" : "]";
    if (!sees(r, ends))
        return toml_wrong(r, p->list ? "']]' is expected here" : "']' is expected here");
    r->at += strlen(ends);
    return true;
}

static bool read_pair(struct config_toml_reader *r, const struct part *above,
                      struct part *p)
{
    if (!read_path(r, above, p))
        return false;
    if (peek(r) != '=')
        return toml_wrong(r, "'=' is expected here");
    r->at++;
    skip_spaces(r);
    p->json = ARENA_NEW(r->a, struct json);
    p->value = r->at;
    if (!(peek(r) == '[' ? read_list(r, p->json) : read_item(r, p->json)))
        return false;
    p->value_end = r->at;
    return true;
}

static bool read_line_end(struct config_toml_reader *r)
{
    skip_spaces(r);
    skip_comment(r);
    if (sees(r, "\r\n"))
        r->at++;
    if (peek(r) != '\n')
        return toml_wrong(r, "the end of the line is expected here");
    r->at += r->at < r->text.n;
    return true;
}

static bool begins_with(const struct part *p, const str *keys, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (i >= p->n || !str_eq(p->path[i], keys[i]))
            return false;
    return true;
}

static bool is_in_list(const struct part *all, const struct part *p)
{
    for (; all != NULL && all != p; all = all->next)
        if (all->list && begins_with(p, all->path, all->n) &&
            !(p->list && p->n == all->n))
            return true;
    return false;
}

static bool read_parts(struct arena *a, str text, struct part **all, struct err *err)
{
    struct config_toml_reader r = {a, text, str_starts(text, STR("\xEF\xBB\xBF")) ? 3 : 0,
                                   err};
    struct part *above = NULL, **end = all;
    *all = NULL;
    for (skip_gap(&r); r.at < text.n; skip_gap(&r)) {
        struct part *p = *end = ARENA_NEW(a, struct part);
        size_t line = text_line_start(text, r.at);
        p->line = line > 0 || r.at < 3 || text.p[0] != '\xEF' ? line : 3;
        if (!(peek(&r) == '[' ? read_header(&r, p) : read_pair(&r, above, p)) ||
            !read_line_end(&r))
            return false;
        p->line_end = r.at;
        p->elsewhere = p->header ? is_in_list(*all, p)
                                 : above != NULL && (above->list || above->elsewhere);
        if (p->header)
            above = p;
        end = &p->next;
    }
    return true;
}

/* --- what the parts say --- */

/* Put p into the tree of objects; false if something else is already there. */
static bool grow(struct arena *a, struct json *root, const struct part *p)
{
    struct json *at = root;
    for (size_t i = 0; i < p->n; i++) {
        bool is_last = i + 1 == p->n;
        struct json **m = &at->child;
        if (at->type != JSON_OBJECT)
            return false;
        while (*m != NULL && !str_eq((*m)->key, p->path[i]))
            m = &(*m)->next;
        if (*m == NULL) {
            *m = is_last && !p->header ? p->json : ARENA_NEW(a, struct json);
            (*m)->key = p->path[i];
            if (*m != p->json)
                (*m)->type = is_last && p->list ? JSON_ARRAY : JSON_OBJECT;
            at->n++;
        } else if (is_last && !p->header) {
            return false;
        }
        at = *m;
    }
    return !p->header || at->type == (p->list ? JSON_ARRAY : JSON_OBJECT);
}

static bool config_toml_get(const struct config_language *l, struct arena *a, str text,
                            struct config_path path, const struct json **out,
                            struct err *err)
{
    (void)l;
    struct part *all;
    struct json *root = ARENA_NEW(a, struct json);
    root->type = JSON_OBJECT;
    if (!read_parts(a, text, &all, err))
        return false;
    for (const struct part *p = all; p != NULL; p = p->next)
        if (!p->elsewhere && begins_with(p, path.keys, path.n > 0) && !grow(a, root, p))
            return config_wrong(err, text, p->line, "duplicate key");
    const struct json *at = root;
    for (size_t i = 0; i < path.n && at != NULL; i++) {
        at = json_get(at, path.keys[i]);
        if (at != NULL && at->type != JSON_OBJECT)
            return config_blocked(err, path.keys[i], "is not a table: " BY_HAND);
    }
    *out = at;
    return true;
}

/* The [header] of a table, NULL if it has none; refused if members of the table are
 * elsewhere. */
static bool find_table(const struct part *all, struct config_path table,
                       const struct part **out, struct err *err)
{
    str name = table.keys[table.n - 1];
    *out = NULL;
    for (const struct part *p = all; p != NULL; p = p->next) {
        if (p->elsewhere)
            continue;
        bool inside = begins_with(p, table.keys, table.n);
        if (!p->header &&
            ((inside && p->base < table.n) ||
             (p->base + 1 < table.n && begins_with(p, table.keys, table.n - 1))))
            return config_blocked(err, name, "is written with dotted keys: " BY_HAND);
        if (p->header && inside && p->n == table.n) {
            if (*out != NULL)
                return config_blocked(err, name, "occurs twice: remove one of them");
            *out = p;
        }
    }
    return true;
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
    bool bare = key.n > 0;
    for (size_t i = 0; i < key.n; i++)
        bare = bare && is_bare(key.p[i]);
    if (bare)
        sbuf_add(out, key);
    else
        put_string(out, key);
}

static void put_value(struct sbuf *out, const struct json *v)
{
    if (v->type == JSON_STRING) {
        put_string(out, v->text);
    } else if (v->type == JSON_ARRAY) {
        sbuf_char(out, '[');
        for (const struct json *m = v->child; m != NULL; m = m->next) {
            sbuf_add(out, m != v->child ? STR(", ") : STR(""));
            put_value(out, m);
        }
        sbuf_char(out, ']');
    } else {
        sbuf_add(out, v->raw);
    }
}

static void put_pair(struct sbuf *out, str key, const struct json *value)
{
    put_key(out, key);
    sbuf_add(out, STR(" = "));
    put_value(out, value);
}

/* The last line of the table that begins with header. */
static const struct part *last_of(const struct part *header)
{
    while (header->next != NULL && !header->next->header)
        header = header->next;
    return header;
}

static str add_line(struct arena *a, str text, const struct part *after, str key,
                    const struct json *value)
{
    struct sbuf out = SBUF_ON(a);
    size_t at = after->line_end;
    bool ended = text.p[at - 1] == '\n';
    if (!ended)
        sbuf_add(&out, text_line_ending(text));
    sbuf_add(&out, config_indent(text, after->line));
    put_pair(&out, key, value);
    if (ended)
        sbuf_add(&out, text_line_ending(text));
    return config_splice(a, text, at, at, sbuf_str(&out));
}

/* Add a table at the end of the file. */
static str add_table(struct arena *a, str text, struct config_path path,
                     const struct json *members)
{
    struct sbuf out = SBUF_ON(a);
    str eol = text_line_ending(text);
    sbuf_add(&out, text);
    if (text.n > 0 && !str_ends(text, STR("\n")) && !str_eq(text, STR("\xEF\xBB\xBF")))
        sbuf_add(&out, eol);
    if (str_trim_line(text).n > 0)
        sbuf_add(&out, eol);
    for (size_t i = 0; i < path.n; i++) {
        sbuf_char(&out, i > 0 ? '.' : '[');
        put_key(&out, path.keys[i]);
    }
    sbuf_char(&out, ']');
    sbuf_add(&out, eol);
    for (const struct json *m = members; m != NULL; m = m->next) {
        put_pair(&out, m->key, m);
        sbuf_add(&out, eol);
    }
    return sbuf_str(&out);
}

static bool config_toml_set(const struct config_language *l, struct arena *a, str text,
                            struct config_path path, const struct json *value, str *out,
                            struct err *err)
{
    (void)l;
    struct part *all;
    const struct part *header;
    bool is_table = value->type == JSON_OBJECT;
    struct config_path table = {path.keys, is_table ? path.n : path.n - 1};
    if (!read_parts(a, text, &all, err) || !find_table(all, table, &header, err))
        return false;
    struct json member = *value;
    member.key = path.keys[path.n - 1];
    member.next = NULL;
    if (header == NULL) {
        *out = add_table(a, text, table, is_table ? value->child : &member);
        return true;
    }
    const struct part *p = header->next, *last = last_of(header);
    while (p != last->next && (p->n != path.n || !begins_with(p, path.keys, path.n)))
        p = p->next;
    struct sbuf now = SBUF_ON(a);
    put_value(&now, value);
    *out = p == last->next
               ? add_line(a, text, last, member.key, value)
               : config_splice(a, text, p->value, p->value_end, sbuf_str(&now));
    return true;
}

/* A header is removed with the lines below it and the empty lines above it. */
static size_t start_of(str text, const struct part *p)
{
    size_t from = p->line;
    for (size_t line; p->header && from > 0; from = line) {
        line = text_line_start(text, from - 1);
        if (str_trim_line(str_slice(text, line, from)).n > 0)
            break;
    }
    return from;
}

static bool config_toml_drop(const struct config_language *l, struct arena *a, str text,
                             struct config_path path, str *out, struct err *err)
{
    (void)l;
    struct part *all;
    struct sbuf rest = SBUF_ON(a);
    size_t at = 0;
    if (!read_parts(a, text, &all, err))
        return false;
    for (const struct part *p = all; p != NULL; p = p->next) {
        if (p->elsewhere || !begins_with(p, path.keys, path.n) || p->line < at)
            continue;
        if (!p->header && (p->n > path.n || p->base + 1 < path.n))
            return config_blocked(err, path.keys[path.n - 1],
                                  "is written with dotted keys: " BY_HAND);
        sbuf_add(&rest, str_slice(text, at, start_of(text, p)));
        at = (p->header ? last_of(p) : p)->line_end;
    }
    sbuf_add(&rest, str_skip(text, at));
    *out = sbuf_str(&rest);
    return true;
}

const struct config_language config_toml = {config_toml_get, config_toml_set,
                                            config_toml_drop, false};
