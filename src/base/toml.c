#include "base/toml.h"

#include "base/array.h"
#include "base/sbuf.h"
#include "base/toml_scalar.h"

struct parser {
    struct arena *arena;
    str text;
    size_t at;
    struct toml *out;
    struct toml_node *table; /* of the last header */
    const str *path;         /* its path */
    size_t path_n;
    bool elsewhere; /* that table is one of several */
    const char *wrong;
};

/* A dotted key as it stands. */
struct key {
    str *parts;
    size_t n;
};

static bool toml_fail(struct parser *p, const char *what)
{
    p->wrong = what;
    return false;
}

static char peek(const struct parser *p)
{
    return p->at < p->text.n ? p->text.p[p->at] : '\0';
}

static void skip_blanks(struct parser *p)
{
    while (peek(p) == ' ' || peek(p) == '\t')
        p->at++;
}

static bool toml_take(struct parser *p, char c)
{
    bool there = p->at < p->text.n && peek(p) == c;
    p->at += there;
    return there;
}

static bool take_feed(struct parser *p)
{
    if (str_starts(str_skip(p->text, p->at), STR("\r\n")))
        p->at++;
    return toml_take(p, '\n');
}

static bool skip_comment(struct parser *p)
{
    if (!toml_take(p, '#'))
        return true;
    for (; p->at < p->text.n; p->at++) {
        unsigned char c = (unsigned char)peek(p);
        if (c == '\n' || str_starts(str_skip(p->text, p->at), STR("\r\n")))
            return true;
        if ((c < 0x20 && c != '\t') || c == 0x7F)
            return toml_fail(p, "a comment cannot have a control character in it");
    }
    return true;
}

/* Blanks, comments and line feeds, as between the items of an array. */
static bool skip_lines(struct parser *p)
{
    do {
        skip_blanks(p);
        if (!skip_comment(p))
            return false;
    } while (take_feed(p));
    return true;
}

static bool end_line(struct parser *p)
{
    skip_blanks(p);
    return skip_comment(p) && (take_feed(p) || p->at >= p->text.n ||
                               toml_fail(p, "the end of the line is expected here"));
}

/* --- keys --- */

static bool is_bare(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '_' || c == '-';
}

static bool read_part(struct parser *p, str *out)
{
    if (peek(p) == '"' || peek(p) == '\'') {
        const char *wrong = toml_string(p->arena, p->text, &p->at, false, out);
        return wrong == NULL || toml_fail(p, wrong);
    }
    size_t start = p->at;
    while (is_bare(peek(p)))
        p->at++;
    *out = str_slice(p->text, start, p->at);
    return out->n > 0 || toml_fail(p, "a key is expected here");
}

static bool read_key(struct parser *p, struct key *out)
{
    *out = (struct key){0};
    do {
        skip_blanks(p);
        if (out->n == TOML_MAX_DEPTH)
            return toml_fail(p, "this key has too many parts");
        if (!read_part(p, ARRAY_ADD(p->arena, out->parts, out->n)))
            return false;
        skip_blanks(p);
    } while (toml_take(p, '.'));
    return true;
}

/* --- the tree --- */

struct toml_node *toml_member(const struct toml_node *table, str key)
{
    for (struct toml_node *m = table->child; m != NULL; m = m->next)
        if (str_eq(m->key, key))
            return m;
    return NULL;
}

static struct toml_node *toml_append(struct parser *p, struct toml_node *to, str key,
                                     enum json_type type)
{
    struct toml_node *node = ARENA_NEW(p->arena, struct toml_node);
    node->key = key;
    node->type = type;
    if (to->last != NULL)
        to->last->next = node;
    else
        to->child = node;
    to->last = node;
    to->n++;
    return node;
}

/* The table that a part of a header names, made if it is missing. */
static struct toml_node *enter(struct parser *p, struct toml_node *in, str part)
{
    struct toml_node *next = toml_member(in, part);
    if (next == NULL)
        return toml_append(p, in, part, JSON_OBJECT);
    if (next->list) {
        p->elsewhere = true;
        return next->last;
    }
    return next->type == JSON_OBJECT && !next->closed ? next : NULL;
}

static struct toml_node *open_table(struct parser *p, struct toml_node *in, str name)
{
    struct toml_node *t = toml_member(in, name);
    if (t == NULL)
        t = toml_append(p, in, name, JSON_OBJECT);
    else if (t->type != JSON_OBJECT || t->header || t->dotted || t->closed)
        return NULL;
    t->header = true;
    return t;
}

static struct toml_node *open_item(struct parser *p, struct toml_node *in, str name)
{
    struct toml_node *l = toml_member(in, name);
    if (l == NULL) {
        l = toml_append(p, in, name, JSON_ARRAY);
        l->list = true;
    } else if (!l->list) {
        return NULL;
    }
    p->elsewhere = true;
    return toml_append(p, l, STR(""), JSON_OBJECT);
}

/* The table of a dotted key, made if it is missing. */
static struct toml_node *enter_dotted(struct parser *p, struct toml_node *in, str part)
{
    struct toml_node *next = toml_member(in, part);
    if (next == NULL)
        next = toml_append(p, in, part, JSON_OBJECT);
    else if (next->type != JSON_OBJECT || next->header || next->closed)
        return NULL;
    next->dotted = true;
    return next;
}

/* --- pairs --- */

static const str *join_path(struct parser *p, const str *path, size_t n,
                            const struct key *key)
{
    str *all = ARENA_ARRAY(p->arena, str, n + key->n);
    if (n > 0)
        memcpy(all, path, n * sizeof(*all));
    memcpy(all + n, key->parts, key->n * sizeof(*all));
    return all;
}

static size_t add_pair(struct parser *p, const struct toml_pair *pair)
{
    struct toml *t = p->out;
    *ARRAY_ADD(p->arena, t->pairs, t->n) = *pair;
    return t->n - 1;
}

static bool read_value(struct parser *p, struct toml_node *node, size_t pair,
                       unsigned depth);

/* What a pair stands in: a table of the tree, and its path. */
struct place {
    struct toml_node *table;
    const str *path;
    size_t n;
    size_t in;
    bool elsewhere;
};

static bool read_pair(struct parser *p, const struct place *where, unsigned depth)
{
    struct key key;
    struct toml_node *table = where->table;
    size_t start = p->at;
    if (!read_key(p, &key))
        return false;
    for (size_t i = 0; i + 1 < key.n && table != NULL; i++)
        table = enter_dotted(p, table, key.parts[i]);
    if (table == NULL || toml_member(table, key.parts[key.n - 1]) != NULL) {
        p->at = start;
        return toml_fail(p, "this key was given before");
    }
    if (!toml_take(p, '='))
        return toml_fail(p, "'=' is expected here");
    skip_blanks(p);
    size_t pair = add_pair(p, &(struct toml_pair){
                                  .path = join_path(p, where->path, where->n, &key),
                                  .n = where->n + key.n,
                                  .base = where->n,
                                  .start = start,
                                  .value = p->at,
                                  .in = where->in,
                                  .elsewhere = where->elsewhere,
                              });
    struct toml_node *node = toml_append(p, table, key.parts[key.n - 1], JSON_NULL);
    if (!read_value(p, node, pair, depth))
        return false;
    p->out->pairs[pair].end = p->at;
    node->raw = str_slice(p->text, p->out->pairs[pair].value, p->at);
    return true;
}

/* --- values --- */

static bool read_array(struct parser *p, struct toml_node *node, unsigned depth)
{
    node->type = JSON_ARRAY;
    node->closed = true;
    if (!skip_lines(p))
        return false;
    while (!toml_take(p, ']')) {
        size_t start = p->at;
        struct toml_node *item = toml_append(p, node, STR(""), JSON_NULL);
        if (!read_value(p, item, TOML_NONE, depth))
            return false;
        item->raw = str_slice(p->text, start, p->at);
        if (!skip_lines(p))
            return false;
        if (!toml_take(p, ',') && peek(p) != ']')
            return toml_fail(p, "',' or ']' is expected here");
        if (!skip_lines(p))
            return false;
    }
    return true;
}

/* pair: the one whose value this is; TOML_NONE inside of arrays. */
static bool read_inline(struct parser *p, struct toml_node *node, size_t pair,
                        unsigned depth)
{
    node->type = JSON_OBJECT;
    struct place where = {.table = node, .in = pair, .elsewhere = true};
    if (pair != TOML_NONE) {
        where.path = p->out->pairs[pair].path;
        where.n = p->out->pairs[pair].n;
        where.elsewhere = p->out->pairs[pair].elsewhere;
    }
    skip_blanks(p);
    bool empty = toml_take(p, '}');
    while (!empty) {
        skip_blanks(p);
        if (!read_pair(p, &where, depth))
            return false;
        skip_blanks(p);
        if (toml_take(p, '}'))
            break;
        if (!toml_take(p, ','))
            return toml_fail(p, "',' or '}' is expected here");
    }
    node->closed = true;
    return true;
}

/* A date and a time may have a blank between them. */
static str word_at(const struct parser *p)
{
    static const char ends[] = " \t\r\n,]}#";
    str rest = str_skip(p->text, p->at);
    size_t n = 0;
    for (; n < rest.n && strchr(ends, rest.p[n]) == NULL; n++)
        continue;
    if (n == 10 && n + 1 < rest.n && rest.p[n] == ' ' && rest.p[4] == '-' &&
        rest.p[n + 1] >= '0' && rest.p[n + 1] <= '9')
        for (n++; n < rest.n && strchr(ends, rest.p[n]) == NULL; n++)
            continue;
    return str_slice(rest, 0, n);
}

static bool read_word(struct parser *p, struct toml_node *node)
{
    str word = word_at(p);
    if (str_eq(word, STR("true")))
        node->type = JSON_TRUE;
    else if (str_eq(word, STR("false")))
        node->type = JSON_FALSE;
    else if (!toml_word(word, &node->type))
        return toml_fail(p, "a value is expected here");
    p->at += word.n;
    return true;
}

static bool read_value(struct parser *p, struct toml_node *node, size_t pair,
                       unsigned depth)
{
    if (depth == 0)
        return toml_fail(p, "too many brackets inside each other");
    if (toml_take(p, '['))
        return read_array(p, node, depth - 1);
    if (toml_take(p, '{'))
        return read_inline(p, node, pair, depth - 1);
    if (peek(p) != '"' && peek(p) != '\'')
        return read_word(p, node);
    node->type = JSON_STRING;
    const char *wrong = toml_string(p->arena, p->text, &p->at, true, &node->text);
    return wrong == NULL || toml_fail(p, wrong);
}

/* --- lines --- */

static bool read_header(struct parser *p)
{
    struct key key;
    struct toml_node *table = p->out->root;
    size_t start = p->at++;
    bool item = toml_take(p, '[');
    p->elsewhere = false;
    if (!read_key(p, &key))
        return false;
    if (!toml_take(p, ']') || (item && !toml_take(p, ']')))
        return toml_fail(p, "']' is expected here");
    for (size_t i = 0; i + 1 < key.n && table != NULL; i++)
        table = enter(p, table, key.parts[i]);
    str name = key.parts[key.n - 1];
    if (table != NULL)
        table = item ? open_item(p, table, name) : open_table(p, table, name);
    if (table == NULL) {
        p->at = start;
        return toml_fail(p, "this table was given before");
    }
    p->table = table;
    p->path = key.parts;
    p->path_n = key.n;
    (void)add_pair(p, &(struct toml_pair){.path = key.parts,
                                          .n = key.n,
                                          .start = start,
                                          .value = p->at,
                                          .end = p->at,
                                          .in = TOML_NONE,
                                          .header = true,
                                          .list = item,
                                          .elsewhere = p->elsewhere});
    return true;
}

static bool read_line(struct parser *p)
{
    size_t line = p->at, pair = p->out->n;
    skip_blanks(p);
    char c = peek(p);
    struct place here = {p->table, p->path, p->path_n, TOML_NONE, p->elsewhere};
    bool ok = true;
    if (c == '[')
        ok = read_header(p);
    else if (c != '#' && c != '\n' && c != '\r' && p->at < p->text.n)
        ok = read_pair(p, &here, TOML_MAX_DEPTH);
    if (!ok || !end_line(p))
        return false;
    for (; pair < p->out->n; pair++) {
        p->out->pairs[pair].line = line;
        p->out->pairs[pair].line_end = p->at;
    }
    return true;
}

bool toml_parse(struct arena *a, str text, struct toml *out, struct err *err)
{
    *out = (struct toml){.root = ARENA_NEW(a, struct toml_node)};
    out->root->type = JSON_OBJECT;
    struct parser p = {.arena = a, .text = text, .out = out, .table = out->root};
    if (str_starts(text, STR("\xEF\xBB\xBF")))
        p.at = 3;
    while (p.at < text.n) {
        if (read_line(&p))
            continue;
        size_t line = 1, column = 1;
        for (size_t i = 0; i < p.at; i++) {
            line += text.p[i] == '\n';
            column = text.p[i] == '\n' ? 1 : column + ((text.p[i] & 0xC0) != 0x80);
        }
        return err_set(err, ERR_INVALID, "line %zu, column %zu: %s", line, column,
                       p.wrong);
    }
    return true;
}

const struct json *toml_json(struct arena *a, const struct toml_node *node)
{
    struct json *j = ARENA_NEW(a, struct json), **end = &j->child;
    *j = (struct json){.type = node->type,
                       .n = node->n,
                       .raw = node->raw,
                       .text = node->text,
                       .key = node->key};
    for (const struct toml_node *m = node->child; m != NULL; m = m->next) {
        *end = (struct json *)toml_json(a, m);
        end = &(*end)->next;
    }
    return j;
}
