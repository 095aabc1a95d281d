#include "vault/ask/query.h"

#include "base/sbuf.h"
#include "base/text.h"

/* The position of a term decides what ends a word. */
enum query_place {
    OUTSIDE,
    IN_NAME,  /* of a property: up to ':' */
    IN_VALUE, /* of a property */
};

struct query_parser {
    struct arena *arena;
    str text; /* up to the end of the property being read, if any */
    size_t at;
    enum query_place place;
    unsigned groups; /* open ones */
    unsigned depth;
};

static const str operators[] = {
    STR("file"),        STR("path"), STR("content"),   STR("match-case"),
    STR("ignore-case"), STR("tag"),  STR("line"),      STR("block"),
    STR("section"),     STR("task"), STR("task-todo"), STR("task-done"),
};

static bool parse_or(struct query_parser *p, struct query **out, struct err *err);
static bool parse_term(struct query_parser *p, struct query **out, struct err *err);

static struct query *query_make(struct query_parser *p, enum query_kind kind, str text)
{
    struct query *q = ARENA_NEW(p->arena, struct query);
    q->kind = kind;
    q->text = text;
    return q;
}

/* The byte at offset i, 0 after the end. */
static char query_look(const struct query_parser *p, size_t i)
{
    return i < p->text.n ? p->text.p[i] : '\0';
}

/* A term cannot continue at i: the end, a space or a closing character. */
static bool query_is_end(const struct query_parser *p, size_t i)
{
    if (i >= p->text.n || text_space(p->text, i) > 0)
        return true;
    return (p->text.p[i] == ')' && p->groups > 0) ||
           (p->text.p[i] == ':' && p->place == IN_NAME);
}

/* The list at i is over. */
static bool query_is_over(const struct query_parser *p, size_t i)
{
    return i >= p->text.n || (query_is_end(p, i) && text_space(p->text, i) == 0);
}

static bool is_or(const struct query_parser *p, size_t i)
{
    return str_starts(str_skip(p->text, i), STR("OR")) && query_is_end(p, i + 2);
}

/* The closing quote of the phrase whose opening one is at i, or the end of s. */
static size_t quote_end(str s, size_t i)
{
    for (i++; i < s.n && s.p[i] != '"'; i++)
        if (s.p[i] == '\\' && i + 1 < s.n)
            i++;
    return i < s.n ? i : s.n;
}

/* The first slash from i on that is neither escaped nor in a class, or STR_NONE. */
static size_t find_slash(str s, size_t i)
{
    bool in_class = false;
    for (; i < s.n; i++) {
        if (s.p[i] == '\\')
            i++;
        else if (s.p[i] == '[' || s.p[i] == ']')
            in_class = s.p[i] == '[';
        else if (s.p[i] == '/' && !in_class)
            return i;
    }
    return STR_NONE;
}

/* The slash that closes the regex opened at i; nothing may follow it directly. */
static size_t regex_end(str s, size_t i)
{
    size_t end = find_slash(s, i + 1);
    while (end != STR_NONE && end + 1 < s.n && text_space(s, end + 1) == 0 &&
           str_find_char(STR(")]:"), s.p[end + 1]) == STR_NONE)
        end = find_slash(s, end + 1);
    return end == i + 1 ? STR_NONE : end;
}

/*
 * The bracket that closes the property opened at i, or STR_NONE. Brackets in between are
 * balanced; quotes and regexes are recognised only where a term may begin.
 */
static size_t property_end(str s, size_t i)
{
    unsigned open = 1;
    bool start = true;
    for (i++; i < s.n; i++) {
        char c = s.p[i];
        size_t end = c == '"' ? quote_end(s, i) : c == '/' ? regex_end(s, i) : STR_NONE;
        if (start && end != STR_NONE && end < s.n)
            i = end;
        else if (c == '\\')
            i++;
        else if (c == '[')
            open++;
        else if (c == ']' && --open == 0)
            return i;
        start = text_space(s, i) > 0 || c == ':' || c == '(' || c == '[' || c == '-' ||
                (start && (c == '<' || c == '>'));
    }
    return STR_NONE;
}

static bool deeper(struct query_parser *p, struct err *err)
{
    if (++p->depth <= QUERY_MAX_DEPTH)
        return true;
    return err_set(err, ERR_LIMIT, "the query is nested more than %d deep",
                   QUERY_MAX_DEPTH);
}

/* What is between the quotes, without escapes. */
static str unescape(struct arena *a, str raw)
{
    if (str_find_char(raw, '\\') == STR_NONE)
        return raw;
    struct sbuf b = SBUF_ON(a);
    for (size_t i = 0; i < raw.n; i++) {
        bool escape = raw.p[i] == '\\' && i + 1 < raw.n &&
                      (raw.p[i + 1] == '"' || raw.p[i + 1] == '\\');
        i += escape;
        sbuf_char(&b, raw.p[i]);
    }
    return sbuf_str(&b);
}

static struct query *parse_phrase(struct query_parser *p)
{
    size_t end = quote_end(p->text, p->at);
    str raw = str_slice(p->text, p->at + 1, end);
    p->at = end < p->text.n ? end + 1 : end;
    return query_make(p, QUERY_PHRASE, unescape(p->arena, raw));
}

/*
 * A word ends with a space or with whatever closes its surroundings; brackets that it
 * opens itself, as in f(x), belong to it.
 */
static struct query *query_parse_word(struct query_parser *p)
{
    size_t start = p->at;
    unsigned open = 0;
    for (; p->at < p->text.n && text_space(p->text, p->at) == 0; p->at++) {
        char c = p->text.p[p->at];
        if (c == '(')
            open++;
        else if (c == ')' && open > 0)
            open--;
        else if (p->at > start && query_is_end(p, p->at))
            break;
    }
    return query_make(p, QUERY_WORD, str_slice(p->text, start, p->at));
}

/* The text after < or >, which may be quoted as a whole. */
static struct query *parse_compare(struct query_parser *p, str text)
{
    char cmp = text.p[0];
    text = str_trim_line(str_skip(text, 1));
    if (text.n >= 2 && text.p[0] == '"' && quote_end(text, 0) == text.n - 1)
        text = unescape(p->arena, str_slice(text, 1, text.n - 1));
    struct query *q = query_make(p, QUERY_COMPARE, text);
    q->cmp = cmp;
    return q;
}

/* The value after the ':' of a property; NULL if there is none. */
static bool parse_value(struct query_parser *p, struct query **out, struct err *err)
{
    str rest = str_trim_line(str_skip(p->text, p->at));
    *out = NULL;
    if (rest.n == 0)
        return true;
    if (str_eq(rest, STR("null"))) {
        *out = query_make(p, QUERY_NULL, (str){0});
        return true;
    }
    if (rest.p[0] == '<' || rest.p[0] == '>') {
        *out = parse_compare(p, rest);
        return true;
    }
    p->place = IN_VALUE;
    return parse_or(p, out, err);
}

/* The property at p->at, whose closing bracket is at end. *out is NULL without a name. */
static bool parse_property(struct query_parser *p, size_t end, struct query **out,
                           struct err *err)
{
    struct query_parser inner = *p;
    inner.text = str_slice(p->text, 0, end);
    inner.at = p->at + 1;
    inner.place = IN_NAME;
    inner.groups = 0;
    struct query *name, *value = NULL;
    *out = NULL;
    if (!parse_or(&inner, &name, err))
        return false;
    if (name->kind == QUERY_AND && name->child == NULL)
        return true;
    if (inner.at < end) { /* it stopped at ':' */
        inner.at++;
        if (!parse_value(&inner, &value, err))
            return false;
    }
    *out = query_make(p, QUERY_PROPERTY, (str){0});
    (*out)->child = name;
    name->next = value;
    p->at = end + 1;
    return true;
}

/* The operator at p->at if a term follows its colon, at *after; else empty. */
static str operator_at(const struct query_parser *p, size_t *after)
{
    if (p->place == IN_NAME)
        return (str){0};
    str rest = str_skip(p->text, p->at);
    size_t colon = str_find_char(str_slice(rest, 0, 12), ':');
    if (colon == STR_NONE)
        return (str){0};
    *after = text_skip_spaces(p->text, p->at + colon + 1);
    if (query_is_over(p, *after) || is_or(p, *after))
        return (str){0};
    for (size_t i = 0; i < COUNT_OF(operators); i++)
        if (str_eq_nocase(operators[i], str_slice(rest, 0, colon)))
            return operators[i];
    return (str){0};
}

static bool parse_group(struct query_parser *p, struct query **out, struct err *err)
{
    p->at++;
    p->groups++;
    enum query_place place = p->place;
    if (place == IN_NAME)
        p->place = IN_VALUE; /* a colon in a group ends nothing */
    if (!parse_or(p, out, err))
        return false;
    p->place = place;
    p->groups--;
    p->at += query_look(p, p->at) == ')';
    return true;
}

/* A node with one child, the term at p->at. */
static bool parse_around(struct query_parser *p, enum query_kind kind, str text,
                         struct query **out, struct err *err)
{
    struct query *child;
    if (!parse_term(p, &child, err))
        return false;
    *out = query_make(p, kind, text);
    (*out)->child = child;
    return true;
}

/* The operator whose term is at that place. */
static bool parse_operator(struct query_parser *p, str name, size_t at,
                           struct query **out, struct err *err)
{
    bool apart =
        query_look(p, at - 1) != ':' || str_starts(str_skip(p->text, at), STR("//"));
    p->at = at;
    if (!parse_around(p, QUERY_OPERATOR, name, out, err))
        return false;
    (*out)->apart = apart;
    return true;
}

/* At p->at there is neither a space nor the end. */
static bool parse_plain_term(struct query_parser *p, struct query **out, struct err *err)
{
    char c = query_look(p, p->at);
    size_t end;
    if (c == '-' && !query_is_end(p, p->at + 1)) {
        p->at++;
        return parse_around(p, QUERY_NOT, (str){0}, out, err);
    }
    if (c == '(')
        return parse_group(p, out, err);
    if (c == '"') {
        *out = parse_phrase(p);
        return true;
    }
    if (c == '/' && (end = regex_end(p->text, p->at)) != STR_NONE) {
        *out = query_make(p, QUERY_REGEX, str_slice(p->text, p->at + 1, end));
        p->at = end + 1;
        return true;
    }
    if (c == '[' && query_look(p, p->at + 1) != '[' &&
        (end = property_end(p->text, p->at)) != STR_NONE && query_is_end(p, end + 1)) {
        if (!parse_property(p, end, out, err) || *out != NULL)
            return *out != NULL;
    }
    str name = operator_at(p, &end);
    if (name.n > 0)
        return parse_operator(p, name, end, out, err);
    *out = query_parse_word(p);
    return true;
}

static bool parse_term(struct query_parser *p, struct query **out, struct err *err)
{
    if (!deeper(p, err) || !parse_plain_term(p, out, err))
        return false;
    p->depth--;
    return true;
}

/* The children as one node of that kind, or the only child. */
static struct query *query_join(struct query_parser *p, enum query_kind kind,
                                struct query *children)
{
    if (children != NULL && children->next == NULL)
        return children;
    struct query *q = query_make(p, kind, (str){0});
    q->child = children;
    return q;
}

/* Whether a term follows the OR at p->at. */
static bool or_binds(const struct query_parser *p)
{
    return is_or(p, p->at) && !query_is_over(p, text_skip_spaces(p->text, p->at + 2));
}

static bool parse_and(struct query_parser *p, struct query **out, struct err *err)
{
    struct query *children = NULL, **last = &children;
    for (;;) {
        p->at = text_skip_spaces(p->text, p->at);
        if (query_is_over(p, p->at) || (children != NULL && or_binds(p)))
            break;
        if (!parse_term(p, last, err))
            return false;
        last = &(*last)->next;
    }
    *out = query_join(p, QUERY_AND, children);
    return true;
}

static bool parse_or(struct query_parser *p, struct query **out, struct err *err)
{
    struct query *children = NULL, **last = &children;
    for (;;) {
        if (!parse_and(p, last, err))
            return false;
        last = &(*last)->next;
        if (!or_binds(p))
            break;
        p->at += 2;
    }
    *out = query_join(p, QUERY_OR, children);
    return true;
}

bool query_parse(struct arena *a, str text, const struct query **out, struct err *err)
{
    if (text.n > QUERY_MAX_BYTES)
        return err_set(err, ERR_LIMIT, "the query is longer than %d bytes",
                       QUERY_MAX_BYTES);
    struct query_parser p = {.arena = a, .text = text};
    struct query *q;
    if (!parse_or(&p, &q, err))
        return false;
    *out = q;
    return true;
}

static enum query_intent intent_of_node(const struct query *q)
{
    switch (q->kind) {
    case QUERY_OPERATOR:
        return q->apart ? QUERY_MAY_BE : QUERY_MEANT;
    case QUERY_PROPERTY:
        return q->child->next == NULL ? QUERY_MAY_BE : QUERY_MEANT;
    case QUERY_OR:
        return QUERY_MAY_BE;
    default:
        return QUERY_NOT_MEANT;
    }
}

enum query_intent query_intent(const struct query *q)
{
    enum query_intent most = intent_of_node(q);
    for (const struct query *c = q->child; c != NULL; c = c->next) {
        enum query_intent intent = query_intent(c);
        most = intent > most ? intent : most;
    }
    return most;
}
