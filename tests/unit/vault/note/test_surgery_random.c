/*
 * Random edits of sections, blocks and whole notes of odd Markdown. Each word is unique; a
 * reader of its own, line by line, says of each in which section and in what kind of text it
 * is. What is outside of the edit says the same afterwards, and the new text says what it says
 * alone. Only texts that open something and do not close it may be refused.
 */
#include "base/array.h"
#include "base/sbuf.h"
#include "base/text.h"
#include "check.h"
#include "random.h"
#include "rounds.h"
#include "vault/note/edit.h"

enum { ROUNDS = 600, BLOCKS_MAX = 8 };

static struct random dice;
static unsigned word;  /* the last number */
static unsigned title; /* the same for headings */

static uint32_t pick(uint32_t n)
{
    return random_below(&dice, n);
}

/* --- making notes --- */

struct made {
    struct sbuf b;
    bool open; /* something is not closed */
};

static void add_fence(struct made *m, const char *lead, bool closed)
{
    static const char marks[] = "`~";
    char mark = marks[pick(2)];
    int n = 3 + (int)pick(3), inner = 3 + (int)pick(2);
    char fence[8] = {0}, other[8] = {0};
    memset(fence, mark, (size_t)n);
    memset(other, inner < n ? mark : mark == '`' ? '~' : '`', (size_t)inner);
    sbuf_printf(&m->b, "%s%s%s\n", lead, fence,
                pick(2)       ? ""
                : mark == '`' ? "js"
                              : "a b");
    sbuf_printf(&m->b, "%s# w%u\n%s%s\n%s%%%%\n", lead, ++word, lead, other, lead);
    if (closed)
        sbuf_printf(&m->b, "%s%s%s\n", lead, fence, pick(3) ? "" : "  ");
}

/* A block, and a blank line after it. unclosed: it may stay open. */
static void add_block(struct made *m, bool unclosed)
{
    struct sbuf *b = &m->b;
    bool open = unclosed && pick(3) == 0;
    switch (pick(14)) {
    case 0:
        add_fence(m, "", !open);
        m->open |= open;
        break;
    case 1: /* a quote ends what is in it */
        sbuf_printf(b, "> w%u\n>\n", ++word);
        add_fence(m, "> ", pick(2));
        break;
    case 2:
        sbuf_printf(b, "> [!note] w%u\n> - w%u\n>   - [ ] w%u\n", word + 1, word + 2,
                    word + 3);
        word += 3;
        break;
    case 3:
        sbuf_printf(b, "- w%u\n  - [ ] w%u\n\n  w%u\n", word + 1, word + 2, word + 3);
        word += 3;
        break;
    case 4: /* so does an item */
        sbuf_printf(b, "- w%u\n\n", ++word);
        add_fence(m, "  ", pick(2));
        break;
    case 5:
        sbuf_printf(b, "<div>\nw%u\n# w%u\n</div>\n", word + 1, word + 2);
        word += 2;
        break;
    case 6:
        sbuf_printf(b, "<!-- w%u\n\n# w%u\n%s\n", word + 1, word + 2, open ? "" : "-->");
        word += 2;
        m->open |= open;
        break;
    case 7:
        sbuf_printf(b, "$$\nw%u\n# w%u\n$$\n", word + 1, word + 2);
        word += 2;
        break;
    case 8:
        sbuf_printf(b, "| w%u | b |\n|---|---|\n| w%u | \\| |\n", word + 1, word + 2);
        word += 2;
        break;
    case 9:
        sbuf_printf(b, "w%u\nw%u ^b%u\n", word + 1, word + 2, word + 2);
        word += 2;
        break;
    case 10:
        sbuf_printf(b, "***\n\nw%u `# %%%%` \\`\n", ++word);
        break;
    case 11:
        sbuf_printf(b, "1. w%u ^b%u\n   w%u\n2. w%u\n", word + 1, word + 1, word + 2,
                    word + 3);
        word += 3;
        break;
    default:
        sbuf_printf(b, "w%u [[w%u]] #t%u\n", word + 1, word + 2, word + 2);
        word += 2;
    }
    if (pick(8) > 0 || m->open)
        sbuf_char(b, '\n');
}

static void add_heading(struct made *m)
{
    static const char *const marks[] = {"#", "##", "###"};
    if (pick(5) == 0) /* setext */
        sbuf_printf(&m->b, "\nT%u\n%s\n", ++title, pick(2) ? "===" : "---");
    else
        sbuf_printf(&m->b, "\n%s T%u%s\n", marks[pick(3)], ++title, pick(4) ? "" : " ##");
    if (pick(2))
        sbuf_char(&m->b, '\n');
}

/* In a note, nothing is open but what comes last. */
static struct made random_text(struct arena *a, bool headings, bool unclosed)
{
    struct made m = {.b = SBUF_ON(a)};
    uint32_t blocks = 1 + pick(headings ? BLOCKS_MAX : 2);
    for (uint32_t i = 0; i < blocks; i++) {
        if (headings && pick(2) == 0)
            add_heading(&m);
        add_block(&m, unclosed && i + 1 == blocks);
    }
    return m;
}

static str with_breaks(struct arena *a, str text, const char *eol)
{
    struct sbuf b = SBUF_ON(a);
    for (size_t i = 0; i < text.n; i++)
        if (text.p[i] == '\n')
            sbuf_add(&b, str_c(eol));
        else
            sbuf_char(&b, text.p[i]);
    return sbuf_str(&b);
}

/* --- reading them --- */

enum state { PLAIN, CODE, MATH, HTML, COMMENT };

struct reader {
    enum state state, in_quote;
    char fence, quote_fence; /* the mark */
    size_t fence_n, quote_fence_n, indent;
};

struct fact {
    unsigned word, section;
    enum state state;
    const char *at;
};

struct facts {
    struct arena *arena;
    struct fact *items;
    size_t n;
};

static size_t run_of(str s, char c)
{
    size_t n = 0;
    while (n < s.n && s.p[n] == c)
        n++;
    return n;
}

/* Whether a line opens or closes a fence; the state, mark and length follow. */
static bool is_fence_line(str line, enum state *state, char *mark, size_t *n)
{
    char c = line.n > 0 ? line.p[0] : '\0';
    size_t length = c == '`' || c == '~' ? run_of(line, c) : 0;
    str rest = str_skip(line, length);
    if (length < 3 || (*state != PLAIN && *state != CODE))
        return false;
    if (*state == PLAIN) {
        if (c == '`' && str_find_char(rest, '`') != STR_NONE)
            return false;
        *state = CODE;
        *mark = c;
        *n = length;
        return true;
    }
    if (c != *mark || length < *n || str_trim(rest).n > 0)
        return false;
    *state = PLAIN;
    return true;
}

static enum state read_quoted(struct reader *r, str line)
{
    line = str_skip(line, 1);
    line = str_skip(line, str_starts(line, STR(" ")));
    bool fence = is_fence_line(line, &r->in_quote, &r->quote_fence, &r->quote_fence_n);
    return fence ? CODE : r->in_quote;
}

static enum state read_line(struct reader *r, str line)
{
    size_t indent = run_of(line, ' ');
    str text = str_skip(line, indent);
    if (r->state == CODE && r->indent > 0 && text.n > 0 && indent < r->indent)
        r->state = PLAIN; /* after the item */
    if (r->state == PLAIN && str_starts(line, STR(">")))
        return read_quoted(r, line);
    r->in_quote = PLAIN;
    if (r->state == PLAIN)
        r->indent = indent;
    if (is_fence_line(text, &r->state, &r->fence, &r->fence_n))
        return CODE;
    enum state was = r->state;
    if (was == PLAIN && str_starts(text, STR("<div")))
        r->state = HTML;
    else if (was == HTML && text.n == 0)
        r->state = PLAIN;
    else if (was == PLAIN && str_starts(text, STR("<!--")))
        r->state = COMMENT;
    else if (was == COMMENT && str_find(text, STR("-->")) != STR_NONE)
        r->state = PLAIN;
    else if (was == PLAIN && str_eq(text, STR("$$")))
        r->state = MATH;
    else if (was == MATH && str_eq(text, STR("$$")))
        r->state = PLAIN;
    return was == PLAIN ? r->state : was;
}

static unsigned number_at(str s)
{
    unsigned n = 0;
    for (size_t i = 0; i < s.n && is_digit(s.p[i]); i++)
        n = n * 10 + (unsigned)(s.p[i] - '0');
    return n;
}

/* The words of a line. */
static void add_words(struct facts *f, str line, unsigned section, enum state state)
{
    for (size_t i = 0; i + 1 < line.n; i++)
        if (line.p[i] == 'w' && is_digit(line.p[i + 1]) &&
            (i == 0 || !is_alnum(line.p[i - 1])))
            *ARRAY_ADD(f->arena, f->items, f->n) = (struct fact){
                number_at(str_skip(line, i + 1)), section, state, line.p + i};
}

static struct facts read_facts(struct arena *a, str text)
{
    struct facts f = {.arena = a};
    struct reader r = {0};
    unsigned section = 0;
    str line;
    text = str_skip(text, str_starts(text, STR("\xEF\xBB\xBF")) ? 3 : 0);
    while (text_take_line(&text, &line)) {
        line = text_drop_return(line);
        enum state state = read_line(&r, line);
        str name = str_skip(line, run_of(line, '#'));
        name = str_skip(name, name.n < line.n && str_starts(name, STR(" ")));
        if (state == PLAIN && str_starts(name, STR("T")))
            section = number_at(str_skip(name, 1));
        add_words(&f, line, section, state);
    }
    return f;
}

static const struct fact *fact_of(const struct facts *f, unsigned number)
{
    const struct fact *found = NULL;
    for (size_t i = 0; i < f->n; i++)
        if (f->items[i].word == number) {
            CHECK("once", found == NULL);
            found = &f->items[i];
        }
    return found;
}

/* --- edits --- */

static const char *const actions[] = {"replace",      "append",       "prepend",
                                      "delete",       "note append",  "note prepend",
                                      "block append", "block replace"};

static bool run_edit(struct arena *a, str text, uint32_t action, unsigned target,
                     str content, struct edit_result *out, struct err *err)
{
    static const enum edit_action of[] = {EDIT_REPLACE_BODY, EDIT_APPEND_TO,
                                          EDIT_PREPEND_TO, EDIT_DELETE};
    struct edit_insert insert = {.where = action == 4 ? EDIT_APPEND : EDIT_PREPEND,
                                 .content = content};
    struct edit_section section = {.heading = arena_printf(a, "T%u", target),
                                   .content = action == 3 ? STR("") : content};
    struct edit_block block = {.id = arena_printf(a, "b%u", target), .content = content};
    if (action >= 6) {
        block.action = action == 6 ? EDIT_APPEND_TO : EDIT_REPLACE_BODY;
        return edit_block(a, text, &block, out, err);
    }
    if (action >= 4)
        return edit_insert(a, text, &insert, out, err);
    section.action = of[action];
    return edit_section(a, text, &section, out, err);
}

/* Whether the edit may remove a word: it was in what it replaced. */
static bool may_go(str text, const struct edit_result *out, const struct fact *f)
{
    size_t at = (size_t)(f->at - text.p);
    return at >= out->was.start && at < out->was.end;
}

static bool is_inside(const struct fact *f, unsigned first)
{
    return f->word >= first;
}

static bool check_round(struct arena *a, unsigned round)
{
    static const char *const breaks[] = {"\n", "\n", "\r\n", "\r"};
    const char *eol = breaks[pick(COUNT_OF(breaks))];
    word = title = 0;
    bool unclosed = pick(4) == 0;
    struct made note = random_text(a, true, unclosed);
    unsigned first = word + 1, titles = title;
    struct made more = random_text(a, false, pick(3) == 0);
    uint32_t action = pick(COUNT_OF(actions));
    unsigned target = action >= 6 ? 1 + pick(word) : 1 + pick(titles + 1);
    str text = with_breaks(a, sbuf_str(&note.b), eol);
    if (pick(8) == 0)
        text = arena_printf(a, "\xEF\xBB\xBF" STR_FMT, STR_ARG(text));
    str content = sbuf_str(&more.b);
    struct edit_result out;
    struct err err = {0};
    if (!run_edit(a, text, action, target, content, &out, &err)) {
        if (err.name == E_INVALID_CONTENT && !more.open && !note.open)
            fail_msg("round %u: %s T%u: %s\n" STR_FMT "---\n" STR_FMT, round,
                     actions[action], target, err.msg, STR_ARG(text), STR_ARG(content));
        return false;
    }
    struct facts was = read_facts(a, text), is = read_facts(a, out.text),
                 alone = read_facts(a, content);
    const char *wrong = NULL;
    unsigned which = 0;
    for (size_t i = 0; i < was.n && wrong == NULL; i++) {
        const struct fact *x = &was.items[i], *y = fact_of(&is, x->word);
        which = x->word;
        if (y == NULL ? !may_go(text, &out, x)
                      : y->state != x->state || (y->section != x->section && action != 3))
            wrong = y == NULL ? "is gone" : "means something else";
    }
    for (size_t i = 0; i < alone.n && wrong == NULL && action != 3; i++) {
        const struct fact *x = &alone.items[i], *y = fact_of(&is, x->word);
        which = x->word;
        if (y == NULL || (y->state != x->state && out.n_warnings == 0))
            wrong = "of the new text is wrong";
    }
    for (size_t i = 0; i < is.n && wrong == NULL; i++)
        if (is_inside(&is.items[i], first) && action == 3)
            wrong = "is new";
    if (wrong != NULL)
        fail_msg("round %u: %s T%u: w%u %s\n" STR_FMT "--- new\n" STR_FMT
                 "--- after\n" STR_FMT,
                 round, actions[action], target, which, wrong, STR_ARG(text),
                 STR_ARG(content), STR_ARG(out.text));
    return true;
}

static void test_random_surgery(void **state)
{
    unsigned made = 0, n = (unsigned)rounds(ROUNDS);
    for (unsigned r = 1; r <= n; r++) {
        dice.state = r * 2654435761u | 1;
        made += check_round(*state, r);
        arena_reset(*state);
    }
    print_message("# %u of %u edits were made\n", made, n);
    CHECK("most are possible", made > n / 3);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {ARENA_TEST(test_random_surgery)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
