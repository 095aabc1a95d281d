/*
 * check - what every unit test needs: cmocka in the right order, an arena per test,
 * and comparisons that name the row that failed.
 */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/str.h"

static inline str check_wanted(str want)
{
    return want;
}

/* Compare text; the first argument names the row. What is wanted is a C string, or a str, whose
 * bytes need not end in NUL. */
#define CHECK_STR(row, got, want)                                                        \
    do {                                                                                 \
        str got_ = (got), want_ = _Generic((want), str                                   \
                                           : check_wanted, default                       \
                                           : str_c)(want);                               \
        if (!str_eq(got_, want_))                                                        \
            fail_msg("%s: got '" STR_FMT "', want '" STR_FMT "'", (row), STR_ARG(got_),  \
                     STR_ARG(want_));                                                    \
    } while (0)

#define CHECK_INT(row, got, want)                                                        \
    do {                                                                                 \
        long long got_ = (long long)(got), want_ = (long long)(want);                    \
        if (got_ != want_)                                                               \
            fail_msg("%s: got %lld, want %lld", (row), got_, want_);                     \
    } while (0)

#define CHECK(row, condition)                                                            \
    do {                                                                                 \
        if (!(condition))                                                                \
            fail_msg("%s: %s", (row), #condition);                                       \
    } while (0)

/* Leave a test that cannot run on this machine, and say why; ./test counts and lists
 * these. Not skip() of cmocka: it takes no reason, and Meson reads its output as a
 * failure. */
#define SKIP(why)                                                                        \
    do {                                                                                 \
        print_message("# skip %s: %s\n", __func__, (why));                               \
        return;                                                                          \
    } while (0)

/* *state is a struct arena in these tests. */
static inline int setup_arena(void **state)
{
    *state = mem_zero(sizeof(struct arena));
    return 0;
}

static inline int teardown_arena(void **state)
{
    arena_release(*state);
    free(*state);
    return 0;
}

#define ARENA_TEST(function)                                                             \
    cmocka_unit_test_setup_teardown(function, setup_arena, teardown_arena)

/*
 * TEST_MAIN(argc, argv) { ... } is what a unit test file ends with, in place of main(). All files of a room are one
 * program (runner.c): its first argument names the file, and argv begins there.
 */
struct test_file {
    const char *path; /* ".../test_NAME.c" */
    int (*run)(int argc, char **argv);
    struct test_file *next;
};

void test_file_add(struct test_file *file);

#define TEST_MAIN(argc, argv)                                                            \
    static int test_main(int argc, char **argv);                                         \
    __attribute__((constructor)) static void test_register(void)                         \
    {                                                                                    \
        static struct test_file self = {__FILE__, test_main, NULL};                      \
        test_file_add(&self);                                                            \
    }                                                                                    \
    static int test_main(int argc, char **argv)
