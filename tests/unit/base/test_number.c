#include "base/os/number.h"

#include <math.h>

#include "check.h"

static void test_read(void **state)
{
    (void)state;
    assert_true(number_read(STR("2.75")) == 2.75);
    assert_true(number_read(str_slice(STR("1250"), 0, 2)) == 12);
    assert_true(number_read(STR("1e999")) == HUGE_VAL);
    char many[101];
    memset(many, '0', sizeof(many));
    many[100] = '7';
    assert_true(number_read((str){many, sizeof(many)}) == 7);
}

static void test_print(void **state)
{
    (void)state;
    char out[32];
    size_t n = number_print(out, sizeof(out), 3, 2.0 / 3);
    CHECK_STR("few digits", ((str){out, n}), "0.667");
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read),
        cmocka_unit_test(test_print),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
