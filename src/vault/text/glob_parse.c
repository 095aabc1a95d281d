/*
 * Compiles a glob to states. The semantics are those of globset 0.4, which rg 13 is built
 * on. A state is followed by the one added after it unless next or next2 say otherwise.
 */
#include "vault/text/glob_states.h"

#include "base/utf8.h"

struct glob_parser {
    struct arena *arena;
    struct err *err;
    str whole, in;
    size_t at;
    struct glob_state *states;
    size_t n;
    bool braces;
    size_t branch; /* the fork of the alternative being read */
    uint16_t exits[GLOB_MAX_BYTES];
    size_t n_exits;
    uint32_t previous; /* the character before; 0 at the start */
};

static bool glob_parse_fail(struct glob_parser *p, const char *what)
{
    return err_set(p->err, ERR_INVALID, "invalid glob '" STR_FMT "': %s",
                   STR_ARG(str_slice(p->whole, 0, 120)), what);
}

/* Add a state that is followed by the next one added. */
static struct glob_state *glob_parse_add(struct glob_parser *p, enum glob_kind kind)
{
    struct glob_state *s = &p->states[p->n++];
    *s = (struct glob_state){
        .kind = kind, .next = (uint16_t)p->n, .next2 = (uint16_t)p->n};
    return s;
}

static void glob_parse_add_char(struct glob_parser *p, uint32_t c)
{
    glob_parse_add(p, GLOB_TAKE_CHAR)->c = c;
}

/* kind, any number of times. */
static void add_many(struct glob_parser *p, enum glob_kind kind)
{
    size_t fork = p->n;
    glob_parse_add(p, GLOB_FORK);
    glob_parse_add(p, kind)->next = (uint16_t)fork;
    p->states[fork].next2 = (uint16_t)p->n;
}

/* Nothing, or anything that ends with '/'. */
static void glob_parse_add_folders(struct glob_parser *p)
{
    size_t fork = p->n;
    glob_parse_add(p, GLOB_FORK);
    add_many(p, GLOB_TAKE_ANY);
    glob_parse_add_char(p, '/');
    p->states[fork].next2 = (uint16_t)p->n;
}

static uint32_t peek(const struct glob_parser *p)
{
    size_t n;
    return p->at < p->in.n ? utf8_decode(str_skip(p->in, p->at), &n) : 0;
}

static uint32_t glob_parse_take(struct glob_parser *p)
{
    size_t n = 0;
    uint32_t c = p->at < p->in.n ? utf8_decode(str_skip(p->in, p->at), &n) : 0;
    p->at += n;
    return c;
}

static bool parse_class(struct glob_parser *p)
{
    struct glob_range *r = ARENA_ARRAY(p->arena, struct glob_range, p->in.n - p->at + 1);
    uint16_t n = 0;
    bool negated = peek(p) == '!' || peek(p) == '^', in_range = false;
    if (negated)
        glob_parse_take(p);
    for (bool first = true;; first = false) {
        if (p->at >= p->in.n)
            return glob_parse_fail(p, "unclosed character class; missing ']'");
        uint32_t c = glob_parse_take(p);
        if (c == ']' && !first)
            break;
        if (c == '-' && !first && !in_range) {
            in_range = true;
            continue;
        }
        if (in_range) {
            r[n - 1].to = c;
            if (c < r[n - 1].from)
                return glob_parse_fail(p, "invalid character range");
        } else {
            r[n++] = (struct glob_range){c, c};
        }
        in_range = false;
    }
    if (in_range)
        r[n++] = (struct glob_range){'-', '-'};
    struct glob_state *s = glob_parse_add(p, GLOB_TAKE_CLASS);
    s->ranges = r;
    s->n_ranges = n;
    s->negated = negated;
    return true;
}

/* The cursor is after a '*'; before is the character before the '*'. */
static void parse_star(struct glob_parser *p, uint32_t before)
{
    if (peek(p) != '*') {
        add_many(p, GLOB_TAKE_NAME);
        return;
    }
    glob_parse_take(p);
    uint32_t after = peek(p);
    bool opens = p->braces && (before == ',' || before == '{');
    bool starts = p->n == 0 || before == '/' || opens;
    bool ends = after == 0 || (p->braces && !opens && (after == ',' || after == '}'));
    if (!starts || !(ends || after == '/')) {
        add_many(p, GLOB_TAKE_NAME); /* not a whole name: the same as one star */
    } else if (after == '/') {
        glob_parse_take(p);
        glob_parse_add_folders(p);
    } else {
        add_many(p, GLOB_TAKE_ANY);
    }
}

/* End an alternative: its exit is patched to continue after the braces. */
static void end_branch(struct glob_parser *p)
{
    if (p->states[p->branch].next == p->n) {
        p->states[p->branch].next = p->states[p->branch].next2 =
            UINT16_MAX; /* an empty alternative matches nothing */
        return;
    }
    p->exits[p->n_exits++] = (uint16_t)p->n;
    glob_parse_add(p, GLOB_FORK);
}

static void begin_branch(struct glob_parser *p)
{
    p->branch = p->n;
    glob_parse_add(p, GLOB_FORK);
}

static bool parse_brace(struct glob_parser *p, uint32_t c)
{
    if (c == '{') {
        if (p->braces)
            return glob_parse_fail(p, "nested alternate groups are not allowed");
        p->braces = true;
        p->n_exits = 0;
        begin_branch(p);
        return true;
    }
    if (c == '}' && !p->braces)
        return true; /* rg ignores it */
    size_t branch = p->branch;
    end_branch(p);
    if (c == ',') {
        begin_branch(p);
        p->states[branch].next2 = (uint16_t)p->branch;
        return true;
    }
    p->braces = false;
    if (p->n_exits == 0) /* "{}" and "{,}" match the empty string */
        p->states[branch].next = p->states[branch].next2 = (uint16_t)p->n;
    else
        p->states[branch].next2 = UINT16_MAX;
    for (size_t i = 0; i < p->n_exits; i++)
        p->states[p->exits[i]].next = p->states[p->exits[i]].next2 = (uint16_t)p->n;
    return true;
}

static bool parse_states(struct glob_parser *p)
{
    while (p->at < p->in.n) {
        uint32_t before = p->previous, c = glob_parse_take(p);
        p->previous = c;
        if (c == '*') {
            parse_star(p, before);
            p->previous = p->at > 0 ? (uint8_t)p->in.p[p->at - 1] : 0;
        } else if (c == '?') {
            glob_parse_add(p, GLOB_TAKE_NAME);
        } else if (c == '[') {
            if (!parse_class(p))
                return false;
        } else if (c == '{' || c == '}' || (c == ',' && p->braces)) {
            if (!parse_brace(p, c))
                return false;
        } else if (c == '\\') {
            if (p->at >= p->in.n)
                return glob_parse_fail(p, "dangling '\\'");
            glob_parse_add_char(p, glob_parse_take(p));
        } else {
            glob_parse_add_char(p, c);
        }
    }
    return !p->braces || glob_parse_fail(p, "unclosed alternate group; missing '}'");
}

bool glob_parse(struct arena *a, str whole, str text, struct glob_states *out,
                struct err *err)
{
    struct glob_parser p = {.arena = a, .err = err, .whole = whole, .in = text};
    p.states = ARENA_ARRAY(a, struct glob_state, size_mul(text.n + 1, 5));
    if (!parse_states(&p))
        return false;
    glob_parse_add(&p, GLOB_DONE);
    *out = (struct glob_states){p.states, (uint16_t)p.n};
    return true;
}
