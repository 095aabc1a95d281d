/*
 * The structure of a pattern: alternatives, groups, repetition, flags. Follows
 * regex-syntax 0.6's ast::parser step by step, so that positions and oddities agree.
 * There is no tree: the output is written while the pattern is read.
 */
#include "vault/text/regex_rust.h"

#include <math.h>
#include <stdio.h>

#include "base/text.h"
#include "base/utf8.h"

static bool parse_alternatives(struct rust_parser *p, struct rust_part *out);

static bool read_simple_repeat(struct rust_parser *p, struct rust_concat *c)
{
    size_t at = p->at;
    uint32_t op = rust_char(p);
    if (!c->have)
        return rust_fail(p, at, "repetition operator missing expression");
    bool greedy = true;
    if (rust_bump(p) && rust_char(p) == '?') {
        greedy = false;
        rust_bump(p);
    }
    return rust_repeat(p, c, op == '+', op == '?' ? 1 : UINT32_MAX,
                       str_slice(p->in, at, at + 1), greedy);
}

/* Spaces are allowed around a count with and without (?x). */
static bool read_decimal(struct rust_parser *p, uint32_t *out)
{
    while (!rust_ended(p) && rust_is_blank(rust_char(p)))
        rust_bump(p);
    size_t start = p->at;
    uint64_t value = 0;
    bool any = false;
    while (!rust_ended(p) && rust_char(p) >= '0' && rust_char(p) <= '9') {
        value = value * 10 + (rust_char(p) - '0');
        if (value > UINT32_MAX)
            return rust_fail(p, start, "decimal literal invalid");
        any = true;
        rust_bump_blanks(p);
    }
    while (!rust_ended(p) && rust_is_blank(rust_char(p)))
        rust_bump(p);
    if (!any)
        return rust_fail(p, start, "repetition quantifier expects a valid decimal");
    *out = (uint32_t)value;
    return true;
}

static bool read_counted_repeat(struct rust_parser *p, struct rust_concat *c)
{
    size_t start = p->at;
    uint32_t min, max;
    if (!c->have)
        return rust_fail(p, start, "repetition operator missing expression");
    if (!rust_bump_blanks(p))
        return rust_fail(p, start, "unclosed counted repetition");
    if (!read_decimal(p, &min))
        return false;
    max = min;
    if (rust_char(p) == ',') {
        if (!rust_bump_blanks(p))
            return rust_fail(p, start, "unclosed counted repetition");
        max = UINT32_MAX;
        if (rust_char(p) != '}' && !read_decimal(p, &max))
            return false;
    }
    if (rust_char(p) != '}')
        return rust_fail(p, start, "unclosed counted repetition");
    bool greedy = true;
    if (rust_bump_blanks(p) && rust_char(p) == '?') {
        greedy = false;
        rust_bump(p);
    }
    if (min > max)
        return rust_fail(p, start,
                         "invalid repetition count range, the start must be <= the end");
    if (min > RUST_REPEAT_MAX || (max > RUST_REPEAT_MAX && max != UINT32_MAX))
        return err_set(p->err, ERR_LIMIT,
                       "repetition count above %d in the regular "
                       "expression",
                       RUST_REPEAT_MAX);
    char text[32];
    int n = max == UINT32_MAX ? snprintf(text, sizeof(text), "{%u,}", min)
            : min == max      ? snprintf(text, sizeof(text), "{%u}", min)
                              : snprintf(text, sizeof(text), "{%u,%u}", min, max);
    return rust_repeat(p, c, min, max, (str){text, (size_t)n}, greedy);
}

static unsigned flag_of(uint32_t c)
{
    switch (c) {
    case 'i':
        return RUST_NOCASE;
    case 'm':
        return RUST_LINES;
    case 's':
        return RUST_DOT_ALL;
    case 'U':
        return RUST_SWAP_GREED;
    case 'u':
        return RUST_UNICODE;
    case 'x':
        return RUST_BLANKS;
    default:
        return 0;
    }
}

/* Up to the ':' or ')', where the cursor stays. */
static bool read_flags(struct rust_parser *p, unsigned *flags, bool *any)
{
    unsigned seen = 0;
    bool off = false, dangling = false;
    *any = false;
    while (rust_char(p) != ':' && rust_char(p) != ')') {
        unsigned flag = flag_of(rust_char(p));
        dangling = rust_char(p) == '-';
        *any = true;
        if (dangling && off)
            return rust_fail(p, p->at, "flag negation operator repeated");
        if (!dangling && flag == 0)
            return rust_fail(p, p->at, "unrecognized flag");
        if (seen & flag)
            return rust_fail(p, p->at, "duplicate flag");
        off |= dangling;
        seen |= flag;
        *flags = off ? *flags & ~flag : *flags | flag;
        if (!rust_bump(p))
            return rust_fail(p, p->at, "expected flag but got end of regex");
    }
    return !dangling || rust_fail(p, p->at - 1, "dangling flag negation operator");
}

static void add_group(struct rust_parser *p, str name)
{
    sbuf_add(&p->names, name);
    sbuf_char(&p->names, '\0');
    p->groups++;
}

/* The cursor is after "?P<". */
static bool read_group_name(struct rust_parser *p)
{
    size_t start = p->at;
    while (!rust_ended(p) && rust_char(p) != '>') {
        uint32_t c = rust_char(p);
        bool letter = c == '_' || is_letter((int)c);
        bool later = is_digit((int)c) || c == '.' || c == '[' || c == ']';
        if (!letter && !(later && p->at > start))
            return rust_fail(p, p->at, "invalid capture group character");
        rust_bump(p);
    }
    if (rust_ended(p))
        return rust_fail(p, p->at, "unclosed capture group name");
    str name = str_slice(p->in, start, p->at);
    rust_bump(p);
    if (name.n == 0)
        return rust_fail(p, start, "empty capture group name");
    str rest = sbuf_str(&p->names), other;
    while (rest.n > 0 && str_next(&rest, '\0', &other))
        if (str_eq(name, other))
            return rust_fail(p, start, "duplicate capture group name");
    add_group(p, name);
    return true;
}

static bool bump_if(struct rust_parser *p, str text)
{
    if (!str_starts(str_skip(p->in, p->at), text))
        return false;
    p->at += text.n;
    return true;
}

/*
 * The head of a group. *set_only: it is not a group, but only sets flags for what
 * follows.
 */
static bool read_group_head(struct rust_parser *p, bool *set_only)
{
    size_t open = p->at;
    *set_only = false;
    rust_bump_blanks(p);
    if (bump_if(p, STR("?=")) || bump_if(p, STR("?!")) || bump_if(p, STR("?<=")) ||
        bump_if(p, STR("?<!")))
        return rust_fail(p, open,
                         "look-around, including look-ahead and look-behind, is "
                         "not supported");
    if (bump_if(p, STR("?P<")))
        return read_group_name(p);
    size_t inner = p->at;
    if (!bump_if(p, STR("?"))) {
        add_group(p, (str){0});
        return true;
    }
    if (rust_ended(p))
        return rust_fail(p, open, "unclosed group");
    bool any;
    if (!read_flags(p, &p->flags, &any))
        return false;
    *set_only = rust_char(p) == ')';
    if (*set_only && !any)
        return rust_fail(p, inner, "repetition operator missing expression");
    rust_bump(p);
    return true;
}

static bool read_group(struct rust_parser *p, struct rust_concat *c)
{
    size_t open = p->at;
    unsigned outer = p->flags, groups = p->groups;
    bool set_only, caseless = p->caseless;
    if (!read_group_head(p, &set_only))
        return false;
    if (set_only) {
        c->have = false;
        return true;
    }
    if (++p->depth > RUST_DEPTH_MAX)
        return err_set(p->err, ERR_LIMIT, "the regular expression is nested too deeply");
    rust_begin_other(p, c);
    bool captures = p->options->captures && p->groups > groups;
    sbuf_add(&p->out, captures ? STR("(") : STR("(?:"));
    if (!parse_alternatives(p, &c->last))
        return false;
    if (rust_ended(p))
        return rust_fail(p, open, "unclosed group");
    rust_bump(p);
    sbuf_char(&p->out, ')');
    if (p->options->guard && c->last.choices > 0)
        sbuf_add(&p->out, STR("(?C1)"));
    c->single = !p->options->guard;
    c->group = true;
    p->flags = outer;
    p->caseless = caseless;
    p->depth--;
    return true;
}

static bool parse_concat(struct rust_parser *p, struct rust_part *out)
{
    struct rust_concat c = {.pure = true, .run = SBUF_ON(p->arena)};
    for (;;) {
        rust_skip_blanks(p);
        uint32_t ch = rust_char(p);
        if (rust_ended(p) || ch == '|' || ch == ')')
            break;
        bool ok = ch == '('                             ? read_group(p, &c)
                  : ch == '*' || ch == '+' || ch == '?' ? read_simple_repeat(p, &c)
                  : ch == '{'                           ? read_counted_repeat(p, &c)
                                                        : rust_read_primitive(p, &c);
        if (!ok)
            return false;
        if (p->out.n > RUST_OUT_MAX)
            return err_set(p->err, ERR_LIMIT, "the regular expression is too large");
    }
    rust_finish_concat(p, &c);
    *out = c.sum;
    return true;
}

/* Join the words of two alternatives, if both are words. */
static void join_words(struct rust_parser *p, struct rust_part *sum,
                       const struct rust_part *more)
{
    size_t n = sum->n_words + more->n_words;
    if (sum->n_words == 0 || more->n_words == 0 || n > RUST_WORDS_MAX ||
        sum->words_nocase != more->words_nocase) {
        sum->n_words = 0;
        return;
    }
    str *words = ARENA_ARRAY(p->arena, str, n);
    memcpy(words, sum->words, sum->n_words * sizeof(*words));
    memcpy(words + sum->n_words, more->words, more->n_words * sizeof(*words));
    sum->words = words;
    sum->n_words = n;
}

/* Up to the end or the ')', where the cursor stays. */
static bool parse_alternatives(struct rust_parser *p, struct rust_part *out)
{
    unsigned n = 1;
    if (!parse_concat(p, out))
        return false;
    for (; !rust_ended(p) && rust_char(p) == '|'; n++) {
        struct rust_part more;
        rust_bump(p);
        sbuf_char(&p->out, '|');
        if (!parse_concat(p, &more))
            return false;
        join_words(p, out, &more);
        out->choices = fmax(out->choices, more.choices);
        out->repeats = more.repeats > out->repeats ? more.repeats : out->repeats;
        out->needed = (str){0};
        out->never_ascii &= more.never_ascii;
        out->forks = true;
    }
    out->choices = fmin(out->choices + log2(n), RUST_CHOICES_MANY);
    if (out->repeats > RUST_REPEATS_MANY)
        out->repeats = RUST_REPEATS_MANY;
    return true;
}

bool rust_translate(struct arena *a, str pattern, const struct rust_options *options,
                    struct rust_program *out, struct err *err)
{
    struct rust_program program = {0};
    struct rust_parser p = {
        .arena = a,
        .err = err,
        .in = pattern,
        .flags = RUST_UNICODE | RUST_LINES | (options->nocase ? RUST_NOCASE : 0),
        .options = options,
        .program = &program,
        .out = SBUF_ON(a),
        .names = SBUF_ON(a),
    };
    struct rust_part part;
    if (!utf8_valid(pattern))
        return rust_fail(&p, utf8_valid_prefix(pattern),
                         "the pattern is not valid UTF-8");
    if (!parse_alternatives(&p, &part))
        return false;
    if (!rust_ended(&p))
        return rust_fail(&p, p.at, "unopened group");
    program.text = arena_str(a, sbuf_str(&p.out));
    program.group_names = arena_str(a, sbuf_str(&p.names));
    program.n_groups = p.groups;
    program.words = part.words;
    program.n_words = part.n_words;
    program.words_nocase = part.words_nocase;
    program.needed = part.needed;
    program.needed_nocase = part.needed_nocase;
    program.never_ascii = part.never_ascii;
    program.choices = part.choices;
    program.repeats = part.repeats;
    *out = program;
    return true;
}
