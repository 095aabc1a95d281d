/*
 * pick - one of many items, chosen with the keyboard: words filter the list, the arrows move, Enter
 * chooses, Esc and Ctrl-C end it. The last line says more about the item. Drawn on stderr
 * and removed at the end.
 *
 * Only for a person: stdin, stdout and stderr are terminals. Where keys cannot be read
 * (Windows), the items are listed by number.
 */
#pragma once

#include "app/answers/term.h"
#include "base/err.h"
#include "vault/index/index.h"

enum { PICK_ROWS = 12 };

struct picker {
    const char *title;
    const str *items;
    size_t n;
    str (*preview)(void *arg,
                   size_t i); /* a text, of which the first line is shown; or NULL */
    void *arg;
};

bool pick_is_possible(void);

/* Fails with ERR_INVALID if the user chose none. */
MUST_CHECK bool pick(struct term *t, const struct picker *p, size_t *chosen,
                     struct err *err);

/* A file that a word may mean: find_all(). Fails with what is in *err if that is not possible. */
MUST_CHECK bool pick_file(struct term *t, const struct index *x, str word,
                          const struct file **out, struct err *err);

/* The items that have all words of the filter in them, ignoring case: their numbers. */
size_t pick_filter(struct arena *a, const str *folded, size_t n, str filter, size_t *out);
