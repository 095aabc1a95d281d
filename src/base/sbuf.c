#include "base/sbuf.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/err.h"

/* Grows in place while b is the arena's last allocation. */
char *sbuf_room(struct sbuf *b, size_t n)
{
    size_t need = size_add(b->n, n);
    if (need > b->cap || b->p == NULL) {
        size_t cap = need < 64 ? 64 : size_add(need, need / 2);
        b->p = arena_grow(b->arena, b->p, b->cap, cap);
        b->cap = cap;
    }
    return b->p + b->n;
}

void sbuf_reserve(struct sbuf *b, size_t n)
{
    enum { SPARE = 4096 };
    size_t need = size_add(b->n, n);
    if (need <= b->cap)
        return;
    size_t cap = size_add(need, SPARE);
    b->p = arena_grow(b->arena, b->p, b->cap, cap);
    b->cap = cap;
}

void sbuf_took(struct sbuf *b, size_t n)
{
    if (n > b->cap - b->n)
        BUG("took %zu bytes, had room for %zu", n, b->cap - b->n);
    b->n += n;
}

void sbuf_add(struct sbuf *b, str s)
{
    if (s.n == 0)
        return;
    memcpy(sbuf_room(b, s.n), s.p, s.n);
    b->n += s.n;
}

void sbuf_char(struct sbuf *b, char c)
{
    *sbuf_room(b, 1) = c;
    b->n++;
}

void sbuf_printf(struct sbuf *b, const char *fmt, ...)
{
    va_list args, again;
    va_start(args, fmt);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    vsnprintf(sbuf_room(b, (size_t)n + 1), (size_t)n + 1, fmt, again);
    va_end(again);
    b->n += (size_t)n;
}

void sbuf_join(struct sbuf *b, const char *const *words, const char *between)
{
    for (size_t i = 0; words[i] != NULL; i++) {
        if (i > 0)
            sbuf_add(b, str_c(between));
        sbuf_add(b, str_c(words[i]));
    }
}

void sbuf_cell(struct sbuf *b, str text)
{
    str part;
    sbuf_char(b, ' ');
    for (bool first = true; str_next(&text, '|', &part); first = false) {
        sbuf_add(b, first ? STR("") : STR("\\|"));
        sbuf_add(b, part);
    }
    sbuf_add(b, STR(" |"));
}
