/*
 * text - bytes by their class, and lines.
 *
 * The classes are ASCII: bytes of other characters belong to none of them. The argument
 * may be a char (negative from 0x80), an unsigned char or a code point.
 * Offsets are in bytes; at is at most text.n. A line ends with "\n" (a feed), and a "\r"
 * before it is part of the line. Functions about breaks accept "\n", "\r\n" and "\r".
 */
#pragma once

#include "base/str.h"

/* --- bytes --- */

static inline bool is_digit(int c)
{
    return c >= '0' && c <= '9';
}

static inline bool is_letter(int c)
{
    return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
}

static inline bool is_alnum(int c)
{
    return is_letter(c) || is_digit(c);
}

/* Lower case only, as in hashes. */
static inline bool is_hex(int c)
{
    return is_digit(c) || (c >= 'a' && c <= 'f');
}

/* Four kinds of white space: space and tab; */
static inline bool is_blank(int c)
{
    return c == ' ' || c == '\t';
}

/* line ends; */
static inline bool is_break(int c)
{
    return c == '\n' || c == '\r';
}

/* both, as in JSON and YAML; */
static inline bool is_white(int c)
{
    return is_blank(c) || is_break(c);
}

/* both, and vertical tab and form feed. */
static inline bool is_space(int c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static inline char to_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

/* --- runs of bytes --- */

/* The position of the first byte from at that is not a digit; not a space or tab. */
size_t text_skip_digits(str text, size_t at);
size_t text_skip_blanks(str text, size_t at);

/* The length of the space at at: ASCII, no-break or ideographic; 0 if there is none. */
size_t text_space(str text, size_t at);
size_t text_skip_spaces(str text, size_t at);

/* Whether text has no ASCII control characters. */
bool text_is_printable(str text);

/* --- lines --- */

/* The start of the line that contains at. */
static inline size_t text_line_start(str text, size_t at)
{
    const char *feed = at > 0 ? memrchr(text.p, '\n', at) : NULL;
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
