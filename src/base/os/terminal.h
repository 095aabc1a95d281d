/*
 * terminal - the user's terminal, and lines from stdin.
 */
#pragma once

#include "base/str.h"

bool terminal_is(int fd);

/* Columns; a usual number if the terminal does not say it. */
size_t terminal_width(int fd);

/*
 * A line from stdin without its end, of which the first size bytes are kept; *n is how many.
 * Reads not one byte more. *ended: there was no line end. False and errno if it cannot be
 * read.
 */
MUST_CHECK bool terminal_read_line(char *out, size_t size, size_t *n, bool *ended);

/* The same from a terminal that does not show it, with a prompt on stderr. However this
 * ends, the terminal is as before: a signal takes effect afterwards. */
MUST_CHECK bool terminal_read_secret(str prompt, char *out, size_t size, size_t *n);
