/*
 * wide - UTF-8 as the UTF-16 of Windows, and back. Private to base/os/windows.
 */
#pragma once

#include <wchar.h>

#include "base/str.h"

/* To be freed with free(). NULL and EILSEQ if it is not valid UTF-8. */
wchar_t *wide_of(str text);

/* To be freed with free(). Halves of characters, which Windows allows in names, become bytes
 * that no valid UTF-8 has. */
char *wide_text(const wchar_t *wide, size_t n);

/* The same into out, with its end; false and ENAMETOOLONG if it does not fit. */
MUST_CHECK bool wide_print(const wchar_t *wide, size_t n, char *out, size_t size);
