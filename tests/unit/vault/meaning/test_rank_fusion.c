#include "vault/meaning/rank_fusion.h"

#include "base/arena.h"

#include "check.h"

static int percent(float v)
{
    return (int)(v * 100 + 0.5F);
}

static void test_words(void **state)
{
    static const struct {
        const char *what;
        float ideal, bm25;
        bool named;
        int percent;
    } cases[] = {
        {"a perfect match", 8, 8, false, 100},
        {"a poor one", 8, 1, false, 13},
        {"none", 8, 0, false, 0},
        {"no words", 0, 0, false, 0},
        {"it is named", 8, 4, true, 75},
        {"never above 1", 8, 7.5F, true, 100},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct rank_fusion f = {.ideal = cases[i].ideal};
        CHECK_INT(cases[i].what,
                  percent(rank_fusion_words(&f, cases[i].bm25, cases[i].named)),
                  cases[i].percent);
    }
}

static void test_meaning(void **state)
{
    static const struct {
        const char *what;
        struct rank_fusion fuse;
        float cosine;
        int percent;
    } cases[] = {
        {"the best", {.best = 0.7F, .last = 0.1F, .weak = 0.3F}, 0.7F, 100},
        {"in the middle", {.best = 0.7F, .last = 0.1F, .weak = 0.3F}, 0.4F, 50},
        {"the last", {.best = 0.7F, .last = 0.1F, .weak = 0.3F}, 0.1F, 0},
        {"not found", {.best = 0.7F, .last = 0.1F, .weak = 0.3F}, RANK_FUSION_FAR, 0},
        {"not found, far", {.best = 0.7F, .last = -0.2F}, RANK_FUSION_FAR, 0},
        {"the only one", {.best = 0.5F, .last = 0.5F, .weak = 0.3F}, 0.5F, 100},
        {"weak", {.best = 0.15F, .last = 0, .weak = 0.3F}, 0.15F, 50},
        {"weak, in the middle", {.best = 0.15F, .last = 0.05F, .weak = 0.3F}, 0.1F, 25},
        {"weakness unknown", {.best = 0.15F, .last = 0}, 0.15F, 100},
        {"all are opposite", {.best = -0.1F, .last = -0.5F, .weak = 0.3F}, -0.1F, 0},
        {"no vectors", {0}, RANK_FUSION_FAR, 0},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        CHECK_INT(cases[i].what,
                  percent(rank_fusion_meaning(&cases[i].fuse, cases[i].cosine)),
                  cases[i].percent);
}

/* A perfect match of words is worth as much as the nearest meaning. */
static void test_score(void **state)
{
    assert_int_equal(percent(rank_fusion_score(1, 1)), 100);
    assert_int_equal(percent(rank_fusion_score(1, 0)), 50);
    assert_int_equal(percent(rank_fusion_score(0, 1)), 50);
    assert_int_equal(percent(rank_fusion_score(0.2F, 0.6F)), 40);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_meaning),
        cmocka_unit_test(test_score),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
