#include "app/kit/seen.h"

#include <pthread.h>
#include <stdio.h>

#include "base/sbuf.h"
#include "check.h"

#define NOTE "# A\n\none ^x\n\n## S\n\nsub\n\n# B\n\ntwo\n"

static const struct seen_by ann = {STR("ann"), STR("v"), STR("n.md")},
                            bob = {STR("bob"), STR("v"), STR("n.md")},
                            nobody = {STR(""), STR("v"), STR("n.md")};

static struct edit_range whole(str text)
{
    return (struct edit_range){0, text.n};
}

static bool is_stale(struct seen *s, const struct seen_by *by, const char *text,
                     const char *heading)
{
    struct arena a = {0};
    struct edit_range part;
    struct err err;
    if (heading[0] == '^'
            ? !edit_find_block(&a, str_c(text), str_c(heading), &part, &err)
            : !edit_find_section(&a, str_c(text), str_c(heading), &part, &err))
        fail_msg("%s", err.msg);
    bool stale = seen_is_stale(s, by, str_c(text), part);
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
    struct seen *s = seen_create();
    (void)state;
    seen_show(s, &ann, STR(NOTE), whole(STR(NOTE)));
    seen_show(s, &nobody, STR(NOTE), whole(STR(NOTE)));
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const char *now = cases[i].now;
        CHECK_INT(now, is_stale(s, &ann, now, "A"), cases[i].a);
        CHECK_INT(now, is_stale(s, &ann, now, "S"), cases[i].s);
        CHECK_INT(now, is_stale(s, &ann, now, "B"), cases[i].b);
        CHECK_INT(now, is_stale(s, &ann, now, "^x"), cases[i].x);
        CHECK(now, !is_stale(s, &bob, now, "A") && !is_stale(s, &nobody, now, "A"));
    }
    seen_free(s);
}

/* A part that was not shown completely is not known. */
static void test_some_of_it(void **state)
{
    static const char now[] = "# A\n\nONE ^x\n\n## S\n\nsub\n\n# B\n\nTWO\n";
    struct seen *s = seen_create();
    (void)state;
    seen_show(s, &ann, STR(NOTE), (struct edit_range){0, 13});
    CHECK("A", !is_stale(s, &ann, now, "A"));
    CHECK("B", !is_stale(s, &ann, now, "B"));
    CHECK("x", is_stale(s, &ann, now, "^x"));
    CHECK("lines", seen_lines_stale(s, &ann, str_c(now), 1, 3));
    CHECK("other lines", !seen_lines_stale(s, &ann, str_c(now), 4, 11));
    seen_show(s, &ann, str_c(now), whole(str_c(now)));
    CHECK("read again", !is_stale(s, &ann, now, "^x"));
    CHECK("read again", !seen_lines_stale(s, &ann, str_c(now), 1, 11));
    seen_free(s);
}

/* The client's own changes count as read, but not what others did before. */
static void test_changes(void **state)
{
    static const char mine[] = "# A\n\nmine ^x\n\n## S\n\nsub\n\n# B\n\ntwo\n",
                      theirs[] = "# A\n\nmine ^x\n\n## S\n\ntheirs\n\n# B\n\ntwo\n",
                      both[] = "# A\n\nmine ^x\nmore\n\n## S\n\ntheirs\n\n# B\n\ntwo\n";
    struct seen *s = seen_create();
    (void)state;
    seen_change(s, &ann, STR(NOTE), str_c(mine));
    CHECK("never read", !is_stale(s, &ann, theirs, "S"));
    seen_show(s, &ann, STR(NOTE), whole(STR(NOTE)));
    seen_change(s, &ann, STR(NOTE), str_c(mine));
    CHECK("mine", !is_stale(s, &ann, mine, "A") && !is_stale(s, &ann, mine, "B"));
    CHECK("mine", !seen_lines_stale(s, &ann, str_c(mine), 1, 11));
    seen_change(s, &ann, str_c(theirs), str_c(both));
    CHECK("both", is_stale(s, &ann, both, "A") && is_stale(s, &ann, both, "S"));
    CHECK("both", !is_stale(s, &ann, both, "B"));
    CHECK("lines", !seen_lines_stale(s, &ann, str_c(both), 1, 5));
    CHECK("lines", seen_lines_stale(s, &ann, str_c(both), 8, 8));
    CHECK("lines", !seen_lines_stale(s, &ann, str_c(both), 10, 12));
    seen_forget(s, &ann);
    CHECK("forgotten", !is_stale(s, &ann, both, "A"));
    seen_free(s);
}

/* The oldest entries make room for new ones, by number and by bytes. */
static void test_limits(void **state)
{
    struct arena *a = *state;
    struct seen *s = seen_create();
    struct sbuf b = SBUF_ON(a);
    seen_show(s, &ann, STR(NOTE), whole(STR(NOTE)));
    for (int i = 0; i < SEEN_NOTES_MAX; i++) {
        struct seen_by by = {STR("ann"), STR("v"), arena_printf(a, "%d.md", i)};
        seen_show(s, &by, STR(NOTE), whole(STR(NOTE)));
    }
    CHECK("number", !is_stale(s, &ann, "# A\n\nother\n", "A"));
    seen_show(s, &ann, STR(NOTE), whole(STR(NOTE)));
    CHECK("latest", is_stale(s, &ann, "# A\n\nother\n", "A"));
    for (int i = 0; i < SEEN_LINES_MAX + 10; i++)
        sbuf_printf(&b, "line %d\n", i);
    for (int i = 0; i < SEEN_BYTES_MAX / SEEN_LINES_MAX; i++) {
        struct seen_by by = {STR("ann"), STR("v"), arena_printf(a, "large %d.md", i)};
        seen_show(s, &by, sbuf_str(&b), whole(sbuf_str(&b)));
        seen_change(s, &by, sbuf_str(&b), STR("short\n"));
        CHECK("short", !seen_lines_stale(s, &by, STR("short\n"), 1, 1));
        seen_show(s, &by, sbuf_str(&b), whole(sbuf_str(&b)));
    }
    CHECK("bytes", !is_stale(s, &ann, "# A\n\nother\n", "A"));
    seen_free(s);
}

static void *use(void *arg)
{
    struct seen *s = arg;
    for (int i = 0; i < 200; i++) {
        char name[16];
        snprintf(name, sizeof(name), "%d.md", i % 7);
        struct seen_by by = {STR("ann"), STR("v"), str_c(name)};
        seen_show(s, &by, STR(NOTE), whole(STR(NOTE)));
        seen_change(s, &by, STR(NOTE), STR("# A\n"));
        (void)seen_lines_stale(s, &by, STR(NOTE), 1, 3);
        if (i % 10 == 0)
            seen_forget(s, &by);
    }
    return NULL;
}

static void test_threads(void **state)
{
    pthread_t threads[4];
    struct seen *s = seen_create();
    (void)state;
    for (size_t i = 0; i < COUNT_OF(threads); i++)
        assert_int_equal(pthread_create(&threads[i], NULL, use, s), 0);
    for (size_t i = 0; i < COUNT_OF(threads); i++)
        pthread_join(threads[i], NULL);
    seen_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_parts),  ARENA_TEST(test_some_of_it), ARENA_TEST(test_changes),
        ARENA_TEST(test_limits), ARENA_TEST(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
