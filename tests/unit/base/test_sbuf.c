#include "base/sbuf.h"

#include "check.h"

static void test_add(void **state)
{
    struct sbuf b = SBUF_ON(*state);
    CHECK_STR("nothing", sbuf_str(&b), "");
    sbuf_add(&b, (str){0});
    sbuf_add(&b, STR("hello"));
    sbuf_char(&b, ' ');
    sbuf_printf(&b, "%d%%", 42);
    CHECK_STR("parts", sbuf_str(&b), "hello 42%");
    sbuf_add(&b, STR("\0"));
    CHECK_INT("NUL is text", b.n, 10);
}

static void test_two_at_once(void **state)
{
    struct sbuf a = SBUF_ON(*state), b = SBUF_ON(*state);
    for (int i = 0; i < 20000; i++) {
        sbuf_char(&a, 'a');
        sbuf_printf(&b, "%s", "bb");
    }
    CHECK_INT("a", a.n, 20000);
    CHECK_INT("b", b.n, 40000);
    for (size_t i = 0; i < a.n; i++)
        assert_true(a.p[i] == 'a' && b.p[2 * i] == 'b' && b.p[2 * i + 1] == 'b');
}

static void test_room(void **state)
{
    struct sbuf b = SBUF_ON(*state);
    sbuf_add(&b, STR("x"));
    memcpy(sbuf_room(&b, 1000), "yz", 2);
    sbuf_took(&b, 2);
    CHECK_STR("took two", sbuf_str(&b), "xyz");
    sbuf_printf(&b, "%500d", 1);
    CHECK_INT("long printf", b.n, 503);
}

static void test_cell(void **state)
{
    struct sbuf b = SBUF_ON(*state);
    sbuf_cell(&b, STR("a|b|"));
    sbuf_cell(&b, STR(""));
    CHECK_STR("bars are escaped", sbuf_str(&b), " a\\|b\\| |  |");
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_add),
        ARENA_TEST(test_two_at_once),
        ARENA_TEST(test_room),
        ARENA_TEST(test_cell),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
