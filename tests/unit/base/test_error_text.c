#include "base/os/error_text.h"

#include <errno.h>

#include "check.h"

static void test_error_text(void **state)
{
    (void)state;
    assert_string_equal(error_text(ENOENT), "No such file or directory");
    assert_non_null(error_text(9999));
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_error_text)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
