/*
 * text - bytes by their class, and lines.
 *
 * Classes are those of ASCII: bytes of other characters are in none of them. A byte may
 * be given as char, which is then negative, as unsigned char, or as a character. Offsets
 * are bytes; at is at most text.n. A line ends with "\n" (a feed), and "\r" before it is
 * a part of the line, except where breaks are mentioned: "\n", "\r\n" or "\r".
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

/* Of lower case, as we write hashes. */
static inline bool is_hex(int c)
{
    return is_digit(c) || (c >= 'a' && c <= 'f');
}

/* The next four hold more and more: space and tab; */
static inline bool is_blank(int c)
{
    return c == ' ' || c == '\t';
}

/* the ends of lines; */
static inline bool is_break(int c)
{
    return c == '\n' || c == '\r';
}

/* both, which is what JSON and YAML mean by white space; */
static inline bool is_white(int c)
{
    return is_blank(c) || is_break(c);
}

/* and vertical tab and form feed. */
static inline bool is_space(int c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static inline char to_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

/* --- runs of them --- */

/* The first byte from at on that is no digit; no space or tab. */
size_t text_skip_digits(str text, size_t at);
size_t text_skip_blanks(str text, size_t at);

/* Bytes of the space at at: is_space(), no-break and ideographic ones; 0: it is none. */
size_t text_space(str text, size_t at);
size_t text_skip_spaces(str text, size_t at);

/* Whether there is no control character of ASCII in it. */
bool text_is_printable(str text);

/* --- lines --- */

/* Where the line of at begins. */
static inline size_t text_line_start(str text, size_t at)
{
    const char *feed = at > 0 ? memrchr(text.p, '\n', at) : NULL;
    return feed != NULL ? (size_t)(feed - text.p) + 1 : 0;
}

/* The next feed from at on, or the end. */
static inline size_t text_line_end(str text, size_t at)
{
    const char *feed = at < text.n ? memchr(text.p + at, '\n', text.n - at) : NULL;
    return feed != NULL ? (size_t)(feed - text.p) : text.n;
}

/* Where the next line begins, or the end. */
static inline size_t text_next_line(str text, size_t at)
{
    size_t end = text_line_end(text, at);
    return end < text.n ? end + 1 : end;
}

/* Feeds; lines, of which the last one needs none. */
size_t text_count_feeds(str text);
size_t text_count_lines(str text);

/* "\r\n" where the first line ends so, else "\n". */
str text_line_ending(str text);

/* Without "\r" at its end. */
static inline str text_drop_return(str line)
{
    return str_ends(line, STR("\r")) ? str_slice(line, 0, line.n - 1) : line;
}

/* The next break from at on, or the end; the break that is there, empty at the end. */
size_t text_find_break(str text, size_t at);
str text_break(str text, size_t at);

/* Breaks that end before at, and 1. */
uint32_t text_line_number(str text, size_t at);
