/*
 * chars - classes of bytes. They are ASCII: bytes of other characters belong to none of
 * them. The argument may be a char (negative from 0x80), an unsigned char or a code
 * point.
 */
#pragma once

#include <stdbool.h>

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
