#include "vault/index/skipped.h"

#include "base/arena.h"
#include "check.h"
#include "vault/index/index.h"

static str joined(struct arena *a, const struct index *x)
{
    str all = {0};
    const struct skipped_file *item;
    for (size_t at = 0; (item = index_skipped(x, &at)) != NULL;)
        all = arena_printf(a, STR_FMT STR_FMT ":" STR_FMT ";", STR_ARG(all),
                           STR_ARG(item->path), STR_ARG(item->why));
    return all;
}

static bool shows(const void *arg, const struct file *f)
{
    return !str_starts(f->path, str_c(arg));
}

static void test_replace(void **state)
{
    struct index *x = index_create();
    const struct skipped_file all[] = {{STR("A/x\xFF"), STR("odd")},
                                       {STR("B"), STR("deep")}};
    skipped_replace(&x->skipped, STR(""), all, 2);
    CHECK_STR("copied", joined(*state, x), "A/x\uFFFD:odd;B:deep;");
    struct index *view = index_view(x, shows, "A/");
    CHECK_STR("a view", joined(*state, view), "B:deep;");
    skipped_replace(&x->skipped, STR("A"), NULL, 0);
    CHECK_STR("below a folder", joined(*state, x), "B:deep;");
    skipped_replace(&x->skipped, STR("B"),
                    &(struct skipped_file){STR("B/c"), STR("long")}, 1);
    CHECK_STR("itself", joined(*state, x), "B/c:long;");
    index_free(view);
    index_free(x);
}

static void test_bounded(void **state)
{
    struct skipped l = {0};
    struct arena *a = *state;
    struct skipped_file *many = ARENA_ARRAY(a, struct skipped_file, SKIPPED_MAX + 1);
    for (size_t i = 0; i <= SKIPPED_MAX; i++)
        many[i] = (struct skipped_file){arena_printf(a, "%zu", i), STR("")};
    skipped_replace(&l, STR(""), many, SKIPPED_MAX + 1);
    CHECK_INT("at most", l.n, SKIPPED_MAX);
    skipped_release(&l);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_replace),
        ARENA_TEST(test_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
