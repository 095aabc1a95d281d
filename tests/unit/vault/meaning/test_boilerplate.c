#include "vault/meaning/boilerplate.h"

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

/* A footer in all, a line in fewer than BOILERPLATE_MIN, one that a few have many
 * times. */
static str text_of(struct arena *a, size_t i)
{
    return arena_printf(a, "# Head\n\nnote %zu\n\n%s\n\n%s\n\n---\nfooter\n", i,
                        i < BOILERPLATE_MIN - 1 ? "nearly shared" : "",
                        i < 10 ? "again\n\nagain\n\nagain" : "");
}

static struct boilerplate count(struct file **files, size_t n)
{
    struct boilerplate_counter *c = boilerplate_begin(n);
    for (size_t i = 0; i < n; i++)
        boilerplate_screen(c, files[i]);
    for (size_t i = 0; i < n; i++)
        boilerplate_count(c, files[i]);
    return boilerplate_end(c);
}

static void test_shared(void **state)
{
    struct file *files[NOTES];
    for (size_t i = 0; i < NOTES; i++)
        files[i] = note_of(*state, text_of(*state, i));
    struct boilerplate all = count(files, NOTES), few = count(files, BOILERPLATE_MIN - 1);
    CHECK_INT("shared", all.n, 1);
    CHECK("footer", boilerplate_has(&all, STR("  ---\nfooter\n")));
    CHECK("nearly", !boilerplate_has(&all, STR("nearly shared")));
    CHECK("again", !boilerplate_has(&all, STR("again")));
    CHECK_INT("few", few.n, 0);
    CHECK("none", !boilerplate_has(NULL, STR("footer")));
    CHECK("same", boilerplate_same(&all, &all));
    CHECK("other", !boilerplate_same(&all, &few));
    boilerplate_release(&all);
    boilerplate_release(&few);
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
