#include "app/tool_support/read_log.h"

#include <pthread.h>
#include <stdio.h>

#include "base/sbuf.h"
#include "check.h"
#include "rounds.h"
#include "vault/note/note.h"

#define NOTE "# A\n\none ^x\n\n## S\n\nsub\n\n# B\n\ntwo\n"

static const struct reader_key ann = {STR("ann"), STR("v"), STR("n.md")},
                               bob = {STR("bob"), STR("v"), STR("n.md")},
                               nobody = {STR(""), STR("v"), STR("n.md")};

static struct edit_range whole(str text)
{
    return (struct edit_range){0, text.n};
}

static bool is_stale(struct read_log *s, const struct reader_key *by, const char *text,
                     const char *heading)
{
    struct arena a = {0};
    struct edit_range part;
    struct err err;
    if (heading[0] == '^'
            ? !edit_find_block(&a, str_c(text), str_c(heading), &part, &err)
            : !edit_find_section(&a, str_c(text), str_c(heading), &part, &err))
        fail_msg("%s", err.msg);
    bool stale = read_log_is_stale(s, by, str_c(text), part);
    arena_release(&a);
    return stale;
}

/* What was shown and is different now; for other clients nothing is. */
static void test_parts(void **state)
{
    static const struct {
        const char *now;
        bool a, s, b, x;
    } cases[] = {
        {NOTE, false, false, false, false},
        {"above\n\n" NOTE, false, false, false, false},
        {"# A\n\none ^x\n\n## S\n\nSUB\n\n# B\n\ntwo\n", true, true, false, false},
        {"# A\n\nONE ^x\n\n## S\n\nsub\n\n# B\n\ntwo\n", true, false, false, true},
        {"# A\n\none ^x\n\n## S\n\nsub\n\n# B\n\ntwo\nmore\n", false, false, true, false},
    };
    struct read_log *s = read_log_create();
    (void)state;
    read_log_show(s, &ann, STR(NOTE), whole(STR(NOTE)));
    read_log_show(s, &nobody, STR(NOTE), whole(STR(NOTE)));
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const char *now = cases[i].now;
        CHECK_INT(now, is_stale(s, &ann, now, "A"), cases[i].a);
        CHECK_INT(now, is_stale(s, &ann, now, "S"), cases[i].s);
        CHECK_INT(now, is_stale(s, &ann, now, "B"), cases[i].b);
        CHECK_INT(now, is_stale(s, &ann, now, "^x"), cases[i].x);
        CHECK(now, !is_stale(s, &bob, now, "A") && !is_stale(s, &nobody, now, "A"));
    }
    read_log_free(s);
}

/* A part that was not shown completely is not known. */
static void test_some_of_it(void **state)
{
    static const char now[] = "# A\n\nONE ^x\n\n## S\n\nsub\n\n# B\n\nTWO\n";
    struct read_log *s = read_log_create();
    (void)state;
    read_log_show(s, &ann, STR(NOTE), (struct edit_range){0, 13});
    CHECK("A", !is_stale(s, &ann, now, "A"));
    CHECK("B", !is_stale(s, &ann, now, "B"));
    CHECK("x", is_stale(s, &ann, now, "^x"));
    CHECK("lines", read_log_lines_stale(s, &ann, str_c(now), 1, 3));
    CHECK("other lines", !read_log_lines_stale(s, &ann, str_c(now), 4, 11));
    read_log_show(s, &ann, str_c(now), whole(str_c(now)));
    CHECK("read again", !is_stale(s, &ann, now, "^x"));
    CHECK("read again", !read_log_lines_stale(s, &ann, str_c(now), 1, 11));
    read_log_free(s);
}

/* The client's own changes count as read, but not what others did before. */
static void test_changes(void **state)
{
    static const char mine[] = "# A\n\nmine ^x\n\n## S\n\nsub\n\n# B\n\ntwo\n",
                      theirs[] = "# A\n\nmine ^x\n\n## S\n\ntheirs\n\n# B\n\ntwo\n",
                      both[] = "# A\n\nmine ^x\nmore\n\n## S\n\ntheirs\n\n# B\n\ntwo\n";
    struct read_log *s = read_log_create();
    (void)state;
    read_log_change(s, &ann, STR(NOTE), str_c(mine));
    CHECK("never read", !is_stale(s, &ann, theirs, "S"));
    read_log_show(s, &ann, STR(NOTE), whole(STR(NOTE)));
    read_log_change(s, &ann, STR(NOTE), str_c(mine));
    CHECK("mine", !is_stale(s, &ann, mine, "A") && !is_stale(s, &ann, mine, "B"));
    CHECK("mine", !read_log_lines_stale(s, &ann, str_c(mine), 1, 11));
    read_log_change(s, &ann, str_c(theirs), str_c(both));
    CHECK("both", is_stale(s, &ann, both, "A") && is_stale(s, &ann, both, "S"));
    CHECK("both", !is_stale(s, &ann, both, "B"));
    CHECK("lines", !read_log_lines_stale(s, &ann, str_c(both), 1, 5));
    CHECK("lines", read_log_lines_stale(s, &ann, str_c(both), 8, 8));
    CHECK("lines", !read_log_lines_stale(s, &ann, str_c(both), 10, 12));
    read_log_forget(s, &ann);
    CHECK("forgotten", !is_stale(s, &ann, both, "A"));
    read_log_free(s);
}

/* A section is known by its text: other headings above it neither hide a change nor are
 * one. What others have added was not seen. */
static void test_headings_above(void **state)
{
    static const char read[] = "# H\n\n## S\n\nsub\n\n## T\n\nt\n",
                      changed[] = "H\n\n## S\n\nsub\n\ntheirs\n\n## T\n\nt\n",
                      added[] = "# H\n\n## S\n\nsub\n\n## T\n\nt\n\n## U\n\nu\n";
    struct read_log *s = read_log_create();
    (void)state;
    read_log_show(s, &ann, str_c(read), whole(str_c(read)));
    CHECK("changed", is_stale(s, &ann, changed, "S"));
    CHECK("the same", !is_stale(s, &ann, changed, "T"));
    CHECK("added", is_stale(s, &ann, added, "U") && !is_stale(s, &ann, added, "S"));
    CHECK("lines added", read_log_lines_stale(s, &ann, str_c(added), 11, 13));
    read_log_show(s, &ann, str_c(changed), (struct edit_range){0, 2});
    CHECK("still changed", is_stale(s, &ann, changed, "S"));
    read_log_free(s);
}

/* --- any note, changed by others and by the client --- */

struct section {
    int level; /* 0: a paragraph in place of a heading */
    char title, body;
};

struct any_note {
    struct section sections[6];
    size_t n;
    const char *eol;
};

static unsigned seed;

static unsigned pick(unsigned n)
{
    seed = seed * 1103515245u + 12345u;
    return (seed >> 16) % n;
}

static str print_note(struct arena *a, const struct any_note *n)
{
    static const char *const marks[] = {"", "# ", "## ", "### "};
    struct sbuf b = SBUF_ON(a);
    for (size_t i = 0; i < n->n; i++) {
        const struct section *s = &n->sections[i];
        sbuf_printf(&b, "%s%c%s%sbody %c%s%s", marks[s->level], s->title, n->eol, n->eol,
                    s->body, n->eol, n->eol);
    }
    return sbuf_str(&b);
}

static struct any_note new_note(unsigned round)
{
    static const char *const breaks[] = {"\n", "\r\n", "\r"};
    return (struct any_note){.eol = breaks[round % COUNT_OF(breaks)]};
}

static void add_section(struct any_note *n, size_t at)
{
    if (n->n == COUNT_OF(n->sections))
        return;
    memmove(&n->sections[at + 1], &n->sections[at], (n->n - at) * sizeof(n->sections[0]));
    n->sections[at] =
        (struct section){(int)pick(3) + 1, (char)('A' + pick(8)), (char)('a' + pick(26))};
    n->n++;
}

static void change_note(struct any_note *n)
{
    size_t at = pick((unsigned)n->n);
    struct section *s = &n->sections[at];
    switch (pick(5)) {
    case 0:
        s->body = (char)('a' + pick(26));
        break;
    case 1:
        s->title = (char)('A' + pick(8));
        break;
    case 2:
        s->level = (int)pick(4);
        break;
    case 3:
        add_section(n, at);
        break;
    case 4:
        if (n->n > 1)
            memmove(s, s + 1, (--n->n - at) * sizeof(*s));
        break;
    }
}

/* Whether the client has been shown that text as a section, or has written it. */
static bool was_known(const str *known, size_t n, str text)
{
    for (size_t i = 0; i < n; i++)
        if (str_eq(known[i], text))
            return true;
    return false;
}

static size_t sections_of(struct arena *a, str text, str *out, struct edit_range *at)
{
    struct note n;
    note_scan(a, text, &n);
    for (uint32_t i = 0; i < n.n_headings; i++) {
        out[i] = span_of(text, n.headings[i].section);
        at[i] =
            (struct edit_range){n.headings[i].section.start, n.headings[i].section.end};
    }
    return n.n_headings;
}

/* A section is stale if and only if the client does not know its text: it is none of the
 * sections that it read, and it has not made it out of them. */
static void test_any_change(void **state)
{
    enum { SECTIONS = 8 };
    struct arena *a = *state;
    struct read_log *s = read_log_create();
    unsigned stale = 0, fresh = 0;
    for (unsigned r = 1, end = (unsigned)rounds(400); r <= end; r++) {
        struct any_note n = new_note(r);
        str known[SECTIONS], now[SECTIONS];
        struct edit_range at[SECTIONS];
        seed = r * 7919;
        for (unsigned i = pick(5) + 1; i > 0; i--)
            add_section(&n, n.n);
        str read = print_note(a, &n);
        size_t n_known = sections_of(a, read, known, at);
        read_log_show(s, &ann, read, whole(read));
        for (unsigned i = pick(4); i > 0; i--)
            change_note(&n);
        str theirs = print_note(a, &n);
        size_t n_now = sections_of(a, theirs, now, at);
        for (size_t i = 0; i < n_now; i++) {
            bool got = read_log_is_stale(s, &ann, theirs, at[i]);
            if (got == was_known(known, n_known, now[i]))
                fail_msg("round %u: read\n" STR_FMT "now\n" STR_FMT "section %zu is %s",
                         r, STR_ARG(read), STR_ARG(theirs), i, got ? "stale" : "fresh");
            *(got ? &stale : &fresh) += 1;
        }
        read_log_forget(s, &ann);
        arena_reset(a);
    }
    CHECK("both", stale > 100 && fresh > 100);
    read_log_free(s);
}

/* What the client writes is not stale to it, unless others wrote near it, and it hides
 * nothing that they wrote. */
static void test_any_own_change(void **state)
{
    enum { SECTIONS = 8 };
    struct arena *a = *state;
    struct read_log *s = read_log_create();
    for (unsigned r = 1, end = (unsigned)rounds(400); r <= end; r++) {
        struct any_note n = new_note(r);
        str now[SECTIONS];
        struct edit_range at[SECTIONS];
        seed = r * 104729;
        for (unsigned i = pick(5) + 1; i > 0; i--)
            add_section(&n, n.n);
        str before = print_note(a, &n);
        read_log_show(s, &ann, before, whole(before));
        bool others = pick(2) == 0;
        if (others) { /* a mark that no section of the client has */
            n.sections[pick((unsigned)n.n)].body = '!';
            before = print_note(a, &n);
        }
        change_note(&n);
        str after = print_note(a, &n);
        read_log_change(s, &ann, before, after);
        size_t n_now = sections_of(a, after, now, at);
        for (size_t i = 0; i < n_now; i++) {
            bool theirs = str_find(now[i], STR("!")) != STR_NONE;
            bool got = read_log_is_stale(s, &ann, after, at[i]);
            if (theirs ? !got : got && !others)
                fail_msg("round %u: " STR_FMT "then\n" STR_FMT "section %zu is %s", r,
                         STR_ARG(before), STR_ARG(after), i, got ? "stale" : "fresh");
        }
        read_log_forget(s, &ann);
        arena_reset(a);
    }
    read_log_free(s);
}

/* The oldest entries make room for new ones, by number and by bytes. */
static void test_limits(void **state)
{
    struct arena *a = *state;
    struct read_log *s = read_log_create();
    struct sbuf b = SBUF_ON(a);
    read_log_show(s, &ann, STR(NOTE), whole(STR(NOTE)));
    for (int i = 0; i < READ_LOG_NOTES_MAX; i++) {
        struct reader_key by = {STR("ann"), STR("v"), arena_printf(a, "%d.md", i)};
        read_log_show(s, &by, STR(NOTE), whole(STR(NOTE)));
    }
    CHECK("number", !is_stale(s, &ann, "# A\n\nother\n", "A"));
    read_log_show(s, &ann, STR(NOTE), whole(STR(NOTE)));
    CHECK("latest", is_stale(s, &ann, "# A\n\nother\n", "A"));
    for (int i = 0; i < READ_LOG_LINES_MAX + 10; i++)
        sbuf_printf(&b, "line %d\n", i);
    for (int i = 0; i < READ_LOG_BYTES_MAX / READ_LOG_LINES_MAX; i++) {
        struct reader_key by = {STR("ann"), STR("v"), arena_printf(a, "large %d.md", i)};
        read_log_show(s, &by, sbuf_str(&b), whole(sbuf_str(&b)));
        read_log_change(s, &by, sbuf_str(&b), STR("short\n"));
        CHECK("short", !read_log_lines_stale(s, &by, STR("short\n"), 1, 1));
        read_log_show(s, &by, sbuf_str(&b), whole(sbuf_str(&b)));
    }
    CHECK("bytes", !is_stale(s, &ann, "# A\n\nother\n", "A"));
    read_log_free(s);
}

static void *use(void *arg)
{
    struct read_log *s = arg;
    for (int i = 0; i < 200; i++) {
        char name[16];
        snprintf(name, sizeof(name), "%d.md", i % 7);
        struct reader_key by = {STR("ann"), STR("v"), str_c(name)};
        read_log_show(s, &by, STR(NOTE), whole(STR(NOTE)));
        read_log_change(s, &by, STR(NOTE), STR("# A\n"));
        (void)read_log_lines_stale(s, &by, STR(NOTE), 1, 3);
        if (i % 10 == 0)
            read_log_forget(s, &by);
    }
    return NULL;
}

static void test_threads(void **state)
{
    pthread_t threads[4];
    struct read_log *s = read_log_create();
    for (size_t i = 0; i < COUNT_OF(threads); i++)
        assert_int_equal(pthread_create(&threads[i], NULL, use, s), 0);
    for (size_t i = 0; i < COUNT_OF(threads); i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < 7; i++) { /* it is whole: what is read and changed now counts */
        struct reader_key by = {STR("ann"), STR("v"), arena_printf(*state, "%d.md", i)};
        read_log_show(s, &by, STR(NOTE), whole(STR(NOTE)));
        CHECK("as read", !read_log_lines_stale(s, &by, STR(NOTE), 1, 3));
        CHECK("other", read_log_lines_stale(s, &by, STR("x\ny\nz\n"), 1, 3));
        read_log_forget(s, &by);
        CHECK("forgotten", !read_log_lines_stale(s, &by, STR("x\ny\nz\n"), 1, 3));
    }
    read_log_free(s);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_parts),      ARENA_TEST(test_some_of_it),
        ARENA_TEST(test_changes),    ARENA_TEST(test_headings_above),
        ARENA_TEST(test_any_change), ARENA_TEST(test_any_own_change),
        ARENA_TEST(test_limits),     ARENA_TEST(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
