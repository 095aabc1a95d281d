/*
 * text - runs of bytes of a class (chars.h), and lines.
 *
 * Offsets are in bytes; at is at most text.n. These functions decide what a line is, for
 * everything that takes, gives or counts lines of a note: it ends with "\n", "\r\n" or a lone
 * "\r", as in Markdown. The "\r" of a "\r\n" is part of the line, so that the end of a line is
 * one byte. Functions about breaks know "\r\n" as a break of two bytes.
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

/* The first "\r" in text[from, to) that no "\n" follows; to if there is none. */
static inline size_t text_lone_return(str text, size_t from, size_t to)
{
    const char *r;
    for (; from < to && (r = memchr(text.p + from, '\r', to - from)) != NULL;
         from = (size_t)(r - text.p) + 1)
        if (r + 1 == text.p + text.n || r[1] != '\n')
            return (size_t)(r - text.p);
    return to;
}

/* The start of the line that contains at. */
static inline size_t text_line_start(str text, size_t at)
{
    const char *feed = bytes_find_last(text.p, '\n', at), *r;
    size_t start = feed != NULL ? (size_t)(feed - text.p) + 1 : 0;
    for (; at > start && (r = bytes_find_last(text.p + start, '\r', at - start)) != NULL;
         at = (size_t)(r - text.p))
        if (r + 1 == text.p + text.n || r[1] != '\n')
            return (size_t)(r - text.p) + 1;
    return start;
}

/* The feed or lone "\r" at the end of the line that contains at, or the end of the text. */
static inline size_t text_line_end(str text, size_t at)
{
    const char *feed = at < text.n ? memchr(text.p + at, '\n', text.n - at) : NULL;
    return text_lone_return(text, at, feed != NULL ? (size_t)(feed - text.p) : text.n);
}

/* The start of the next line, or the end of the text. */
static inline size_t text_next_line(str text, size_t at)
{
    size_t end = text_line_end(text, at);
    return end < text.n ? end + 1 : end;
}

/* Take the next line of *rest, as str_next() does with its parts. */
bool text_take_line(str *rest, str *line);

/* The number of lines that end in text[from, to); of all lines, the last of which needs no
 * end. */
size_t text_count_ends(str text, size_t from, size_t to);
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

/* Whether text has more than one line, or a line that ends. */
static inline bool text_has_break(str text)
{
    return text_find_break(text, 0) < text.n;
}

/* Whether a line begins at at; the end of a text without a last break is not one. */
static inline bool text_begins_line(str text, size_t at)
{
    return text_line_start(text, at) == at;
}

/* The number of the line that contains at, from 1. */
uint32_t text_line_number(str text, size_t at);
