/*
 * The engine: PCRE2 with JIT, which is given several lines at a time.
 *
 * A pattern becomes up to three programs. TEXT is right for every text. ASCII is the same
 * with every class restricted to ASCII; it is several times faster and used for lines
 * that are all ASCII. GUARD is TEXT with callouts that check the clock. It is needed
 * because JIT code counts only some of its steps, so that "[^=]*[^=]*[^=]*=" would run
 * for hours on one line of 16 KB. It is used for lines so long that the pattern could
 * backtrack too much.
 *
 * Before the engine: a pattern that consists only of words never gets there (needles.h),
 * and if all matches of a pattern contain some text, only lines with that text do.
 */
#include "vault/text/regex_engine.h"

#include <math.h>
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/utf8.h"
#include "vault/text/needles.h"
#include "vault/text/regex_rust.h"

enum {
    TRIES_MAX_LOG2 = 29, /* about 0.3 s */
    PARENS_MAX = 2000,
    STACK_START = 32 << 10,
    CLOCK_EVERY = 64,  /* callouts */
    JS_PLAIN_MAX = 32, /* bytes of a text that cannot take long */
};

static const uint32_t program_options =
    PCRE2_MULTILINE | PCRE2_ALT_CIRCUMFLEX | PCRE2_NEVER_BACKSLASH_C;

static pcre2_code *compile(str text, bool utf, int *code)
{
    pcre2_compile_context *c = pcre2_compile_context_create(NULL);
    PCRE2_SIZE at;
    pcre2_set_newline(c, PCRE2_NEWLINE_LF);
    pcre2_set_parens_nest_limit(c, PARENS_MAX);
    uint32_t options = program_options | (utf ? PCRE2_UTF | PCRE2_MATCH_INVALID_UTF : 0);
    pcre2_code *made = pcre2_compile((PCRE2_SPTR)(text.p != NULL ? text.p : ""), text.n,
                                     options, code, &at, c);
    if (made != NULL)
        pcre2_jit_compile(made, PCRE2_JIT_COMPLETE); /* optional: it is only faster */
    pcre2_compile_context_free(c);
    return made;
}

static bool is_property(const char *name)
{
    char text[128];
    int code, n = snprintf(text, sizeof(text), "\\p{%s}", name);
    PCRE2_SIZE at;
    if (n < 0 || (size_t)n >= sizeof(text))
        return false;
    pcre2_code *made =
        pcre2_compile((PCRE2_SPTR)text, (size_t)n, PCRE2_UTF, &code, &at, NULL);
    pcre2_code_free(made);
    return made != NULL;
}

static bool regex_takes(str atom, bool nocase, uint32_t c)
{
    char utf8[4];
    int code;
    PCRE2_SIZE at;
    uint32_t options = PCRE2_UTF | PCRE2_ANCHORED | (nocase ? PCRE2_CASELESS : 0);
    pcre2_code *made =
        pcre2_compile((PCRE2_SPTR)atom.p, atom.n, options, &code, &at, NULL);
    pcre2_match_data *data = pcre2_match_data_create(1, NULL);
    bool fits = made == NULL || pcre2_match(made, (PCRE2_SPTR)utf8, utf8_encode(c, utf8),
                                            0, 0, data, NULL) != PCRE2_ERROR_NOMATCH;
    pcre2_match_data_free(data);
    pcre2_code_free(made);
    return fits;
}

/* The front end wrote this program, so it can only fail because of a limit. */
static bool compile_program(str text, bool utf, pcre2_code **out, struct err *err)
{
    int code;
    *out = compile(text, utf, &code);
    if (*out != NULL)
        return true;
    /* 119: parentheses nested too deeply; 120: too large; 135, 186: too complicated */
    if (code == 119 || code == 120 || code == 135 || code == 186)
        return err_set(err, ERR_LIMIT, "the regular expression is too large");
    char why[120];
    pcre2_get_error_message(code, (PCRE2_UCHAR *)why, sizeof(why));
    err_set(err, ERR_INTERNAL, "the regular expression could not be compiled");
    snprintf(err->detail, sizeof(err->detail), "%s", why);
    return false;
}

/* Every character (or every byte) except the line feed. */
static str all_text(struct arena *a, bool utf)
{
    struct sbuf b = SBUF_ON(a);
    char utf8[4];
    sbuf_room(&b, utf ? 4500000 : 256);
    for (uint32_t c = 0; c < (utf ? 0x110000u : 0x100u); c++) {
        if (c == '\n' || (c >= 0xD800 && c <= 0xDFFF))
            continue;
        if (utf)
            sbuf_add(&b, (str){utf8, utf8_encode(c, utf8)});
        else
            sbuf_char(&b, (char)c);
    }
    return sbuf_str(&b);
}

/* Rust refuses empty classes. */
static bool check_classes(const struct rust_program *program, bool utf, struct err *err)
{
    struct arena a = {0};
    pcre2_match_data *data = pcre2_match_data_create(1, NULL);
    bool ok = true;
    str all = program->n_checks > 0 ? all_text(&a, utf) : (str){0};
    for (size_t i = 0; i < program->n_checks && ok; i++) {
        pcre2_code *code;
        ok = compile_program(program->checks[i].text, utf, &code, err);
        if (ok && pcre2_match(code, (PCRE2_SPTR)all.p, all.n, 0, 0, data, NULL) < 0)
            ok =
                err_set(err, ERR_INVALID,
                        "invalid regular expression at byte %zu: empty character classes "
                        "are not allowed",
                        program->checks[i].at);
        pcre2_code_free(code);
    }
    pcre2_match_data_free(data);
    arena_release(&a);
    return ok;
}

/* log2(k!), exact to a millionth: the sum of a few, or Stirling's series. */
static double log2_factorial(double k)
{
    const double few = 16;
    double sum = 0;
    if (k > few)
        return k * (log2(k) - M_LOG2E) + log2(2 * M_PI * k) / 2 + M_LOG2E / (12 * k);
    for (int i = 2; i <= (int)k; i++)
        sum += log2(i);
    return sum;
}

/* The longest line on which JIT code without callouts cannot backtrack too much. */
static size_t plain_max(const struct rust_program *program)
{
    double k = program->repeats, fixed = 14 + program->choices - log2_factorial(k);
    size_t n = UINT32_MAX; /* that of any text */
    while (n > 0 && fixed + k * log2((double)n) > (double)TRIES_MAX_LOG2)
        n = n > 16 ? n * 3 / 4 : 0;
    return n;
}

static bool keep_groups(struct regex *r, const struct rust_program *text, struct err *err)
{
    if (text->n_groups > REGEX_GROUPS_MAX)
        return err_set(err, ERR_LIMIT, "the regular expression has more than %d groups",
                       REGEX_GROUPS_MAX);
    r->n_groups = text->n_groups;
    r->group_names = text->group_names;
    return true;
}

/* Keep the texts that the needles search for, if any. */
static void keep_literals(struct regex *r, const struct rust_program *text)
{
    r->literals = text->words;
    r->n_literals = r->words != NULL ? text->n_words : 0;
    if (r->words != NULL || r->needed == NULL)
        return;
    str *needed = ARENA_NEW(&r->arena, str);
    *needed = text->needed;
    r->literals = needed;
    r->n_literals = 1;
}

static bool compile_rust(struct regex *r, str pattern, unsigned flags, struct err *err)
{
    struct rust_options options = {.nocase = flags & REGEX_NOCASE,
                                   .captures = flags & REGEX_GROUPS,
                                   .feeds = flags & REGEX_SPAN,
                                   .is_property = is_property,
                                   .takes = regex_takes};
    struct rust_program text, other;
    if (!rust_translate(&r->arena, pattern, &options, &text, err))
        return false;
    bool utf = !text.bytes;
    r->spans = options.feeds && text.spans;
    options.takes = NULL;
    if (text.bytes) {
        options.target = RUST_BYTES;
        if (!rust_translate(&r->arena, pattern, &options, &text, err))
            return false;
    }
    if (!check_classes(&text, utf, err) ||
        (options.captures && !keep_groups(r, &text, err)))
        return false;
    r->captures = options.captures;
    if (options.captures)
        text.n_words = 0; /* a search for words does not yield groups */
    r->words = needles_create(&r->arena, text.words, text.n_words, text.words_nocase);
    r->exact = r->words != NULL && (text.n_words == 1 || !text.words_nocase);
    if (!r->exact)
        r->needed = needles_create(&r->arena, &text.needed, 1, text.needed_nocase);
    keep_literals(r, &text);
    if (r->exact)
        return true;
    r->plain_max = plain_max(&text);
    if (!compile_program(text.text, utf, &r->code[REGEX_TEXT], err))
        return false;
    if (r->plain_max < UINT32_MAX || r->spans) {
        options.guard = true;
        if (!rust_translate(&r->arena, pattern, &options, &other, err) ||
            !compile_program(other.text, utf, &r->code[REGEX_GUARD], err))
            return false;
    }
    r->never_ascii = text.never_ascii;
    if (!text.wide || !utf || r->plain_max == 0 || r->never_ascii)
        return true;
    options.guard = false;
    options.target = RUST_ASCII;
    return rust_translate(&r->arena, pattern, &options, &other, err) &&
           compile_program(other.text, false, &r->code[REGEX_ASCII], err);
}

static bool compile_literal(struct regex *r, str pattern, unsigned flags, struct err *err)
{
    bool nocase = flags & REGEX_NOCASE;
    size_t bad = utf8_valid_prefix(pattern), n;
    if (bad < pattern.n)
        return err_set(err, ERR_INVALID, "the text is not valid UTF-8 at byte %zu", bad);
    if (!(flags & REGEX_BREAKS) && str_find_char(pattern, '\n') != STR_NONE)
        return err_set(err, ERR_INVALID,
                       "a line break cannot be matched: lines are "
                       "searched one by one");
    r->words = needles_create(&r->arena, &pattern, 1, nocase);
    r->exact = r->words != NULL;
    r->plain_max = SIZE_MAX;
    if (r->exact)
        return true;
    struct sbuf b = SBUF_ON(&r->arena);
    if (nocase)
        sbuf_add(&b, STR("(?i)"));
    for (size_t i = 0; i < pattern.n; i += n) {
        uint32_t c = utf8_decode(str_skip(pattern, i), &n);
        r->never_ascii |= c >= 0x80 && c != 0x212A && c != 0x17F;
        rust_write_char(&b, c);
    }
    return compile_program(sbuf_str(&b), true, &r->code[REGEX_TEXT], err);
}

static pcre2_code *js_program(str pattern, uint32_t options, int *code, PCRE2_SIZE *at)
{
    pcre2_compile_context *c = pcre2_compile_context_create(NULL);
    pcre2_set_newline(c, PCRE2_NEWLINE_LF);
    pcre2_set_parens_nest_limit(c, PARENS_MAX);
    pcre2_set_compile_extra_options(c, PCRE2_EXTRA_ALT_BSUX);
    pcre2_code *made = pcre2_compile((PCRE2_SPTR)(pattern.p != NULL ? pattern.p : ""),
                                     pattern.n, options, code, at, c);
    if (made != NULL)
        pcre2_jit_compile(made, PCRE2_JIT_COMPLETE);
    pcre2_compile_context_free(c);
    return made;
}

/* Of longer texts, a program with a callout at every item checks the clock. */
static bool compile_js(struct regex *r, str pattern, unsigned flags, struct err *err)
{
    int code;
    PCRE2_SIZE at;
    uint32_t options = PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_ALT_BSUX |
                       PCRE2_MATCH_UNSET_BACKREF | PCRE2_ALLOW_EMPTY_CLASS |
                       PCRE2_NEVER_BACKSLASH_C;
    options |= flags & REGEX_NOCASE ? PCRE2_CASELESS : 0;
    options |= flags & REGEX_MULTILINE ? PCRE2_MULTILINE : PCRE2_DOLLAR_ENDONLY;
    options |= flags & REGEX_DOTALL ? PCRE2_DOTALL : 0;
    r->code[REGEX_TEXT] = js_program(pattern, options, &code, &at);
    if (r->code[REGEX_TEXT] == NULL) {
        char why[120];
        pcre2_get_error_message(code, (PCRE2_UCHAR *)why, sizeof(why));
        return err_set(err, ERR_INVALID, "invalid regular expression at byte %zu: %s", at,
                       why);
    }
    uint32_t groups;
    pcre2_pattern_info(r->code[REGEX_TEXT], PCRE2_INFO_CAPTURECOUNT, &groups);
    if (groups > REGEX_GROUPS_MAX)
        return err_set(err, ERR_LIMIT, "the regular expression has more than %d groups",
                       REGEX_GROUPS_MAX);
    r->n_groups = groups;
    r->plain_max = JS_PLAIN_MAX;
    r->code[REGEX_GUARD] = js_program(pattern, options | PCRE2_AUTO_CALLOUT, &code, &at);
    return r->code[REGEX_GUARD] != NULL ||
           err_set(err, ERR_LIMIT, "the regular expression is too large");
}

bool regex_compile(str pattern, unsigned flags, struct regex **out, struct err *err)
{
    if (pattern.n > REGEX_PATTERN_MAX)
        return err_set(err, ERR_LIMIT, "the regular expression is longer than %d bytes",
                       REGEX_PATTERN_MAX);
    struct regex *r = mem_zero(sizeof(*r));
    bool ok = flags & REGEX_LITERAL      ? compile_literal(r, pattern, flags, err)
              : flags & REGEX_JAVASCRIPT ? compile_js(r, pattern, flags, err)
                                         : compile_rust(r, pattern, flags, err);
    if (!ok) {
        regex_free(r);
        return false;
    }
    *out = r;
    return true;
}

void regex_free(struct regex *r)
{
    if (r == NULL)
        return;
    for (int i = 0; i < REGEX_PROGRAMS; i++)
        pcre2_code_free(r->code[i]);
    arena_release(&r->arena);
    free(r);
}

size_t regex_literals(const struct regex *r, const str **out)
{
    *out = r->literals;
    return r->n_literals;
}

/* Called by GUARD programs at each callout. */
static int on_callout(pcre2_callout_block *block, void *arg)
{
    struct regex_scratch *s = arg;
    (void)block;
    if (++s->callouts % CLOCK_EVERY != 0)
        return 0;
    if (s->stop != NULL && s->stop(s->stop_arg))
        s->stopped = true;
    return s->stopped || clock_ms() > s->deadline ? PCRE2_ERROR_CALLOUT : 0;
}

struct regex_scratch *regex_scratch_create(void)
{
    struct regex_scratch *s = mem_zero(sizeof(*s));
    s->data = pcre2_match_data_create(REGEX_GROUPS_MAX + 1, NULL);
    s->context = pcre2_match_context_create(NULL);
    s->stack = pcre2_jit_stack_create(STACK_START, REGEX_STACK_MAX, NULL);
    pcre2_set_match_limit(s->context, REGEX_STEPS_MAX);
    pcre2_set_heap_limit(s->context, REGEX_HEAP_MAX_KIB);
    pcre2_set_callout(s->context, on_callout, s);
    pcre2_jit_stack_assign(s->context, NULL, s->stack);
    return s;
}

void regex_scratch_free(struct regex_scratch *s)
{
    if (s == NULL)
        return;
    pcre2_jit_stack_free(s->stack);
    pcre2_match_context_free(s->context);
    pcre2_match_data_free(s->data);
    free(s);
}

enum regex_found regex_run(const struct regex *r, struct regex_scratch *s,
                           enum regex_program program, str text, size_t from, size_t to,
                           bool cut, size_t hit[2])
{
    bool wide = r->spans || (r->captures && to - from > REGEX_LINE_MAX);
    if (program == REGEX_GUARD)
        s->deadline = clock_ms() + (wide ? REGEX_TEXT_MS : REGEX_LINE_MS);
    int n = pcre2_match(r->code[program], (PCRE2_SPTR)text.p, to, from,
                        cut ? PCRE2_NOTEOL : 0, s->data, s->context);
    if (n < 0)
        return n == PCRE2_ERROR_NOMATCH ? REGEX_NOT_FOUND : REGEX_LIMITED;
    const PCRE2_SIZE *at = pcre2_get_ovector_pointer(s->data);
    hit[0] = at[0];
    hit[1] = at[1];
    return REGEX_FOUND;
}

void regex_groups(const struct regex_scratch *s, struct regex_group *out, size_t n)
{
    const PCRE2_SIZE *at = pcre2_get_ovector_pointer(s->data);
    for (size_t i = 0; i < n; i++) {
        bool took = at[2 * i] != PCRE2_UNSET;
        out[i].start = took ? (uint32_t)at[2 * i] : REGEX_NO_GROUP;
        out[i].end = took ? (uint32_t)at[2 * i + 1] : REGEX_NO_GROUP;
    }
}
