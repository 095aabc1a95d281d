#include "base/os/bytes.h"

#include <stdbool.h>
#include <stdint.h>

enum { FEW = 32 }; /* bytes that are compared at every place where the first one is */

static const char *find_few(const char *p, size_t n, const char *what, size_t m)
{
    const char *last = p + n - m;
    while (p <= last && (p = memchr(p, what[0], (size_t)(last - p) + 1)) != NULL) {
        if (memcmp(p, what, m) == 0)
            return p;
        p++;
    }
    return NULL;
}

/* Rabin and Karp: in a time that does not depend on how alike the bytes are. */
static const char *find_many(const char *p, size_t n, const char *what, size_t m)
{
    const uint64_t base = 0x9E3779B97F4A7C15u;
    uint64_t wanted = 0, here = 0, highest = 1;
    for (size_t i = 0; i < m; i++) {
        wanted = wanted * base + (unsigned char)what[i];
        here = here * base + (unsigned char)p[i];
        highest = i > 0 ? highest * base : 1;
    }
    for (size_t i = 0;; i++) {
        if (here == wanted && memcmp(p + i, what, m) == 0)
            return p + i;
        if (i + m == n)
            return NULL;
        here = (here - highest * (unsigned char)p[i]) * base + (unsigned char)p[i + m];
    }
}

const char *bytes_find(const char *p, size_t n, const char *what, size_t m)
{
    if (m == 0)
        return p;
    if (m > n)
        return NULL;
    return m <= FEW ? find_few(p, n, what, m) : find_many(p, n, what, m);
}

const char *bytes_find_last(const char *p, char c, size_t n)
{
    while (n > 0 && p[n - 1] != c)
        n--;
    return n > 0 ? p + n - 1 : NULL;
}
