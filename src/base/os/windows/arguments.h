/*
 * arguments - a command line as Windows passes it on, which is one text. Private to
 * base/os/windows. Quoting and splitting follow CommandLineToArgvW(), as programs of C do.
 */
#pragma once

#include <wchar.h>

#include "base/str.h"

/* NULL and E2BIG if it is too long, or EILSEQ if it is not UTF-8; to be freed with free(). */
wchar_t *arguments_join(const char *const *argv);

/* In UTF-8, with NULL at the end; both the list and each of them are never freed. */
char **arguments_split(const wchar_t *line, int *n);
