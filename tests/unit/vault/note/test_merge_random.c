/*
 * Random edits of random notes. Every word that an edit adds is unique, so it shows
 * whether the edit is in the result. We also compare with "git merge-file": whatever it
 * merges without a conflict, we merge, too, and with the same words.
 *
 * Intended differences from git: the order of lines may differ where both sides added
 * lines at one place (git has a conflict there), and blank lines may be added there to
 * separate paragraphs; properties are merged by key, so git may merge two changes of one
 * list that collide for us; line endings never collide.
 */
#include <stdio.h>
#include <unistd.h>

#include "base/sbuf.h"
#include "check.h"
#include "vault/note/merge.h"

enum { NOTES = 1500, ASK_GIT = 250, LINES_MAX = 200 };

static uint32_t seed;

static uint32_t next_random(uint32_t below)
{
    seed ^= seed << 13;
    seed ^= seed >> 17;
    seed ^= seed << 5;
    return seed % below;
}

struct lines {
    str items[LINES_MAX];
    size_t n;
};

static unsigned token;

static void add(struct lines *l, str line)
{
    if (l->n < LINES_MAX)
        l->items[l->n++] = line;
}

/* Words that repeat, as in real notes. */
static const char *words(struct arena *a, unsigned n)
{
    static const char *const some[] = {"the", "note",  "plan", "of",   "day", "tea",
                                       "and", "green", "walk", "home", "see", "[[Link]]"};
    struct sbuf b = SBUF_ON(a);
    for (unsigned i = 0; i < n; i++)
        sbuf_printf(&b, "%s%s", i > 0 ? " " : "", some[next_random(COUNT_OF(some))]);
    sbuf_char(&b, '\0');
    return b.p;
}

static void add_block(struct arena *a, struct lines *l)
{
    unsigned n = 1 + next_random(4), kind = next_random(6);
    if (kind == 0)
        add(l, arena_printf(a, "## h%u", token++));
    for (unsigned i = 0; kind == 1 && i < n; i++)
        add(l, arena_printf(a, "- [ ] t%u %s", token++, words(a, 3)));
    for (unsigned i = 0; kind == 2 && i < n; i++)
        add(l, arena_printf(a, "- %s", words(a, 1 + n)));
    if (kind == 3) {
        add(l, STR("| a | b |"));
        add(l, STR("| --- | --- |"));
        for (unsigned i = 0; i < n; i++)
            add(l, arena_printf(a, "| r%u | %s |", token++, words(a, 2)));
    }
    if (kind == 4) {
        add(l, STR("```"));
        for (unsigned i = 0; i < n; i++)
            add(l, arena_printf(a, "c%u();", next_random(5)));
        add(l, STR("```"));
    }
    for (unsigned i = 0; kind == 5 && i < 1 + n / 4; i++)
        add(l, str_c(words(a, 5 + next_random(20))));
    add(l, STR(""));
}

static void make_note(struct arena *a, struct lines *out)
{
    out->n = 0;
    if (next_random(2) == 0) {
        add(out, STR("---"));
        add(out, STR("title: x"));
        add(out, STR("tags: [a, b]"));
        add(out, STR("---"));
    }
    for (unsigned n = next_random(8); n > 0; n--)
        add_block(a, out);
}

/* Where the body begins. */
static size_t body_of(const struct lines *l)
{
    return l->n > 0 && str_eq(l->items[0], STR("---")) ? 4 : 0;
}

static void insert(struct lines *l, size_t at, str line)
{
    if (l->n == LINES_MAX)
        return;
    memmove(&l->items[at + 1], &l->items[at], (l->n - at) * sizeof(str));
    l->items[at] = line;
    l->n++;
}

static void remove_line(struct lines *l, size_t at)
{
    memmove(&l->items[at], &l->items[at + 1], (l->n - at - 1) * sizeof(str));
    l->n--;
}

/* The line with a new word after one of its words. */
static str with_word(struct arena *a, str line, char side)
{
    size_t at = line.n > 0 ? next_random((uint32_t)line.n) : 0;
    while (at < line.n && line.p[at] != ' ')
        at++;
    return arena_printf(a, STR_FMT " %c%u" STR_FMT, STR_ARG(str_slice(line, 0, at)), side,
                        token++, STR_ARG(str_skip(line, at)));
}

static void edit_once(struct arena *a, struct lines *l, char side)
{
    size_t from = body_of(l), at = from + next_random((uint32_t)(l->n - from) + 1);
    str line = at < l->n ? l->items[at] : STR("");
    bool fence = str_starts(line, STR("```")) || str_starts(line, STR("| -"));
    switch (next_random(7)) {
    case 0:
        insert(l, at, arena_printf(a, "- %c%u new", side, token++));
        break;
    case 1:
        insert(l, at, STR(""));
        insert(l, at, arena_printf(a, "Text %c%u.", side, token++));
        break;
    case 2:
        if (at < l->n && !fence)
            remove_line(l, at);
        break;
    case 3:
        if (str_starts(line, STR("- [ ]")))
            l->items[at] = arena_printf(a, "- [x]" STR_FMT, STR_ARG(str_skip(line, 5)));
        break;
    case 4:
        add(l, arena_printf(a, "- %c%u last", side, token++));
        break;
    case 5:
        if (from > 0)
            insert(l, 3, arena_printf(a, "k%u: %c%u", token, side, token + 1));
        token += 2;
        break;
    default:
        if (line.n > 0 && !fence)
            l->items[at] = with_word(a, line, side);
    }
}

static str text_of(struct arena *a, const struct lines *l)
{
    struct sbuf b = SBUF_ON(a);
    for (size_t i = 0; i < l->n; i++)
        sbuf_printf(&b, STR_FMT "\n", STR_ARG(l->items[i]));
    return sbuf_str(&b);
}

static str edited(struct arena *a, const struct lines *base, char side)
{
    struct lines l = *base;
    for (unsigned n = next_random(5); n > 0; n--)
        edit_once(a, &l, side);
    str text = text_of(a, &l);
    if (next_random(12) == 0 && text.n > 0)
        text.n--;
    return text;
}

static bool merge3(struct arena *a, str base, str ours, str theirs,
                   struct merge_result *out)
{
    struct merge_input in = {MERGE_NOTE, &base, &ours, &theirs};
    return merge_texts(a, &in, out);
}

#define SHOW(row, what, base, ours, theirs, got)                                         \
    fail_msg("%u: %s\n=== base\n" STR_FMT "=== ours\n" STR_FMT "=== theirs\n" STR_FMT    \
             "=== got\n" STR_FMT,                                                        \
             (row), (what), STR_ARG(base), STR_ARG(ours), STR_ARG(theirs), STR_ARG(got))

/* Every token of a side (its letter and a number) is in text, except those in gap. */
static bool has_tokens(str from, char side, str text, const struct merge_result *but)
{
    for (size_t i = 1, end; i < from.n; i = end) {
        end = i + 1;
        if (from.p[i] != side || (from.p[i - 1] != ' ' && from.p[i - 1] != '\n'))
            continue;
        while (end < from.n && from.p[end] >= '0' && from.p[end] <= '9')
            end++;
        bool left_out = end == i + 1;
        for (size_t k = 0; k < but->n_collisions; k++)
            left_out |=
                but->collisions[k].theirs.start <= i && i < but->collisions[k].theirs.end;
        if (!left_out && str_find(text, str_slice(from, i, end)) == STR_NONE)
            return false;
    }
    return true;
}

static int by_text(const void *a, const void *b)
{
    return str_cmp(*(const str *)a, *(const str *)b);
}

/* Lines that are not blank. */
static size_t text_lines(struct arena *a, str text, str **out)
{
    size_t n = 0;
    str line;
    *out = ARENA_ARRAY(a, str, text.n + 1);
    while (str_next(&text, '\n', &line))
        if (line.n > 0)
            (*out)[n++] = line;
    return n;
}

/*
 * Whether the lines are the same, ignoring blank lines; sorted: and ignoring the order.
 */
static bool same_lines(struct arena *a, str x, str y, bool sorted)
{
    str *of_x, *of_y;
    size_t n = text_lines(a, x, &of_x);
    if (n != text_lines(a, y, &of_y))
        return false;
    if (sorted) {
        qsort(of_x, n, sizeof(str), by_text);
        qsort(of_y, n, sizeof(str), by_text);
    }
    for (size_t i = 0; i < n; i++)
        if (!str_eq(of_x[i], of_y[i]))
            return false;
    return true;
}

static void check_laws(struct arena *a, uint32_t row, str base, str ours, str theirs)
{
    static const struct merge_result none = {0};
    struct merge_result out, again;
    bool clean = merge3(a, base, ours, theirs, &out);
    if (!has_tokens(ours, 'o', out.text, &none))
        SHOW(row, "a word of ours is missing", base, ours, theirs, out.text);
    if (!has_tokens(theirs, 'i', out.text, &out))
        SHOW(row, "a word of theirs is missing", base, ours, theirs, out.text);
    if (str_find(out.text, STR("<<<<<<<")) != STR_NONE)
        SHOW(row, "a marker", base, ours, theirs, out.text);
    merge3(a, base, out.text, theirs, &again);
    if (!same_lines(a, again.text, out.text, false))
        SHOW(row, "merged again with theirs", base, out.text, theirs, again.text);
    if (!clean)
        return;
    if (!merge3(a, base, ours, out.text, &again) ||
        !same_lines(a, again.text, out.text, false))
        SHOW(row, "merged again with ours", base, ours, out.text, again.text);
    if (!merge3(a, base, theirs, ours, &again) ||
        !same_lines(a, again.text, out.text, true))
        SHOW(row, "the other way round", base, ours, theirs, again.text);
}

static void test_laws(void **state)
{
    unsigned collided = 0;
    for (uint32_t row = 1; row <= NOTES; row++) {
        struct arena *a = *state;
        struct lines base;
        struct merge_result out;
        seed = row * 2654435761U;
        token = 0;
        make_note(a, &base);
        str text = text_of(a, &base);
        str ours = edited(a, &base, 'o'), theirs = edited(a, &base, 'i');
        check_laws(a, row, text, ours, theirs);
        collided += !merge3(a, text, ours, theirs, &out);
        merge3(a, text, text, theirs, &out);
        CHECK("one side", str_eq(out.text, theirs));
        merge3(a, text, ours, ours, &out);
        CHECK("the same on both sides", str_eq(out.text, ours));
        arena_reset(a);
    }
    print_message("%u of %u collided\n", collided, NOTES);
}

/* --- git --- */

static void write_file(const char *folder, const char *name, str text)
{
    char path[256];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(text.p, 1, text.n, f), text.n);
    fclose(f);
}

static str read_file(struct arena *a, const char *folder, const char *name)
{
    char path[256], *p = arena_alloc(a, 1 << 16);
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    size_t n = fread(p, 1, 1 << 16, f);
    fclose(f);
    return (str){p, n};
}

static void test_git(void **state)
{
    char folder[] = "/tmp/test-merge-XXXXXX", command[256];
    unsigned git_clean = 0, clean = 0;
    if (system("git merge-file -h >/dev/null 2>&1") == 127 * 256)
        SKIP("git is missing");
    assert_non_null(mkdtemp(folder));
    snprintf(command, sizeof(command),
             "cd %s && git merge-file -p ours base theirs >merged 2>/dev/null", folder);
    for (uint32_t row = 1; row <= ASK_GIT; row++) {
        struct arena *a = *state;
        struct lines base;
        struct merge_result out;
        seed = row * 2246822519U;
        token = 0;
        make_note(a, &base);
        str text = text_of(a, &base);
        str ours = edited(a, &base, 'o'), theirs = edited(a, &base, 'i');
        write_file(folder, "base", text);
        write_file(folder, "ours", ours);
        write_file(folder, "theirs", theirs);
        bool git = system(command) == 0, we = merge3(a, text, ours, theirs, &out);
        git_clean += git;
        clean += we;
        if (git && !we)
            SHOW(row, "git merges it", text, ours, theirs, out.text);
        if (git && !same_lines(a, out.text, read_file(a, folder, "merged"), true))
            SHOW(row, "git has other lines", text, ours, theirs, out.text);
        arena_reset(a);
    }
    print_message("of %u merges git does %u, we %u\n", ASK_GIT, git_clean, clean);
    snprintf(command, sizeof(command), "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {ARENA_TEST(test_laws), ARENA_TEST(test_git)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
