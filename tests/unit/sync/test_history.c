#include "sync/history.h"

#include "check.h"

#define ID_A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define ID_B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"

static void test_parse(void **state)
{
    struct arena a = {0};
    struct sync_commit *list;
    size_t n;
    str out = STR("\1" ID_A "\0Ann\0ann@x\0"
                  "1700000000\0subject\0"
                  "12\0vault_write\0claude\0\nA.md\0B \"b\".md\0"
                  "\1" ID_B "\0Bob\0bob@x\0"
                  "1600000000\0merge\0\0\0\0");
    history_parse(&a, out, &list, &n);
    assert_int_equal(n, 2);
    CHECK_STR("id", list[0].id, ID_A);
    CHECK_STR("author", list[0].author, "Ann");
    CHECK_STR("email", list[0].email, "ann@x");
    CHECK_STR("change", list[0].change, "12");
    CHECK_STR("tool", list[0].tool, "vault_write");
    CHECK_STR("client", list[0].client, "claude");
    assert_int_equal(list[0].when, 1700000000);
    assert_int_equal(list[0].n_paths, 2);
    CHECK_STR("path", list[0].paths[0], "A.md");
    CHECK_STR("path", list[0].paths[1], "B \"b\".md");
    CHECK_STR("id", list[1].id, ID_B);
    assert_int_equal(list[1].n_paths, 0);
    CHECK_STR("tool", list[1].tool, "");
    arena_release(&a);
}

/* Whatever the input, nothing is read past its end. */
static void test_cut(void **state)
{
    struct arena a = {0};
    struct sync_commit *list;
    size_t n;
    str out = STR("\1" ID_A "\0Ann\0\xff\0x\0subject\0"
                  "12\0vault_write\0claude\0A.md\0");
    for (size_t i = 0; i <= out.n; i++) {
        char *copy = mem_alloc(i + 1);
        memcpy(copy, out.p, i);
        history_parse(&a, (str){copy, i}, &list, &n);
        assert_int_equal(n, i > 40);
        free(copy);
    }
    arena_release(&a);
}

static void test_revisions(void **state)
{
    static const char *const good[] = {"HEAD", "HEAD~3", "main@{1}", "v1.0", "a/b", ID_A};
    static const char *const bad[] = {"",    "-x",  "--all",  "a..b", "a b",
                                      "a:b", "a\n", "^{/x}*", "ä"};
    for (size_t i = 0; i < COUNT_OF(good); i++)
        assert_true(history_is_revision(str_c(good[i])));
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        assert_false(history_is_revision(str_c(bad[i])));
}

static void test_dates(void **state)
{
    static const char *const good[] = {"2026-11-01", "2026-11-01T09:30",
                                       "2026-11-01T09:30:00Z",
                                       "2026-11-01 09:30:00+01:00"};
    static const char *const bad[] = {"",          "2026",       "2026-11",
                                      "yesterday", "2026-11-0x", "2026-11-01; rm"};
    for (size_t i = 0; i < COUNT_OF(good); i++)
        assert_true(history_is_date(str_c(good[i])));
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        assert_false(history_is_date(str_c(bad[i])));
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parse),
        cmocka_unit_test(test_cut),
        cmocka_unit_test(test_revisions),
        cmocka_unit_test(test_dates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
