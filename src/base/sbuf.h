/*
 * sbuf - text that grows, in an arena.
 *
 *     struct sbuf b = SBUF_ON(a);
 *     sbuf_add(&b, STR("hello"));
 *     use(sbuf_str(&b));
 *
 * The text lives as long as the arena; sbuf_str() is valid until the next add.
 */
#pragma once

#include "base/arena.h"
#include "base/str.h"

struct sbuf {
    struct arena *arena;
    char *p;
    size_t n, cap;
};

#define SBUF_ON(a) ((struct sbuf){.arena = (a)})

void sbuf_add(struct sbuf *b, str s);
void sbuf_char(struct sbuf *b, char c);
void sbuf_printf(struct sbuf *b, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Add the words of a list that ends with NULL, separated by between. */
void sbuf_join(struct sbuf *b, const char *const *words, const char *between);

/* Add a cell of a Markdown table, and the bar that ends it. */
void sbuf_cell(struct sbuf *b, str text);

/* Make room for n more bytes, and for little more than that, instead of half as much again:
 * before a large text that is nearly all there is. */
void sbuf_reserve(struct sbuf *b, size_t n);

/* Room for n more bytes; write them there, then say how many with sbuf_took(). */
char *sbuf_room(struct sbuf *b, size_t n);
void sbuf_took(struct sbuf *b, size_t n);

static inline str sbuf_str(const struct sbuf *b)
{
    return (str){b->p, b->n};
}
