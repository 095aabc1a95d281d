/*
 * str - a borrowed piece of text: pointer and length, passed by value.
 *
 * A str owns nothing and need not end in NUL; the owner of the bytes keeps them
 * alive. {NULL, 0} is the empty string. Functions never read past n, so text
 * with NUL bytes is ordinary text.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct str {
    const char *p;
    size_t n;
} str;

#define STR(literal) ((str){"" literal, sizeof(literal) - 1})
#define STR_FMT "%.*s"
#define STR_ARG(s) (int)(s).n, (s).p != NULL ? (s).p : ""

#define COUNT_OF(array) (sizeof(array) / sizeof(*(array)))
#define MUST_CHECK __attribute__((warn_unused_result))
#define PRINTF_LIKE(fmt, args) __attribute__((format(__printf__, fmt, args)))

/* The text of a C string; NULL is empty. */
static inline str str_c(const char *c)
{
    return (str){c, c != NULL ? strlen(c) : 0};
}

static inline bool str_eq(str a, str b)
{
    return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

/* Bytes [from, to), both clamped to the length. */
static inline str str_slice(str s, size_t from, size_t to)
{
    if (to > s.n)
        to = s.n;
    if (from > to)
        from = to;
    return (str){s.p != NULL ? s.p + from : NULL, to - from};
}

/* Everything from byte n on. */
static inline str str_skip(str s, size_t n)
{
    return str_slice(s, n, s.n);
}

static inline bool str_starts(str s, str prefix)
{
    return s.n >= prefix.n && str_eq(str_slice(s, 0, prefix.n), prefix);
}

static inline bool str_ends(str s, str suffix)
{
    return s.n >= suffix.n && str_eq(str_skip(s, s.n - suffix.n), suffix);
}

/* Order by bytes; a prefix comes first. */
int str_cmp(str a, str b);

/* Whether a and b are equal, ignoring the case of ASCII letters. */
bool str_eq_nocase(str a, str b);

/* The position of the first needle in s, or STR_NONE. */
#define STR_NONE SIZE_MAX
size_t str_find(str s, str needle);
size_t str_find_char(str s, char c);
size_t str_find_last(str s, char c);

/* Without spaces and tabs (trim_line: also CR and LF) at both ends. */
str str_trim(str s);
str str_trim_line(str s);

/*
 * Take the part of *rest before the next sep, and move *rest past it.
 * False at the end; "a,,b" gives "a", "", "b"; "" gives one empty part.
 */
bool str_next(str *rest, char sep, str *part);

/* The whole of s as a decimal integer; false when it is not one or does not fit. */
bool str_to_int(str s, int64_t *out);
