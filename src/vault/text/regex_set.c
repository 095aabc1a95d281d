/*
 * Writes a class as one atom: a union as one bracket, and what PCRE2's brackets cannot
 * express as look-ahead:
 *
 *     [A&&B]  (?:(?=A)B)        [A~~B]    (?:(?!B)A|(?!A)B)
 *     [A--B]  (?:(?!B)A)        [a[^bc]]  (?:[a]|[^bc\n])
 *
 * No class contains the line feed, because rg removes it from every class, unless matches
 * may span lines (feeds).
 */
#include "vault/text/regex_rust.h"

static void write_set(struct sbuf *b, const struct rust_set *s, bool negated, bool feeds);

/* A part of a union that cannot be written inside its bracket. */
static bool is_apart(const struct rust_set *s)
{
    if (s->kind == SET_LEAF)
        return s->negated && s->other.n == 0;
    return s->kind != SET_UNION || s->negated;
}

/* The inside of a union's bracket. */
static void write_body(struct sbuf *b, const struct rust_set *s, bool *breaks)
{
    if (s->kind == SET_LEAF) {
        sbuf_add(b, s->negated ? s->other : s->body);
        *breaks |= s->negated || s->breaks;
        return;
    }
    for (const struct rust_set *c = s->first; c != NULL; c = c->next)
        if (!is_apart(c))
            write_body(b, c, breaks);
}

/* The other parts of a union, as alternatives; each begins with a '|'. */
static void write_apart(struct sbuf *b, const struct rust_set *s, bool feeds)
{
    for (const struct rust_set *c = s->first; c != NULL; c = c->next) {
        if (is_apart(c)) {
            sbuf_char(b, '|');
            write_set(b, c, false, feeds);
        } else if (c->kind == SET_UNION) {
            write_apart(b, c, feeds);
        }
    }
}

/* body is one property, which needs no bracket. */
static bool is_one_property(str body)
{
    return body.n > 3 && body.p[0] == '\\' && (body.p[1] | 0x20) == 'p' &&
           str_find_char(body, '}') == body.n - 1;
}

static void write_bracket(struct sbuf *b, str body, bool breaks)
{
    if (body.n == 0)
        sbuf_add(b, STR("[^\\s\\S]")); /* matches nothing */
    else if (breaks)
        sbuf_printf(b, "(?:(?!\\n)[" STR_FMT "])", STR_ARG(body));
    else if (is_one_property(body))
        sbuf_add(b, body);
    else
        sbuf_printf(b, "[" STR_FMT "]", STR_ARG(body));
}

static void write_union(struct sbuf *b, const struct rust_set *s, bool negated,
                        bool feeds)
{
    struct sbuf body = SBUF_ON(b->arena), apart = SBUF_ON(b->arena);
    bool breaks = false;
    if (s->kind == SET_LEAF) {
        sbuf_add(&body, s->body);
        breaks = s->breaks;
    } else {
        write_body(&body, s, &breaks);
        write_apart(&apart, s, feeds);
    }
    str rest = str_skip(sbuf_str(&apart), 1);
    const char *feed = feeds ? "" : "\\n";
    breaks &= !feeds;
    if (negated && body.n == 0 && feeds)
        sbuf_printf(b, "(?:(?!" STR_FMT ")(?s:.))", STR_ARG(rest));
    else if (negated && rest.n == 0)
        sbuf_printf(b, "[^" STR_FMT "%s]", STR_ARG(sbuf_str(&body)), feed);
    else if (negated)
        sbuf_printf(b, "(?:(?!" STR_FMT ")[^" STR_FMT "%s])", STR_ARG(rest),
                    STR_ARG(sbuf_str(&body)), feed);
    else if (rest.n == 0)
        write_bracket(b, sbuf_str(&body), breaks);
    else {
        sbuf_add(b, STR("(?:"));
        if (body.n > 0) {
            write_bracket(b, sbuf_str(&body), breaks);
            sbuf_char(b, '|');
        }
        sbuf_add(b, rest);
        sbuf_char(b, ')');
    }
}

static void write_pair(struct sbuf *b, str ahead, const struct rust_set *tested,
                       const struct rust_set *taken, bool feeds)
{
    sbuf_add(b, ahead);
    write_set(b, tested, false, feeds);
    sbuf_char(b, ')');
    write_set(b, taken, false, feeds);
}

static void write_set(struct sbuf *b, const struct rust_set *s, bool negated, bool feeds)
{
    if (b->n > RUST_OUT_MAX)
        return; /* the caller checks it */
    negated ^= s->negated;
    const struct rust_set *left = s->first, *right = left != NULL ? left->next : NULL;
    if (s->kind == SET_LEAF || s->kind == SET_UNION) {
        write_union(b, s, negated, feeds);
        return;
    }
    sbuf_add(b, negated ? STR("(?:(?!") : STR("(?:"));
    if (s->kind == SET_AND)
        write_pair(b, STR("(?="), left, right, feeds);
    else
        write_pair(b, STR("(?!"), right, left, feeds);
    if (s->kind == SET_XOR) {
        sbuf_char(b, '|');
        write_pair(b, STR("(?!"), left, right, feeds);
    }
    sbuf_add(b, !negated ? STR(")") : feeds ? STR(")(?s:.))") : STR(").)"));
}

/* What a tree contains. */
struct regex_set_found {
    bool operators, negated, double_negated, all, wide;
};

static void regex_set_look(const struct rust_set *s, bool inside_negated,
                           struct regex_set_found *f)
{
    f->operators |= s->kind > SET_UNION;
    f->negated |= s->negated;
    f->double_negated |= s->negated && inside_negated;
    f->all |= s->all;
    f->wide |= s->kind == SET_LEAF && !s->plain;
    for (const struct rust_set *c = s->first; c != NULL && s->kind != SET_LEAF;
         c = c->next)
        regex_set_look(c, inside_negated || s->negated, f);
}

bool rust_write_set(struct rust_parser *p, const struct rust_set *set, size_t at)
{
    struct regex_set_found f = {0};
    struct rust_program *program = p->program;
    bool unicode = p->flags & RUST_UNICODE;
    regex_set_look(set, false, &f);
    program->wide = true;
    if (!unicode && f.negated)
        program->bytes = true; /* it matches bytes */
    if (unicode && p->options->target == RUST_BYTES &&
        (f.negated || f.wide || f.operators))
        return rust_fail(p, at, "cannot be mixed with (?-u) bytes");

    struct sbuf b = SBUF_ON(p->arena);
    write_set(&b, set, false, p->options->feeds);
    if (b.n > RUST_OUT_MAX)
        return err_set(p->err, ERR_LIMIT, "the regular expression is too large");
    if (f.operators || (f.negated && (f.double_negated || f.all))) {
        if (program->n_checks == RUST_CHECKS_MAX)
            return err_set(p->err, ERR_LIMIT,
                           "more than %d class operations in the "
                           "regular expression",
                           RUST_CHECKS_MAX);
        str text = sbuf_str(&b);
        if (p->caseless)
            text = arena_printf(p->arena, "(?i)" STR_FMT, STR_ARG(text));
        program->checks[program->n_checks++] = (struct rust_check){at, text};
    } else if (p->options->target == RUST_UTF && str_eq(sbuf_str(&b), STR("[^\\s\\S]"))) {
        return rust_fail(p, at,
                         "a line break cannot be matched: lines are searched one "
                         "by one");
    }
    if (p->options->feeds && p->options->takes != NULL)
        program->spans |= p->options->takes(sbuf_str(&b), p->caseless, '\n');
    sbuf_add(&p->out, sbuf_str(&b));
    return true;
}
