#include "base/sbuf.h"
#include "vault/ask/query.h"

enum place {
    OUTSIDE,
    IN_NAME, /* of a property, where a colon ends it */
    IN_PROPERTY,
};

static void print(struct sbuf *b, const struct query *q, enum place place);

static bool query_print_has_any(str s, const char *chars)
{
    for (; *chars != '\0'; chars++)
        if (str_find_char(s, *chars) != STR_NONE)
            return true;
    return false;
}

/* Whether a word is parsed as the same word in any position. */
static bool is_plain_word(str w, enum place place)
{
    if (w.n == 0 || query_print_has_any(w, "()[]\"\\ \t\n\v\f\r") ||
        query_print_has_any(str_slice(w, 0, 1), "-/<>"))
        return false;
    if (str_find(w, STR("\u00A0")) != STR_NONE ||
        str_find(w, STR("\u202F")) != STR_NONE || str_find(w, STR("\u3000")) != STR_NONE)
        return false;
    if (query_print_has_any(w, ":") &&
        (place != OUTSIDE || !query_print_has_any(str_slice(w, 0, 1), "0123456789")))
        return false;
    return !str_eq(w, STR("OR")) && !str_eq(w, STR("null"));
}

static void print_phrase(struct sbuf *b, str s)
{
    sbuf_char(b, '"');
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] == '"' || s.p[i] == '\\')
            sbuf_char(b, '\\');
        sbuf_char(b, s.p[i]);
    }
    sbuf_char(b, '"');
}

/* As a single term: in brackets if necessary. */
static void print_term(struct sbuf *b, const struct query *q, enum place place)
{
    bool group = q->kind == QUERY_AND || q->kind == QUERY_OR ||
                 (q->kind == QUERY_OPERATOR && place == IN_NAME);
    if (!group) {
        print(b, q, place);
        return;
    }
    sbuf_char(b, '(');
    print(b, q, place == IN_NAME ? IN_PROPERTY : place);
    sbuf_char(b, ')');
}

static void print_list(struct sbuf *b, const struct query *q, enum place place)
{
    bool is_or = q->kind == QUERY_OR;
    for (const struct query *c = q->child; c != NULL; c = c->next) {
        if (c != q->child)
            sbuf_add(b, is_or ? STR(" OR ") : STR(" "));
        if (is_or && c->kind == QUERY_AND && c->child != NULL)
            print(b, c, place);
        else
            print_term(b, c, place);
    }
}

static void print_property(struct sbuf *b, const struct query *q)
{
    const struct query *name = q->child, *value = name->next;
    sbuf_char(b, '[');
    size_t start = b->n;
    if (name->kind == QUERY_OPERATOR)
        print_term(b, name, IN_NAME);
    else
        print(b, name, IN_NAME);
    if (b->p[start] == '[') { /* [[ does not begin a property */
        sbuf_char(b, ' ');
        memmove(b->p + start + 1, b->p + start, b->n - start - 1);
        b->p[start] = ' ';
    }
    if (value != NULL) {
        sbuf_char(b, ':');
        if (value->kind == QUERY_AND && value->child == NULL)
            print_term(b, value, IN_PROPERTY);
        else
            print(b, value, IN_PROPERTY);
    }
    sbuf_char(b, ']');
}

static void print_compare(struct sbuf *b, const struct query *q)
{
    sbuf_char(b, q->cmp);
    if (query_print_has_any(q->text, "()[]\"\\/ \t\n\v\f\r") || q->text.n == 0)
        print_phrase(b, q->text);
    else
        sbuf_add(b, q->text);
}

static void print(struct sbuf *b, const struct query *q, enum place place)
{
    switch (q->kind) {
    case QUERY_WORD:
        if (is_plain_word(q->text, place))
            sbuf_add(b, q->text);
        else
            print_phrase(b, q->text);
        break;
    case QUERY_PHRASE:
        print_phrase(b, q->text);
        break;
    case QUERY_REGEX:
        sbuf_char(b, '/');
        sbuf_add(b, q->text);
        sbuf_char(b, '/');
        break;
    case QUERY_AND:
    case QUERY_OR:
        print_list(b, q, place);
        break;
    case QUERY_NOT:
        sbuf_char(b, '-');
        print_term(b, q->child, place);
        break;
    case QUERY_OPERATOR:
        sbuf_add(b, q->text);
        sbuf_char(b, ':');
        print_term(b, q->child, place);
        break;
    case QUERY_PROPERTY:
        print_property(b, q);
        break;
    case QUERY_NULL:
        sbuf_add(b, STR("null"));
        break;
    case QUERY_COMPARE:
        print_compare(b, q);
        break;
    }
}

str query_print(struct arena *a, const struct query *q)
{
    struct sbuf b = SBUF_ON(a);
    print(&b, q, OUTSIDE);
    return sbuf_str(&b);
}
