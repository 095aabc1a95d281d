#include "vault/meaning/common.h"

#include "check.h"

enum { NOTES = 100 };

static struct file *note_of(struct arena *a, str text)
{
    struct arena scratch = {0};
    struct fs_info info = {.size = (int64_t)text.n};
    struct file *f = file_make(&scratch, arena_str(a, STR("n.md")), &info, text);
    arena_release(&scratch);
    return f;
}

/* A footer in all, a line in fewer than COMMON_MIN, one that a few have many times. */
static str text_of(struct arena *a, size_t i)
{
    return arena_printf(a, "# Head\n\nnote %zu\n\n%s\n\n%s\n\n---\nfooter\n", i,
                        i < COMMON_MIN - 1 ? "nearly shared" : "",
                        i < 10 ? "again\n\nagain\n\nagain" : "");
}

static struct common count(struct file **files, size_t n)
{
    struct common_count *c = common_begin(n);
    for (size_t i = 0; i < n; i++)
        common_sift(c, files[i]);
    for (size_t i = 0; i < n; i++)
        common_weigh(c, files[i]);
    return common_end(c);
}

static void test_shared(void **state)
{
    struct file *files[NOTES];
    for (size_t i = 0; i < NOTES; i++)
        files[i] = note_of(*state, text_of(*state, i));
    struct common all = count(files, NOTES), few = count(files, COMMON_MIN - 1);
    CHECK_INT("shared", all.n, 1);
    CHECK("footer", common_has(&all, STR("  ---\nfooter\n")));
    CHECK("nearly", !common_has(&all, STR("nearly shared")));
    CHECK("again", !common_has(&all, STR("again")));
    CHECK_INT("few", few.n, 0);
    CHECK("none", !common_has(NULL, STR("footer")));
    CHECK("same", common_same(&all, &all));
    CHECK("other", !common_same(&all, &few));
    common_release(&all);
    common_release(&few);
    for (size_t i = 0; i < NOTES; i++)
        file_free(files[i]);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_shared, setup_arena, teardown_arena),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
