#include "vault/ask/duplicates.h"

#include <stdio.h>

#include "base/clock.h"
#include "base/sbuf.h"
#include "check.h"
#include "until.h"

static void put(struct index *x, const char *path, str text, bool excluded)
{
    struct arena scratch = {0};
    struct fs_info info = {0};
    index_put(x, file_make(&scratch, str_c(path), &info, text), excluded);
    arena_release(&scratch);
}

/* Different words, the same for the same number. */
static str words(struct arena *a, unsigned seed, size_t n)
{
    struct sbuf b = SBUF_ON(a);
    for (size_t i = 0; i < n; i++)
        sbuf_printf(&b, "word%zu%s", (seed * 7919U + i) * 104729U % 1000003U,
                    i % 12 == 11 ? "\n" : " ");
    return sbuf_str(&b);
}

static str joined(struct arena *a, str one, str two)
{
    return arena_printf(a, STR_FMT "\n" STR_FMT, STR_ARG(one), STR_ARG(two));
}

static struct duplicate of(const struct index *x, struct arena *a, const char *path)
{
    struct duplicate *all;
    assert_true(duplicates_find(x, a, NULL, &all));
    return all[index_find(x, str_c(path))->id];
}

static void check_pair(const struct index *x, struct arena *a, const char *path,
                       const char *other, unsigned least, unsigned most)
{
    struct duplicate d = of(x, a, path);
    CHECK(path, d.other != NO_FILE);
    CHECK_STR(path, x->files[d.other]->path, other);
    CHECK(path, d.percent >= least && d.percent <= most);
}

static void test_found(void **state)
{
    struct arena *a = *state;
    struct index *x = index_create();
    str text = words(a, 1, 500);
    put(x, "a.md", text, false);
    put(x, "copy.md", joined(a, STR("---\nstatus: new\n---"), text), false);
    put(x, "longer.md", joined(a, text, words(a, 2, 50)), false);
    put(x, "half.md", joined(a, words(a, 3, 500), text), false);
    put(x, "other.md", words(a, 4, 500), false);
    put(x, "excluded.md", text, true);
    put(x, "text.txt", text, false);
    check_pair(x, a, "a.md", "copy.md", 100, 100);
    check_pair(x, a, "copy.md", "a.md", 100, 100);
    check_pair(x, a, "longer.md", "a.md", 80, 98);
    CHECK("half of it", of(x, a, "half.md").other == NO_FILE);
    CHECK("another", of(x, a, "other.md").other == NO_FILE);
    CHECK("excluded", of(x, a, "excluded.md").other == NO_FILE);
    index_free(x);
}

static void test_short(void **state)
{
    struct arena *a = *state;
    struct index *x = index_create();
    put(x, "a.md", STR("# Meeting\n\nAttendees:\n"), false);
    put(x, "b.md", STR("# Meeting\n\nAttendees:\n"), false);
    put(x, "c.md", words(a, 5, 30), false);
    put(x, "d.md", joined(a, words(a, 5, 30), STR("and more")), false);
    CHECK("too short", of(x, a, "a.md").other == NO_FILE);
    check_pair(x, a, "c.md", "d.md", 93, 94); /* 28 of 30 runs */
    index_free(x);
}

static void test_case_and_marks(void **state)
{
    struct arena *a = *state;
    struct index *x = index_create();
    str text =
        STR("Der Garten im Frühling braucht Kompost, Wasser und viel Geduld; wer zu "
            "früh pflanzt, verliert die Setzlinge an den Frost, und wer zu spät "
            "pflanzt, die Ernte.");
    put(x, "a.md", text, false);
    put(x, "b.md",
        STR("DER GARTEN IM FRÜHLING BRAUCHT KOMPOST WASSER UND VIEL GEDULD WER "
            "ZU FRÜH PFLANZT VERLIERT DIE SETZLINGE AN DEN FROST UND WER ZU "
            "SPÄT PFLANZT DIE ERNTE"),
        false);
    check_pair(x, a, "a.md", "b.md", 100, 100);
    index_free(x);
}

/* Many copies of one text, and very many words: the time stays linear. */
static void test_bounded(void **state)
{
    enum { COPIES = 2000, MOST_MS = 20000 };
    struct arena *a = *state;
    struct index *x = index_create();
    str text = words(a, 6, 200);
    char path[32];
    for (int i = 0; i < COPIES; i++) {
        snprintf(path, sizeof(path), "%04d.md", i);
        put(x, path, text, false);
    }
    uint64_t began = cpu_ms();
    check_pair(x, a, "0500.md", "0468.md", 100, 100);
    CHECK("time", cpu_ms() - began < MOST_MS);
    struct duplicate *all;
    CHECK("stopped", !duplicates_find(x, a, &(struct stop){.until = 1}, &all));
    index_free(x);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_found),
        ARENA_TEST(test_short),
        ARENA_TEST(test_case_and_marks),
        ARENA_TEST(test_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
