#include "vault/text/pages.h"

#include "check.h"

static const str text = STR("\f\none\n\f\n\f\nthree\nx\n");

static void test_at(void **state)
{
    static const struct {
        size_t at;
        uint32_t page;
    } rows[] = {{0, 1}, {2, 1}, {5, 1}, {6, 2}, {8, 3}, {10, 3}, {1000, 3}};
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        CHECK_INT("page", pages_at(text, rows[i].at), rows[i].page);
    CHECK_INT("no pages", pages_at(STR("a\nb\n"), 2), 0);
}

static void test_find(void **state)
{
    static const struct {
        const char *row;
        uint32_t first, last;
        const char *want; /* NULL: not found */
    } rows[] = {
        {"the first", 1, 1, "\f\none\n"},
        {"an empty one", 2, 2, "\f\n"},
        {"the last", 3, 3, "\f\nthree\nx\n"},
        {"two", 1, 2, "\f\none\n\f\n"},
        {"all", 1, 3, "\f\none\n\f\n\f\nthree\nx\n"},
        {"none", 4, 4, NULL},
        {"too many", 2, 4, NULL},
        {"zero", 0, 1, NULL},
        {"zero", 0, 0, NULL},
        {"backwards", 3, 2, NULL},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        size_t start, end;
        bool found = pages_find(text, rows[i].first, rows[i].last, &start, &end);
        CHECK_INT(rows[i].row, found, rows[i].want != NULL);
        if (found)
            CHECK_STR(rows[i].row, str_slice(text, start, end), rows[i].want);
    }
}

static void test_parse(void **state)
{
    static const struct {
        const char *request;
        bool ok;
        uint32_t first, last;
    } rows[] = {
        {"page=3", true, 3, 3},        {"#page=3", true, 3, 3},
        {"page=3-5", true, 3, 5},      {"page=0", true, 0, 0},
        {"page=", false, 0, 0},        {"page=-3", false, 0, 0},
        {"page=3-", false, 0, 0},      {"page=3-5-7", false, 0, 0},
        {"page=+3", false, 0, 0},      {"page=99999999999", false, 0, 0},
        {"Introduction", false, 0, 0},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        uint32_t first = 0, last = 0;
        CHECK_INT(rows[i].request, pages_parse(str_c(rows[i].request), &first, &last),
                  rows[i].ok);
        if (!rows[i].ok)
            continue;
        CHECK_INT(rows[i].request, first, rows[i].first);
        CHECK_INT(rows[i].request, last, rows[i].last);
    }
}

static void test_show(void **state)
{
    CHECK_STR("from page 1", pages_show(*state, text, 1),
              "--- page 1 ---\none\n--- page 2 ---\n--- page 3 ---\nthree\nx\n");
    CHECK_STR("from a later one", pages_show(*state, STR("x\n\f\n"), 7),
              "x\n--- page 7 ---\n");
    assert_true(pages_have_text(text));
    assert_false(pages_have_text(STR("\f\n \t\n\f\n")));
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_at),
        ARENA_TEST(test_find),
        ARENA_TEST(test_parse),
        ARENA_TEST(test_show),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
