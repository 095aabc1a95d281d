#include "base/os/windows/arguments.h"

#include <errno.h>

#include "base/arena.h"
#include "base/os/windows/wide.h"
#include "base/sbuf.h"

enum { LINE_UNITS = 32767 }; /* as much as CreateProcessW() takes */

/* --- joining --- */

static bool needs_quotes(str s)
{
    bool any = s.n == 0;
    for (size_t i = 0; i < s.n; i++)
        any |= strchr(" \t\n\v\"", s.p[i]) != NULL;
    return any;
}

static void add_backslashes(struct sbuf *out, size_t n)
{
    for (size_t i = 0; i < n; i++)
        sbuf_char(out, '\\');
}

/* Backslashes count only before a quote, where each of them is written twice. */
static void add_argument(struct sbuf *out, str s)
{
    if (!needs_quotes(s)) {
        sbuf_add(out, s);
        return;
    }
    size_t slashes = 0;
    sbuf_char(out, '"');
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] == '"')
            add_backslashes(out, slashes + 1);
        slashes = s.p[i] == '\\' ? slashes + 1 : 0;
        sbuf_char(out, s.p[i]);
    }
    add_backslashes(out, slashes);
    sbuf_char(out, '"');
}

wchar_t *arguments_join(const char *const *argv)
{
    struct arena a = {0};
    struct sbuf line = SBUF_ON(&a);
    for (size_t i = 0; argv[i] != NULL; i++) {
        if (i > 0)
            sbuf_char(&line, ' ');
        add_argument(&line, str_c(argv[i]));
    }
    wchar_t *wide = wide_of(sbuf_str(&line));
    arena_release(&a);
    if (wide != NULL && wcslen(wide) >= LINE_UNITS) {
        free(wide);
        errno = E2BIG;
        return NULL;
    }
    return wide;
}

/* --- splitting --- */

static bool is_blank(wchar_t c)
{
    return c == L' ' || c == L'\t';
}

/* The first argument is a path: quotes are the only special characters. */
static const wchar_t *split_program(const wchar_t *at, wchar_t *out)
{
    bool quoted = false;
    for (; *at != L'\0' && (quoted || !is_blank(*at)); at++) {
        if (*at == L'"')
            quoted = !quoted;
        else
            *out++ = *at;
    }
    *out = L'\0';
    return at;
}

/* 2n backslashes and a quote are n backslashes and the quote; one more makes it a character. */
static const wchar_t *split_slashes(const wchar_t *at, wchar_t **out, bool *literal)
{
    size_t n = wcsspn(at, L"\\");
    bool before_quote = at[n] == L'"';
    size_t kept = before_quote ? n / 2 : n;
    wmemset(*out, L'\\', kept);
    *out += kept;
    *literal = before_quote && n % 2 == 1;
    return at + n;
}

static const wchar_t *split_one(const wchar_t *at, wchar_t *out)
{
    bool quoted = false;
    while (*at != L'\0' && (quoted || !is_blank(*at))) {
        bool literal = false;
        at = split_slashes(at, &out, &literal);
        if (*at == L'"' && !literal && quoted && at[1] == L'"') {
            *out++ = *at; /* two quotes within quotes are one */
            at += 2;
        } else if (*at == L'"' && !literal) {
            quoted = !quoted;
            at++;
        } else if (*at != L'\0' && (literal || quoted || !is_blank(*at))) {
            *out++ = *at++;
        }
    }
    *out = L'\0';
    return at;
}

char **arguments_split(const wchar_t *line, int *n)
{
    size_t units = wcslen(line) + 1;
    wchar_t *one = mem_alloc(units * sizeof(*one));
    char **argv = mem_alloc((units + 2) * sizeof(*argv)); /* never more than characters */
    *n = 0;
    const wchar_t *at = split_program(line, one);
    argv[(*n)++] = wide_text(one, wcslen(one));
    for (at += wcsspn(at, L" \t"); *at != L'\0'; at += wcsspn(at, L" \t")) {
        at = split_one(at, one);
        argv[(*n)++] = wide_text(one, wcslen(one));
    }
    argv[*n] = NULL;
    free(one);
    return argv;
}
