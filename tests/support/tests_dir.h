/*
 * tests_dir - the folder tests of the project. Meson names it in the environment; a program that is started by hand is
 * started in the project's folder. It is not compiled in: with an absolute path in its command, no other clone could use
 * what the compiler cache has.
 */
#pragma once

#include <stdlib.h>

static const char *tests_dir_told; /* also after a test has cleared the environment */

__attribute__((constructor)) static void tests_dir_remember(void)
{
    tests_dir_told = getenv("TESTS_DIR");
}

static inline const char *tests_dir(void)
{
    return tests_dir_told != NULL ? tests_dir_told : "tests";
}
