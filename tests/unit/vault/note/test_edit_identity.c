/*
 * Reading a section or a block and writing it back changes nothing, whatever is in the
 * note: notes are put together at random from pieces that are easily taken for headings,
 * or are headings that are easily overlooked.
 */
#include "base/sbuf.h"
#include "check.h"
#include "vault/note/edit.h"
#include "vault/note/note.h"

enum { NOTES = 3000, PIECES_MAX = 14 };

static const char *const pieces[] = {
    "# A\n",
    "## B\n",
    "### C\n",
    "#### A\n",
    "## B ##\n",
    "  ## Indented\n",
    "Setext\n===\n",
    "Setext two\nof two lines\n---\n",
    "#tag is not a heading\n",
    "#\n",
    "\n",
    "\n\n",
    " \t\n",
    "text\n",
    "text ends with spaces  \nmore\n",
    "text with an id ^p%d\n",
    "- item\n",
    "- item ^i%d\n  - [ ] nested ^n%d\n  continued\n",
    "1. one ^o%d\n2. two\n",
    "> [!note] Title\n> # Quoted\n> text\n",
    "> quote\n\n^q%d\n",
    "```md\n# Code\n\n## Code\n```\n",
    "~~~\n# Open\n~~~~\n",
    "    # Indented code\n",
    "%%\n# Comment\n%%\n",
    "<!-- \n# HTML\n-->\n",
    "<div>\n# In HTML\n</div>\n",
    "| a | b |\n|---|---|\n| # x | y |\n",
    "| a |\n|---|\n\n^t%d\n",
    "$$\n# math\n$$\n",
    "---\n",
    "***\n",
    "[^1]: # footnote\n",
    "- # in a list\n",
    "\\# escaped\n",
    "# \xC3\x9Cml\xC3\xA4ut [[Link#B|x]]\n",
};

static uint64_t seed = 88172645463325252u;

static size_t dice(size_t n)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (size_t)(seed % n);
}

static void add_piece(struct sbuf *b, const char *piece, const char *eol, int *ids)
{
    for (const char *p = piece; *p != '\0'; p++) {
        if (p[0] == '%' && p[1] == 'd') {
            sbuf_printf(b, "%d", (*ids)++);
            p++;
        } else if (*p == '\n') {
            sbuf_add(b, str_c(eol));
        } else {
            sbuf_char(b, *p);
        }
    }
}

static str make_note(struct arena *a)
{
    static const char *const eols[] = {"\n", "\n", "\r\n", NULL};
    const char *eol = eols[dice(COUNT_OF(eols))];
    struct sbuf b = SBUF_ON(a);
    int ids = 0;
    if (dice(4) == 0)
        sbuf_add(&b, STR("\xEF\xBB\xBF"));
    if (dice(4) == 0)
        sbuf_add(&b, STR("---\nk: v\n---\n"));
    for (size_t n = dice(PIECES_MAX) + 1; n > 0; n--) /* without eol: mixed */
        add_piece(&b, pieces[dice(COUNT_OF(pieces))],
                  eol != NULL ? eol
                  : dice(2)   ? "\n"
                              : "\r\n",
                  &ids);
    str text = sbuf_str(&b);
    if (dice(3) == 0)
        while (text.n > 0 && strchr("\r\n", text.p[text.n - 1]) != NULL)
            text.n--;
    return text;
}

/* Texts that a client may send back for what it has read. */
static str variant(struct arena *a, str read, int kind)
{
    struct sbuf b = SBUF_ON(a);
    if (kind % 2 == 1) /* models often drop the last line break */
        while (read.n > 0 && strchr("\r\n", read.p[read.n - 1]) != NULL)
            read.n--;
    if (kind < 2)
        return read;
    for (size_t i = 0; i < read.n; i++) /* and write LF */
        if (read.p[i] != '\r')
            sbuf_char(&b, read.p[i]);
    return sbuf_str(&b);
}

static void check_same(str text, str sent, bool ok, const struct edit_result *r,
                       const struct err *err)
{
    if (!ok)
        fail_msg("%s\n--- note\n" STR_FMT "\n--- sent\n" STR_FMT, err->msg, STR_ARG(text),
                 STR_ARG(sent));
    if (!str_eq(text, r->text))
        fail_msg("changed\n--- note\n" STR_FMT "\n--- sent\n" STR_FMT
                 "\n--- became\n" STR_FMT,
                 STR_ARG(text), STR_ARG(sent), STR_ARG(r->text));
}

static void check_section(struct arena *a, str text, str heading, uint32_t line,
                          struct edit_range found)
{
    struct edit_result r;
    struct err err = {0};
    str body = {0}, read = str_slice(text, found.start, found.end);
    struct edit_section e = {
        .heading = heading, .line = line, .action = EDIT_REPLACE_BODY};
    for (int kind = 0; kind < 4; kind++) {
        e.content = variant(a, read, kind);
        bool ok = edit_section(a, text, &e, &r, &err);
        check_same(text, e.content, ok, &r, &err);
    }
    if (!edit_section_text(a, text, heading, &body, &err))
        fail_msg("%s", err.msg);
    for (int kind = 0; kind < 4; kind++) {
        e.content = variant(a, body, kind);
        bool ok = edit_section(a, text, &e, &r, &err);
        check_same(text, e.content, ok, &r, &err);
    }
}

static size_t check_sections(struct arena *a, str text, const struct note *n)
{
    size_t checked = 0;
    for (uint32_t i = 0; i < n->n_headings; i++) {
        struct edit_range found;
        struct err err = {0};
        str heading = span_of(text, n->headings[i].title);
        if (!edit_find_section(a, text, heading, &found, &err))
            continue; /* ambiguous, or without a title */
        check_section(a, text, heading, 0, found);
        checked++;
    }
    return checked;
}

static size_t check_blocks(struct arena *a, str text, const struct note *n)
{
    for (uint32_t i = 0; i < n->n_blocks; i++) {
        struct edit_range found;
        struct edit_result r;
        struct err err = {0};
        struct edit_block e = {.id = span_of(text, n->blocks[i].id),
                               .action = EDIT_REPLACE_BODY};
        if (!edit_find_block(a, text, e.id, &found, &err))
            fail_msg("%s", err.msg);
        for (int kind = 0; kind < 4; kind++) {
            e.content = variant(a, str_slice(text, found.start, found.end), kind);
            bool ok = edit_block(a, text, &e, &r, &err);
            check_same(text, e.content, ok, &r, &err);
        }
    }
    return n->n_blocks;
}

static void test_identity(void **state)
{
    size_t sections = 0, blocks = 0;
    (void)state;
    for (int i = 0; i < NOTES; i++) {
        struct arena a = {0};
        struct note n;
        str text = make_note(&a);
        note_scan(&a, text, &n);
        sections += check_sections(&a, text, &n);
        blocks += check_blocks(&a, text, &n);
        arena_release(&a);
    }
    CHECK("enough", sections > NOTES && blocks > NOTES / 2);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_identity)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
