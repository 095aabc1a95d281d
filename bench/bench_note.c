/*
 * How fast notes are scanned, ours against md4c with wikilinks, tables, tasks and math
 * switched on and callbacks that only count. Notes of a few KB that look like real ones,
 * 20 MB in all; rounds of both alternate, and what is printed are medians of CPU time.
 */
#include <md4c.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/sbuf.h"
#include "vault/note/note.h"

enum { ROUNDS = 15, CORPUS = 20 << 20, NOTES_MAX = 20000 };

static str notes[NOTES_MAX];
static size_t n_notes, n_bytes;

/* --- the corpus --- */

static uint32_t seed = 1;

static uint32_t pick(uint32_t n)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % n;
}

static const char *const words[] = {
    "the",     "note",
    "about",   "garden",
    "project", "meeting",
    "of",      "and",
    "a",       "plan",
    "which",   "between",
    "results", "next",
    "week",    "with",
    "we",      "should",
    "check",   "whether",
    "numbers", "caf\xC3\xA9",
    "from",    "source",
    "value",   "decided",
    "to",      "write",
    "draft",   "before",
    "review",  "to-do",
    "is",      "\xD0\xB7\xD0\xB0\xD0\xBC\xD0\xB5\xD1\x82\xD0\xBA\xD0\xB0",
    "it",      "10:30",
};

static void add_word(struct sbuf *b)
{
    sbuf_add(b, str_c(words[pick(COUNT_OF(words))]));
}

static void add_words(struct sbuf *b, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        sbuf_char(b, ' ');
        add_word(b);
    }
}

/* One piece of running text, now and then with markup. */
static void add_piece(struct sbuf *b)
{
    switch (pick(40)) {
    case 0:
    case 1:
    case 2:
        sbuf_printf(b, " [[Note %u]]", pick(500));
        break;
    case 3:
        sbuf_printf(b, " [[Folder/Note %u#Section|other words]]", pick(500));
        break;
    case 4:
        sbuf_printf(b, " #topic/%u", pick(40));
        break;
    case 5:
    case 6:
        sbuf_add(b, STR(" **bold words** and *more*"));
        break;
    case 7:
    case 8:
        sbuf_add(b, STR(" `some_code(x)`"));
        break;
    case 9:
        sbuf_add(b, STR(" [a link](https://example.com/page?x=1#part)"));
        break;
    case 10:
        sbuf_add(b, STR(" $x^2 + y$"));
        break;
    case 11:
        sbuf_add(b, STR(" ==marked==, \"quoted\" (100%)."));
        break;
    default:
        add_words(b, 6);
    }
}

static void add_text(struct sbuf *b, uint32_t pieces)
{
    add_word(b);
    for (uint32_t i = 0; i < pieces; i++)
        add_piece(b);
}

static void add_list(struct sbuf *b)
{
    for (uint32_t i = 2 + pick(6); i > 0; i--) {
        static const char *const markers[] = {"- ", "- ", "  - ", "- [ ] ", "- [x] "};
        sbuf_add(b, str_c(markers[pick(COUNT_OF(markers))]));
        add_text(b, 2);
        sbuf_char(b, '\n');
    }
    sbuf_char(b, '\n');
}

static void add_block(struct sbuf *b)
{
    switch (pick(12)) {
    case 0:
    case 1:
        sbuf_printf(b, "\n## Heading %u", pick(100));
        add_words(b, 3);
        sbuf_add(b, STR("\n\n"));
        break;
    case 2:
    case 3:
        add_list(b);
        break;
    case 4:
        sbuf_add(b, STR("```js\nconst a = [[1, 2], [3]]; // #no\nreturn a;\n```\n\n"));
        break;
    case 5:
        sbuf_add(b, STR("> [!note] Title\n> "));
        add_text(b, 3);
        sbuf_add(b, STR("\n> "));
        add_text(b, 3);
        sbuf_add(b, STR("\n\n"));
        break;
    case 6:
        sbuf_add(b, STR("| a | b |\n| - | - |\n| 1 | [[X\\|y]] |\n| 2 | z |\n\n"));
        break;
    default:
        add_text(b, 6 + pick(12));
        sbuf_add(b, STR("\n\n"));
    }
}

static void make_notes(struct arena *a)
{
    while (n_bytes < CORPUS && n_notes < NOTES_MAX) {
        struct sbuf b = SBUF_ON(a);
        size_t size = 500 + pick(7500);
        sbuf_printf(&b, "---\ntags: [a, b]\ncreated: 2024-01-%02u\n---\n# Note %zu\n\n",
                    1 + pick(28), n_notes);
        while (b.n < size)
            add_block(&b);
        notes[n_notes++] = sbuf_str(&b);
        n_bytes += b.n;
    }
}

/* --- the two --- */

static size_t links, code;

static void scan_ours(void)
{
    static struct arena a;
    links = code = 0;
    for (size_t i = 0; i < n_notes; i++) {
        struct note note;
        arena_reset(&a);
        note_scan(&a, notes[i], &note);
        for (uint32_t k = 0; k < note.n_links; k++)
            links += note.links[k].kind == NOTE_WIKILINK;
        for (uint32_t k = 0; k < note.n_regions; k++)
            code += note.regions[k].kind == NOTE_INLINE_CODE;
    }
}

static int block(MD_BLOCKTYPE type, void *detail, void *arg)
{
    (void)type, (void)detail, (void)arg;
    return 0;
}

static int span(MD_SPANTYPE type, void *detail, void *arg)
{
    (void)detail, (void)arg;
    links += type == MD_SPAN_WIKILINK;
    code += type == MD_SPAN_CODE;
    return 0;
}

static int leave_span(MD_SPANTYPE type, void *detail, void *arg)
{
    (void)type, (void)detail, (void)arg;
    return 0;
}

static int text(MD_TEXTTYPE type, const MD_CHAR *p, MD_SIZE n, void *arg)
{
    (void)type, (void)p, (void)n, (void)arg;
    return 0;
}

static void scan_md4c(void)
{
    MD_PARSER parser = {
        .flags = MD_FLAG_WIKILINKS | MD_FLAG_TABLES | MD_FLAG_TASKLISTS |
                 MD_FLAG_LATEXMATHSPANS | MD_FLAG_STRIKETHROUGH,
        .enter_block = block,
        .leave_block = block,
        .enter_span = span,
        .leave_span = leave_span,
        .text = text,
    };
    links = code = 0;
    for (size_t i = 0; i < n_notes; i++)
        md_parse(notes[i].p, (MD_SIZE)notes[i].n, &parser, NULL);
}

/* --- measuring --- */

static double seconds_of(void (*scan)(void))
{
    struct timespec from, to;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
    scan();
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
    return (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) / 1e9;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(void)
{
    struct arena a = {0};
    double ours[ROUNDS], theirs[ROUNDS];
    make_notes(&a);
    for (int i = 0; i < ROUNDS; i++) {
        ours[i] = seconds_of(scan_ours);
        theirs[i] = seconds_of(scan_md4c);
    }
    printf("md4c: %zu wikilinks, %zu code spans\n", links, code);
    scan_ours();
    printf("ours: %zu wikilinks, %zu code spans\n", links, code);
    qsort(ours, ROUNDS, sizeof(*ours), by_size);
    qsort(theirs, ROUNDS, sizeof(*theirs), by_size);
    double mb = (double)n_bytes / 1e6, x = ours[ROUNDS / 2], y = theirs[ROUNDS / 2];
    printf("%zu notes, %.1f MB: %.0f MB/s, md4c %.0f MB/s, ratio %.1f\n", n_notes, mb,
           mb / x, mb / y, y / x);
    arena_release(&a);
    return 0;
}
