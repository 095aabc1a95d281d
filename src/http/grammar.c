#include "http/grammar.h"

#include "base/text.h"

static bool is_token_char(char c)
{
    return is_alnum(c) || (c != '\0' && strchr("!#$%&'*+-.^_`|~", c) != NULL);
}

bool http_is_token(str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (!is_token_char(s.p[i]))
            return false;
    return s.n > 0;
}

bool http_is_host(str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (!is_token_char(s.p[i]) &&
            (s.p[i] == '\0' || strchr("[]:(),;=", s.p[i]) == NULL))
            return false;
    return true;
}

int http_check_version(str v)
{
    if (v.n != 8 || !str_starts(v, STR("HTTP/")) || !is_digit(v.p[5]) || v.p[6] != '.' ||
        !is_digit(v.p[7]))
        return 400;
    if (v.p[5] == '1' && (v.p[7] == '0' || v.p[7] == '1'))
        return 0;
    return v.p[5] == '0' ? 400 : 505;
}

int http_check_request_line(str line)
{
    str method, target, version = line;
    if (!str_next(&version, ' ', &method) || !str_next(&version, ' ', &target) ||
        method.n == 0 || target.n == 0)
        return 400;
    return http_check_version(version);
}

int http_check_method(str start)
{
    size_t n = 0;
    while (n < start.n && is_token_char(start.p[n]))
        n++;
    return n > 0 && (n == start.n || start.p[n] == ' ') ? 501 : 400;
}

bool http_check_lines(struct http_lines *l, str bytes)
{
    while (bytes.n > 0) {
        if (l->after_cr) {
            if (bytes.p[0] != '\n')
                return false;
            *l = (struct http_lines){0};
            bytes = str_skip(bytes, 1);
            continue;
        }
        if (!l->inside && strchr(" \t:", bytes.p[0]) != NULL) /* also NUL */
            return false;
        size_t cr = str_find_char(bytes, '\r');
        str text = str_slice(bytes, 0, cr);
        if (str_find_char(text, '\n') != STR_NONE ||
            str_find_char(text, '\0') != STR_NONE)
            return false;
        l->inside = true;
        l->after_cr = cr != STR_NONE;
        bytes = str_skip(bytes, text.n + 1);
    }
    return true;
}

/* Remove "http://host" or "https://host" from the target. False if it is another host. */
static bool strip_host(str *target, str host)
{
    size_t scheme = 0;
    if (str_eq_nocase(str_slice(*target, 0, 7), STR("http://")))
        scheme = 7;
    else if (str_eq_nocase(str_slice(*target, 0, 8), STR("https://")))
        scheme = 8;
    else
        return true;
    str rest = str_skip(*target, scheme);
    size_t end = str_find_char(rest, '/');
    str named = str_slice(rest, 0, end);
    *target = end != STR_NONE ? str_skip(rest, end) : STR("/");
    return named.n > 0 && str_eq_nocase(named, host);
}

bool http_split_target(str target, enum http_method method, str host, str *path,
                       str *query)
{
    *query = (str){0};
    if (str_eq(target, STR("*"))) {
        *path = target;
        return method == HTTP_OPTIONS;
    }
    if (!strip_host(&target, host) || target.n == 0 || target.p[0] != '/' ||
        str_find_char(target, '#') != STR_NONE)
        return false;
    size_t mark = str_find_char(target, '?');
    *path = str_slice(target, 0, mark);
    if (mark != STR_NONE)
        *query = str_skip(target, mark + 1);
    return true;
}
