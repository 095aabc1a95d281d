/*
 * terminal - the user's terminal, and lines from stdin.
 */
#pragma once

#include "base/str.h"

bool terminal_is(int fd);

/* Columns and rows; a usual number if the terminal does not say it. */
size_t terminal_width(int fd);
size_t terminal_height(int fd);

/*
 * A line from stdin without its end, of which the first size bytes are kept; *n is how many.
 * Reads not one byte more. *ended: there was no line end. False and errno if it cannot be
 * read.
 */
MUST_CHECK bool terminal_read_line(char *out, size_t size, size_t *n, bool *ended);

/* The same from a terminal that does not show it, with a prompt on stderr. However this
 * ends, the terminal is as before: a signal takes effect afterwards. */
MUST_CHECK bool terminal_read_secret(str prompt, char *out, size_t size, size_t *n);

/*
 * Keys instead of lines: until the end, what is typed on stdin is not shown, and Ctrl-C is a key
 * (3). False and errno if this is not a terminal, or its keys cannot be read one by one
 * (Windows).
 */
MUST_CHECK bool terminal_keys_begin(void);

/* The next key: its character, or a sequence that begins with Esc. False at the end of the input,
 * or if a signal came, which takes effect at the end. */
enum { TERMINAL_KEY_MAX = 16 };
MUST_CHECK bool terminal_read_key(char out[TERMINAL_KEY_MAX], size_t *n);
void terminal_keys_end(void);

/*
 * Runs a command line of the user's, such as $PAGER or $EDITOR, with the shell, and waits for
 * its end. It has the terminal, where Ctrl-C means it alone. input: its stdin; without a
 * pointer, it is ours. *code: its exit code, 128 + the signal if one ended it. False and
 * errno if no shell can be started; Windows has none for it (ENOSYS).
 */
MUST_CHECK bool terminal_run(const char *command, const char *const *env, str input,
                             int *code);
