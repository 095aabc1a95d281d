/*
 * console - the window of a terminal, in UTF-8. Private to base/os/windows.
 */
#pragma once

#include "base/os/windows/base.h"
#include "base/str.h"

/* From now on consoles show UTF-8 and obey escape sequences; as before when the process
 * ends. */
void console_begin(void);

/* As ReadFile(), from a console: at the end of input (Ctrl-Z), *got is 0. Line ends are
 * '\n'. */
MUST_CHECK bool console_read(HANDLE handle, void *out, size_t size, size_t *got);
