#include "base/os/windows/wide.h"

#include <errno.h>
#include <limits.h>

#include "base/arena.h"
#include "base/os/windows/base.h"

wchar_t *wide_of(str text)
{
    int n = text.n == 0 || text.n > INT_MAX
                ? 0
                : MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text.p, (int)text.n,
                                      NULL, 0);
    if (n == 0 && text.n > 0) {
        errno = EILSEQ;
        return NULL;
    }
    wchar_t *wide = mem_alloc(((size_t)n + 1) * sizeof(*wide));
    if (n > 0)
        MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text.p, (int)text.n, wide, n);
    wide[n] = L'\0';
    return wide;
}

/* A character in one to three bytes of out; half of a pair is written like a whole one. */
static size_t wide_put(char *out, uint32_t c)
{
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        out[0] = (char)(0xC0 | c >> 6);
        out[1] = (char)(0x80 | (c & 0x3F));
        return 2;
    }
    if (c < 0x10000) {
        out[0] = (char)(0xE0 | c >> 12);
        out[1] = (char)(0x80 | (c >> 6 & 0x3F));
        out[2] = (char)(0x80 | (c & 0x3F));
        return 3;
    }
    out[0] = (char)(0xF0 | c >> 18);
    out[1] = (char)(0x80 | (c >> 12 & 0x3F));
    out[2] = (char)(0x80 | (c >> 6 & 0x3F));
    out[3] = (char)(0x80 | (c & 0x3F));
    return 4;
}

char *wide_text(const wchar_t *wide, size_t n)
{
    char *out = mem_alloc(3 * n + 1);
    size_t at = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t c = wide[i];
        bool pair = c >= 0xD800 && c < 0xDC00 && i + 1 < n && wide[i + 1] >= 0xDC00 &&
                    wide[i + 1] < 0xE000;
        if (pair)
            c = 0x10000 + ((c - 0xD800) << 10) + ((uint32_t)wide[++i] - 0xDC00);
        at += wide_put(out + at, c);
    }
    out[at] = '\0';
    return out;
}

bool wide_print(const wchar_t *wide, size_t n, char *out, size_t size)
{
    char *text = wide_text(wide, n);
    size_t bytes = strlen(text) + 1;
    bool fits = bytes <= size;
    if (fits)
        memcpy(out, text, bytes);
    else
        errno = ENAMETOOLONG;
    free(text);
    return fits;
}
