/*
 * text - runs of bytes of a class (chars.h), and lines.
 *
 * Offsets are in bytes; at is at most text.n. A line ends with "\n" (a feed), and a "\r"
 * before it is part of the line. Functions about breaks accept "\n", "\r\n" and "\r".
 */
#pragma once

#include "base/chars.h"
#include "base/os/bytes.h"
#include "base/str.h"

/* --- runs of bytes --- */

/* The position of the first byte from at that is not a digit; not a space or tab. */
size_t text_skip_digits(str text, size_t at);
size_t text_skip_blanks(str text, size_t at);

/* The length of the space at at (ASCII, no-break or ideographic); 0 if there is none. */
size_t text_space(str text, size_t at);
size_t text_skip_spaces(str text, size_t at);

/* Whether text has no ASCII control characters. */
bool text_is_printable(str text);

/* --- lines --- */

/* The start of the line that contains at. */
static inline size_t text_line_start(str text, size_t at)
{
    const char *feed = bytes_find_last(text.p, '\n', at);
    return feed != NULL ? (size_t)(feed - text.p) + 1 : 0;
}

/* The next feed from at, or the end of the text. */
static inline size_t text_line_end(str text, size_t at)
{
    const char *feed = at < text.n ? memchr(text.p + at, '\n', text.n - at) : NULL;
    return feed != NULL ? (size_t)(feed - text.p) : text.n;
}

/* The start of the next line, or the end of the text. */
static inline size_t text_next_line(str text, size_t at)
{
    size_t end = text_line_end(text, at);
    return end < text.n ? end + 1 : end;
}

/* The number of feeds; of lines, of which the last needs no feed. */
size_t text_count_feeds(str text);
size_t text_count_lines(str text);

/* "\r\n" if the first line ends with it, otherwise "\n". */
str text_line_ending(str text);

/* line without a "\r" at the end. */
static inline str text_drop_return(str line)
{
    return str_ends(line, STR("\r")) ? str_slice(line, 0, line.n - 1) : line;
}

/* The next break from at, or the end of the text; the break at at, empty at the end. */
size_t text_find_break(str text, size_t at);
str text_break(str text, size_t at);

/* The number of the line that contains at, from 1, counting breaks. */
uint32_t text_line_number(str text, size_t at);
