/*
 * Atoms of a pattern and their repetition.
 *
 * While the PCRE2 pattern is written, this file also keeps what the engine's shortcuts
 * need (struct rust_part): the words a part consists of, the text that every match
 * contains, and an upper bound for backtracking. A run is the literal text since the last
 * atom that is not a plain character. The bound is 2^choices * (line length)^repeats:
 * "x?" doubles the work, and each unbounded repetition multiplies it by the length of the
 * line. Both are estimates from above; a bound too large only means that the slower GUARD
 * program runs.
 */
#include "base/text.h"
#include "vault/text/regex_rust.h"

#include <math.h>

#include "base/utf8.h"

static void keep_needed(struct rust_part *part, str text, bool nocase)
{
    if (text.n > part->needed.n) {
        part->needed = text;
        part->needed_nocase = nocase;
    }
}

static void end_run(struct rust_parser *p, struct rust_concat *c)
{
    keep_needed(&c->sum, arena_str(p->arena, sbuf_str(&c->run)), c->run_nocase);
    c->run.n = 0;
    c->run_last = 0;
}

/* The last atom is complete: add what is known about it to the sum. */
static void regex_atom_settle(struct rust_concat *c)
{
    c->sum.choices += c->last.choices;
    c->sum.repeats += c->last.repeats;
    c->sum.never_ascii |= c->last.never_ascii;
    c->sum.forks |= c->last.forks;
    keep_needed(&c->sum, c->last.needed, c->last.needed_nocase);
}

/*
 * ch comes next. If the repeated atom before it cannot match ch, there is only one way to
 * match both, so the repetition costs no backtracking: "\w+,".
 */
static void free_choices(struct rust_parser *p, struct rust_concat *c, uint32_t ch)
{
    c->freed_choices = c->freed_repeats = 0;
    if (c->repeated.n == 0 || p->options->takes == NULL ||
        p->options->takes(c->repeated, p->caseless || (p->flags & RUST_NOCASE), ch))
        return;
    c->freed_choices = c->last.choices;
    c->freed_repeats = c->last.repeats;
    c->last.choices = c->last.repeats = 0;
}

/*
 * Begin an atom at the end of the output. PCRE2 10.42's JIT code misses matches if a
 * repeated atom follows alternatives, "(1|)b*1" in "1" (PCRE2 issue 336). An empty
 * assertion between them prevents the faulty optimization.
 */
static void begin_atom(struct rust_parser *p, struct rust_concat *c)
{
    if (c->last.forks)
        sbuf_add(&p->out, STR("(?=)"));
    regex_atom_settle(c);
    c->last = (struct rust_part){0};
    c->atoms++;
    c->have = c->single = true;
    c->word_end = c->group = false;
    c->repeated = (str){0};
    c->stacked = 0;
    c->start = p->out.n;
}

/* Begin an atom that is not a plain character, so the run of literal text ends. */
void rust_begin_other(struct rust_parser *p, struct rust_concat *c)
{
    begin_atom(p, c);
    end_run(p, c);
    c->pure = false;
    c->freed_choices = c->freed_repeats = 0;
}

/*
 * Add a character to the run. If case is ignored, only ASCII has spellings that needles.h
 * knows, so any other character ends the run.
 */
static void run_add(struct rust_parser *p, struct rust_concat *c, uint32_t ch,
                    bool nocase)
{
    char utf8[4];
    bool letter = ch >= 0x80 || is_letter((int)ch);
    bool changed = letter && c->run.n > 0 && nocase != c->run_nocase;
    if (changed || (nocase && ch >= 0x80))
        c->pure = false;
    if (changed)
        end_run(p, c);
    if (nocase && ch >= 0x80) {
        end_run(p, c);
        return;
    }
    if (letter || c->run.n == 0)
        c->run_nocase = nocase;
    c->run_last = utf8_encode(ch, utf8);
    sbuf_add(&c->run, (str){utf8, c->run_last});
}

static void write_bytes(struct sbuf *b, uint32_t c)
{
    char utf8[4];
    size_t n = utf8_encode(c, utf8);
    sbuf_add(b, STR("(?:"));
    for (size_t i = 0; i < n; i++)
        sbuf_printf(b, "\\x%02x", (unsigned char)utf8[i]);
    sbuf_char(b, ')');
}

/*
 * Spell a letter out in both cases, where the engine's caseless mode would match too much
 * or too little.
 */
static void write_both_cases(struct sbuf *b, uint32_t c, bool unicode)
{
    uint32_t low = c | 0x20;
    bool more = unicode && (low == 'k' || low == 's');
    sbuf_printf(b, more ? "(?:[%c%c]|%s)" : "[%c%c]", (int)low, (int)low - 0x20,
                low == 'k' ? "\\xe2\\x84\\xaa" : "\\xc5\\xbf");
}

static bool write_literal(struct rust_parser *p, struct rust_concat *c, uint32_t ch)
{
    enum rust_target target = p->options->target;
    bool unicode = p->flags & RUST_UNICODE, nocase = p->flags & RUST_NOCASE;
    bool letter = is_letter((int)ch);
    if (target == RUST_ASCII && nocase && (ch == 0x212A || ch == 0x17F)) {
        ch = ch == 0x17F ? 's' : 'k';
        letter = true;
    }
    bool spelled =
        letter && nocase && (target == RUST_BYTES || (target == RUST_UTF && !unicode));
    if (letter || ch >= 0x80)
        rust_set_caseless(p, nocase && !spelled);
    free_choices(p, c, ch);
    begin_atom(p, c);
    if (spelled)
        write_both_cases(&p->out, ch, unicode);
    else if (ch < 0x80 || target == RUST_UTF)
        rust_write_char(&p->out, ch);
    else if (target == RUST_ASCII)
        sbuf_add(&p->out, STR("[^\\s\\S]"));
    else
        write_bytes(&p->out, ch);
    c->last.never_ascii = ch >= 0x80 && ch != 0x212A && ch != 0x17F;
    c->word_end = letter || is_digit((int)ch) || ch == '_';
    run_add(p, c, ch, nocase);
    if (nocase && !unicode)
        c->pure = false;
    return true;
}

static bool read_char(struct rust_parser *p, struct rust_concat *c,
                      const struct rust_item *item)
{
    bool unicode = p->flags & RUST_UNICODE, nocase = p->flags & RUST_NOCASE;
    p->program->spans |= item->c == '\n';
    if (item->c == '\n' && !p->options->feeds)
        return rust_fail(p, item->start,
                         "a line break cannot be matched: lines are "
                         "searched one by one");
    if (!unicode && item->byte && item->c >= 0x80) {
        p->program->bytes = true;
        rust_begin_other(p, c);
        sbuf_printf(&p->out, "\\x%02x", item->c);
        return true;
    }
    if (!unicode && item->c >= 0x80)
        return rust_fail(p, item->start, "Unicode not allowed here");
    if (nocase)
        p->program->wide = true;
    if (nocase && unicode && item->c >= 0x80 && p->options->target == RUST_BYTES)
        return rust_fail(p, item->start, "cannot be mixed with (?-u) bytes");
    return write_literal(p, c, item->c);
}

/* Any character of UTF-8 except the line feed, in bytes: Unicode 15, table 3-7. */
#define ANY_UTF8                                                                         \
    "(?:[\\x00-\\x09\\x0b-\\x7f]|[\\xc2-\\xdf][\\x80-\\xbf]|\\xe0[\\xa0-\\xbf][\\x80-"   \
    "\\xbf]|[\\xe1-\\xec\\xee\\xef][\\x80-\\xbf]{2}|\\xed[\\x80-\\x9f][\\x80-\\xbf]|"    \
    "\\xf0[\\x90-\\xbf][\\x80-\\xbf]{2}|[\\xf1-\\xf3][\\x80-\\xbf]{3}|\\xf4[\\x80-"      \
    "\\x8f][\\x80-\\xbf]{2})"

static void read_dot(struct rust_parser *p, struct rust_concat *c)
{
    bool unicode = p->flags & RUST_UNICODE;
    rust_begin_other(p, c);
    if (!unicode)
        p->program->bytes = true;
    p->program->wide = true;
    bool spelled = unicode && p->options->target == RUST_BYTES;
    bool all = p->options->feeds && (p->flags & RUST_DOT_ALL);
    p->program->spans |= all;
    if (all)
        sbuf_add(&p->out, spelled ? STR("(?:\\n|" ANY_UTF8 ")") : STR("(?s:.)"));
    else
        sbuf_add(&p->out, spelled ? STR(ANY_UTF8) : STR("."));
    rust_bump(p);
}

/*
 * Write \b or (inside) \B. PCRE2's \b knows ASCII words only unless UCP is on, so it is
 * spelled out with look-around; one side suffices if the other is known to be a word
 * character.
 */
static void write_boundary(struct rust_parser *p, bool after_word, bool inside)
{
    str w = rust_word_class(p);
    uint32_t next = rust_char(p), after_next = rust_peek(p, false);
    bool before_word = !(p->flags & RUST_BLANKS) && next < 0x80 &&
                       (is_digit((int)next) || next == '_' || is_letter((int)next)) &&
                       after_next != '?' && after_next != '*' && after_next != '{';
    if (p->options->target == RUST_ASCII)
        sbuf_add(&p->out, inside ? STR("\\B") : STR("\\b"));
    else if (!inside && before_word)
        sbuf_printf(&p->out, "(?<!" STR_FMT ")", STR_ARG(w));
    else if (!inside && after_word)
        sbuf_printf(&p->out, "(?!" STR_FMT ")", STR_ARG(w));
    else if (inside)
        sbuf_printf(&p->out,
                    "(?:(?<=" STR_FMT ")(?=" STR_FMT ")|(?<!" STR_FMT ")(?!" STR_FMT "))",
                    STR_ARG(w), STR_ARG(w), STR_ARG(w), STR_ARG(w));
    else
        sbuf_printf(&p->out,
                    "(?:(?<=" STR_FMT ")(?!" STR_FMT ")|(?<!" STR_FMT ")(?=" STR_FMT "))",
                    STR_ARG(w), STR_ARG(w), STR_ARG(w), STR_ARG(w));
}

static bool read_assertion(struct rust_parser *p, struct rust_concat *c, uint32_t kind,
                           size_t at)
{
    bool after_word = c->have && c->word_end;
    bool boundary = kind == 'b' || kind == 'B', unicode = p->flags & RUST_UNICODE;
    if (boundary && unicode && p->options->target == RUST_BYTES)
        return rust_fail(p, at, "cannot be mixed with (?-u) bytes");
    if (kind == 'B' && !unicode)
        p->program->bytes = true; /* it also matches inside a character */
    if (boundary && !unicode)
        rust_set_caseless(p, false); /* else \w has the long s */
    rust_begin_other(p, c);
    c->single = false;
    if (boundary) {
        p->program->wide = true;
        write_boundary(p, after_word, kind == 'B');
    } else {
        bool start = kind == 'A' || kind == '^', line = kind == '^' || kind == '$';
        bool of_text = p->options->feeds && !(line && (p->flags & RUST_LINES));
        p->program->spans |= of_text;
        if (of_text)
            sbuf_add(&p->out, start ? STR("\\A") : STR("\\z"));
        else
            sbuf_char(&p->out, start ? '^' : '$');
    }
    return true;
}

bool rust_read_primitive(struct rust_parser *p, struct rust_concat *c)
{
    struct rust_item item = {.kind = RUST_CHAR, .start = p->at, .c = rust_char(p)};
    if (item.c == '.') {
        read_dot(p, c);
        return true;
    }
    if (item.c == '^' || item.c == '$') {
        rust_bump(p);
        return read_assertion(p, c, item.c, item.start);
    }
    if (item.c == '[') {
        item.kind = RUST_SET;
        if (!rust_bracket(p, &item.set))
            return false;
    } else if (item.c == '\\') {
        if (!rust_escape(p, &item))
            return false;
    } else {
        rust_bump(p);
    }
    if (item.kind == RUST_ASSERT)
        return read_assertion(p, c, item.c, item.start);
    if (item.kind == RUST_CHAR)
        return read_char(p, c, &item);
    rust_set_caseless(p, rust_is_caseless(p));
    rust_begin_other(p, c);
    return rust_write_set(p, item.set, item.start);
}

/* The last atom is repeated: update what is known about it. */
static void repeat_part(struct rust_parser *p, struct rust_concat *c, uint32_t min,
                        uint32_t max)
{
    struct rust_part *last = &c->last;
    c->pure = false;
    last->n_words = 0;
    if (c->run_last > 0) {
        str ch = arena_str(p->arena, str_skip(sbuf_str(&c->run), c->run.n - c->run_last));
        c->run.n -= c->run_last;
        end_run(p, c);
        if (min > 0)
            keep_needed(last, ch, c->run_nocase);
    }
    if (min == 0) {
        last->needed = (str){0};
        last->never_ascii = false;
        c->sum.choices += c->freed_choices; /* it may be absent */
        c->sum.repeats += c->freed_repeats;
        c->freed_choices = c->freed_repeats = 0;
    }
    bool tries = last->repeats > 0 || last->choices > 0;
    if (max == UINT32_MAX || max > 64) {
        last->repeats = tries ? RUST_REPEATS_MANY : min == max ? 0 : 1;
    } else {
        last->choices = last->choices * max + log2(max - min + 1.0);
        last->repeats *= max;
    }
}

/* Insert text into the output. */
static void regex_atom_insert(struct sbuf *b, size_t at, str text)
{
    sbuf_room(b, text.n);
    memmove(b->p + at + text.n, b->p + at, b->n - at);
    memcpy(b->p + at, text.p, text.n);
    sbuf_took(b, text.n);
}

/*
 * If a pattern begins with "x+", the first match begins at the first x of a row of x, so
 * the engine need not try the others: rust_finish_concat() adds a negative look-behind
 * that rules them out. (The engine has this optimization for ".*".)
 */
static void keep_lead(struct rust_parser *p, struct rust_concat *c, uint32_t max)
{
    str atom = str_skip(sbuf_str(&p->out), c->start);
    bool simple =
        c->stacked == 0 && c->single && !c->group && p->options->target != RUST_BYTES;
    c->repeated = simple ? arena_str(p->arena, atom) : (str){0};
    if (c->atoms != 1 || p->depth > 0)
        return;
    bool leads =
        simple && !p->options->captures && max == UINT32_MAX && !str_eq(atom, STR("."));
    c->lead = leads ? c->repeated : (str){0};
    c->lead_at = c->start;
}

bool rust_repeat(struct rust_parser *p, struct rust_concat *c, uint32_t min, uint32_t max,
                 str quantifier, bool greedy)
{
    keep_lead(p, c, max);
    if (!c->single) {
        regex_atom_insert(&p->out, c->start, STR("(?:"));
        sbuf_char(&p->out, ')');
    }
    sbuf_add(&p->out, quantifier);
    if (greedy == !!(p->flags & RUST_SWAP_GREED))
        sbuf_char(&p->out, '?');
    if (p->options->guard && min != max)
        sbuf_add(&p->out, STR("(?C1)"));
    repeat_part(p, c, min, max);
    c->single = c->word_end = false;
    if (++c->stacked + p->depth > RUST_DEPTH_MAX || p->out.n > RUST_OUT_MAX)
        return err_set(p->err, ERR_LIMIT, "the regular expression is nested too deeply");
    return true;
}

void rust_finish_concat(struct rust_parser *p, struct rust_concat *c)
{
    if (p->depth == 0 && c->repeated.n > 0) /* nothing after it can fail */
        c->last.choices = c->last.repeats = 0;
    regex_atom_settle(c);
    struct rust_part *sum = &c->sum;
    if (c->atoms == 1 && c->last.n_words > 0) {
        sum->words = c->last.words;
        sum->n_words = c->last.n_words;
        sum->words_nocase = c->last.words_nocase;
    } else if (c->pure && c->run.n > 0) {
        sum->words = ARENA_NEW(p->arena, str);
        sum->words[0] = arena_str(p->arena, sbuf_str(&c->run));
        sum->n_words = 1;
        sum->words_nocase = c->run_nocase;
    }
    end_run(p, c);
    if (c->lead.n > 0)
        regex_atom_insert(&p->out, c->lead_at,
                          arena_printf(p->arena, "(?<!" STR_FMT ")", STR_ARG(c->lead)));
}
