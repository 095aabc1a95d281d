#include "base/str.h"

#include "base/chars.h"
#include "base/os/bytes.h"

int str_cmp(str a, str b)
{
    size_t n = a.n < b.n ? a.n : b.n;
    int order = n > 0 ? memcmp(a.p, b.p, n) : 0;
    if (order != 0)
        return order;
    return a.n < b.n ? -1 : a.n > b.n;
}

bool str_eq_nocase(str a, str b)
{
    if (a.n != b.n)
        return false;
    for (size_t i = 0; i < a.n; i++)
        if (to_lower(a.p[i]) != to_lower(b.p[i]))
            return false;
    return true;
}

size_t str_find(str s, str needle)
{
    if (needle.n == 0)
        return 0;
    if (s.n < needle.n)
        return STR_NONE;
    const char *at = bytes_find(s.p, s.n, needle.p, needle.n);
    return at != NULL ? (size_t)(at - s.p) : STR_NONE;
}

size_t str_find_char(str s, char c)
{
    const char *at = s.n > 0 ? memchr(s.p, c, s.n) : NULL;
    return at != NULL ? (size_t)(at - s.p) : STR_NONE;
}

size_t str_find_last(str s, char c)
{
    const char *at = bytes_find_last(s.p, c, s.n);
    return at != NULL ? (size_t)(at - s.p) : STR_NONE;
}

str str_trim(str s)
{
    while (s.n > 0 && is_blank(s.p[0]))
        s = str_skip(s, 1);
    while (s.n > 0 && is_blank(s.p[s.n - 1]))
        s.n--;
    return s;
}

str str_trim_line(str s)
{
    while (s.n > 0 && is_white(s.p[0]))
        s = str_skip(s, 1);
    while (s.n > 0 && is_white(s.p[s.n - 1]))
        s.n--;
    return s;
}

bool str_next(str *rest, char sep, str *part)
{
    if (rest->p == NULL)
        return false;
    size_t at = str_find_char(*rest, sep);
    if (at == STR_NONE) {
        *part = *rest;
        *rest = (str){0};
    } else {
        *part = str_slice(*rest, 0, at);
        *rest = str_skip(*rest, at + 1);
    }
    return true;
}

bool str_to_int(str s, int64_t *out)
{
    bool minus = s.n > 0 && s.p[0] == '-';
    str digits = minus ? str_skip(s, 1) : s;
    if (digits.n == 0)
        return false;
    int64_t value = 0;
    for (size_t i = 0; i < digits.n; i++) {
        if (!is_digit(digits.p[i]))
            return false;
        int digit = digits.p[i] - '0';
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_sub_overflow(value, digit, &value))
            return false;
    }
    if (!minus && value == INT64_MIN)
        return false;
    *out = minus ? value : -value;
    return true;
}
