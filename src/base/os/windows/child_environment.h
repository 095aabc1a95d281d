/*
 * child_environment - the variables of a program as CreateProcessW() wants them.
 */
#pragma once

#include <wchar.h>

/* Sorted, each with its end, and with an empty one last; to be freed with free(). Variables
 * that no program of Windows can do without are added. NULL and EILSEQ if one is not
 * UTF-8. */
wchar_t *child_environment(const char *const *env);
