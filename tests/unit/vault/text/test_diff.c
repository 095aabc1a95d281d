#include "vault/text/diff.h"

#include <stdio.h>
#include <unistd.h>

#include "base/sbuf.h"
#include "check.h"

static void test_printed(void **state)
{
    static const struct {
        const char *old, *now, *want;
    } cases[] = {
        {"", "", ""},
        {"a\n", "a\n", ""},
        {"a\n", "b\n", "--- o\n+++ n\n@@ -1 +1 @@\n-a\n+b\n"},
        {"", "a\n", "--- o\n+++ n\n@@ -0,0 +1 @@\n+a\n"},
        {"a\nb\n", "", "--- o\n+++ n\n@@ -1,2 +0,0 @@\n-a\n-b\n"},
        {"a", "a\n", "--- o\n+++ n\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n"},
        {"1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nx\n6\n7\n8\n9\n",
         "--- o\n+++ n\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+x\n 6\n 7\n 8\n"},
        {"1\n2\n3\n4\n5\n6\n7\n8\n9\n", "x\n2\n3\n4\n5\n6\n7\n8\ny\n",
         "--- o\n+++ n\n@@ -1,4 +1,4 @@\n-1\n+x\n 2\n 3\n 4\n@@ -6,4 +6,4 @@\n 6\n 7\n "
         "8\n-9\n+y\n"},
        {"1\n2\n3\n4\n5\n6\n7\n8\n", "x\n2\n3\n4\n5\n6\n7\ny\n",
         "--- o\n+++ n\n@@ -1,8 +1,8 @@\n-1\n+x\n 2\n 3\n 4\n 5\n 6\n 7\n-8\n+y\n"},
        {"a\rb\r", "a\rc", /* lone returns end lines */
         "--- o\n+++ n\n@@ -1,2 +1,2 @@\n a\r\n-b\r\n+c\n\\ No newline at end of file\n"},
        {"a\r\nb\r\n", "a\r\nc\r\n", "--- o\n+++ n\n@@ -1,2 +1,2 @@\n a\r\n-b\r\n+c\r\n"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct diff d;
        diff_make(*state, str_c(cases[i].old), str_c(cases[i].now), &d);
        CHECK_STR(cases[i].now, diff_print(*state, &d, STR("o"), STR("n"), 0),
                  cases[i].want);
        CHECK("coarse", !d.coarse);
    }
}

static void test_cut_off(void **state)
{
    struct diff d;
    diff_make(*state, STR("a\nb\nc\n"), STR("x\ny\nz\n"), &d);
    CHECK_STR("cut", diff_print(*state, &d, STR("o"), STR("n"), 33),
              "--- o\n+++ n\n@@ -1,3 +1,3 @@\n-a\n(5 more lines)\n");
}

/* --- random texts --- */

static uint32_t seed = 1;

static uint32_t next_random(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 17;
    seed ^= seed << 5;
    return seed;
}

static str random_lines(struct arena *a, unsigned lines, unsigned alphabet)
{
    struct sbuf b = SBUF_ON(a);
    for (unsigned i = 0; i < lines; i++)
        sbuf_printf(&b, "%.*s\n", (int)(next_random() % alphabet), "abcdefghij");
    if (b.n > 0 && next_random() % 3 == 0)
        b.n--;
    return sbuf_str(&b);
}

/* The text with some of its lines changed. */
static str changed_lines(struct arena *a, str text, unsigned one_in)
{
    struct sbuf b = SBUF_ON(a);
    str line;
    while (text.n > 0 && str_next(&text, '\n', &line)) {
        uint32_t r = next_random();
        if (r % one_in == 0)
            sbuf_printf(&b, "new %u\n", r % 7);
        if (r % one_in != 1)
            sbuf_printf(&b, STR_FMT "\n", STR_ARG(line));
    }
    return sbuf_str(&b);
}

/* The new text, made from the old one and the hunks. */
static str apply(struct arena *a, const struct diff *d)
{
    struct sbuf b = SBUF_ON(a);
    uint32_t x = 0;
    for (size_t i = 0; i < d->n_hunks; i++)
        for (size_t k = 0; k < d->hunks[i].n_changes; k++) {
            const struct diff_change *c = &d->hunks[i].changes[k];
            for (; x < c->old_at; x++)
                sbuf_add(&b, d->old_lines[x]);
            for (uint32_t y = 0; y < c->new_n; y++)
                sbuf_add(&b, d->new_lines[c->new_at + y]);
            x += c->old_n;
        }
    for (; x < d->n_old; x++)
        sbuf_add(&b, d->old_lines[x]);
    return sbuf_str(&b);
}

/* The smallest number of lines to drop and add, by dynamic programming. */
static size_t distance(struct arena *a, const struct diff *d)
{
    size_t *row = ARENA_ARRAY(a, size_t, d->n_new + 1);
    for (uint32_t y = 0; y <= d->n_new; y++)
        row[y] = y;
    for (uint32_t x = 0; x < d->n_old; x++) {
        size_t diagonal = row[0]++;
        for (uint32_t y = 0; y < d->n_new; y++) {
            size_t up = row[y + 1], left = row[y];
            size_t best = (up < left ? up : left) + 1;
            row[y + 1] = str_eq(d->old_lines[x], d->new_lines[y]) ? diagonal : best;
            diagonal = up;
        }
    }
    return row[d->n_new];
}

static void test_shortest(void **state)
{
    (void)state;
    for (int i = 0; i < 2000; i++) {
        struct arena a = {0};
        struct diff d;
        unsigned alphabet = 2 + next_random() % 8;
        str old = random_lines(&a, next_random() % 40, alphabet);
        str now = i % 2 ? random_lines(&a, next_random() % 40, alphabet)
                        : changed_lines(&a, old, 2 + next_random() % 9);
        diff_make(&a, old, now, &d);
        CHECK("apply", str_eq(apply(&a, &d), now));
        CHECK_INT("shortest", d.added + d.removed, distance(&a, &d));
        arena_release(&a);
    }
}

/* The same lines in another order, so that the shortest result is too much work. */
static void test_huge(void **state)
{
    struct sbuf old = SBUF_ON(*state), now = SBUF_ON(*state);
    for (unsigned i = 0; i < 40000; i++) {
        sbuf_printf(&old, "%u\n", next_random() % 1000);
        sbuf_printf(&now, "%u\n", next_random() % 1000);
    }
    struct diff d;
    diff_make(*state, sbuf_str(&old), sbuf_str(&now), &d);
    CHECK("coarse", d.coarse);
    CHECK("apply", str_eq(apply(*state, &d), sbuf_str(&now)));
}

/* --- patch(1) understands it --- */

static void write_file(const char *folder, const char *name, str text)
{
    char path[256];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(text.p, 1, text.n, f), text.n);
    fclose(f);
}

static void test_patch(void **state)
{
    char folder[] = "/tmp/test-diff-XXXXXX", command[512];
    struct arena *a = *state;
    struct diff d;
    if (system("patch --version >/dev/null 2>&1") != 0)
        SKIP("patch is missing");
    assert_non_null(mkdtemp(folder));
    snprintf(command, sizeof(command),
             "cd %s && patch -s -f --binary -F0 old <diff && cmp -s old new", folder);
    for (int i = 0; i < 60; i++) {
        str old = random_lines(a, 1 + next_random() % 60, 8);
        str now = i % 3 ? changed_lines(a, old, 3 + next_random() % 20)
                        : random_lines(a, 1 + next_random() % 60, 8);
        diff_make(a, old, now, &d);
        write_file(folder, "old", old);
        write_file(folder, "new", now);
        write_file(folder, "diff", diff_print(a, &d, STR("old"), STR("new"), 0));
        if (d.n_hunks > 0 && now.n > 0 && system(command) != 0)
            fail_msg("%d: patch refuses the diff in %s", i, folder);
    }
    snprintf(command, sizeof(command), "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_printed), ARENA_TEST(test_cut_off), ARENA_TEST(test_shortest),
        ARENA_TEST(test_huge),    ARENA_TEST(test_patch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
