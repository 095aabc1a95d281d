#include "base/os/library.h"
#include "check.h"

static void test_load(void **state)
{
    (void)state;
    double (*cosine)(double) = NULL;
    struct library_symbol symbols[] = {{"cos", &cosine}, {"no_such_function", &cosine}};
    CHECK("one that is there", library_load("m", 6, symbols, 1));
    CHECK("its function works", cosine != NULL && cosine(0) == 1);
    CHECK("a missing function", !library_load("m", 6, symbols, 2));
    CHECK("a missing library", !library_load("none", 1, symbols, 0));
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_load)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
