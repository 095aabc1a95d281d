#include "base/near.h"

#include "check.h"

static size_t count(const char *a, const char *b, size_t max)
{
    struct near_letters x, y;
    near_read(&x, str_c(a));
    near_read(&y, str_c(b));
    return near_count(&x, &y, max);
}

static void test_count(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b;
        size_t max, slips;
    } cases[] = {
        {"status", "status", 0, 0},
        {"statsu", "status", 1, 1},
        {"stats", "status", 1, 1},
        {"statuses", "status", 2, 2},
        {"statuses", "status", 1, NEAR_NONE},
        {"stetus", "status", 3, 1},
        {"status", "duration", 3, NEAR_NONE},
        {"ca", "abc", 3, 3}, /* swapped letters are not edited again */
        {"a", "", 1, 1},
        {"", "a", 1, 1},
        {"", "", 0, 0},
        {"Müller", "Muller", 1, 1},
        {"日本語", "日语本", 2, 2},
        {"日本語", "本日語", 1, 1},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        size_t max = cases[i].max;
        CHECK_INT(cases[i].a, count(cases[i].a, cases[i].b, max), cases[i].slips);
        CHECK_INT(cases[i].b, count(cases[i].b, cases[i].a, max), cases[i].slips);
    }
}

static void test_long(void **state)
{
    (void)state;
    char most[NEAR_MAX + 1] = {0}, more[NEAR_MAX + 2] = {0};
    memset(most, 'a', NEAR_MAX);
    memset(more, 'a', NEAR_MAX + 1);
    CHECK_INT("as long as can be", count(most, most, 3), 0);
    CHECK_INT("too long", count(most, more, 3), NEAR_NONE);
    CHECK_INT("both", count(more, more, 3), NEAR_NONE);
}

static void test_offer(void **state)
{
    (void)state;
    static const struct {
        const char *wanted;
        size_t most;
        const char *nearest;
    } cases[] = {
        {"serch", 2, "search"}, {"srve", 2, "serve"}, {"sync", 2, "sync"},
        {"lisst", 2, "list"},   {"lnk", 1, "link"},   {"linkz", 1, "links"},
        {"x", 3, ""},           {"", 3, ""},          {"undo", 2, ""},
    };
    static const char *const names[] = {"search", "serve", "sync",
                                        "list",   "links", "link"};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct near_search s;
        const char *nearest = "";
        near_search(&s, str_c(cases[i].wanted), cases[i].most);
        for (size_t k = 0; k < COUNT_OF(names); k++)
            if (near_offer(&s, str_c(names[k])))
                nearest = names[k];
        CHECK_STR(cases[i].wanted, str_c(nearest), cases[i].nearest);
    }
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_count),
        cmocka_unit_test(test_long),
        cmocka_unit_test(test_offer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
