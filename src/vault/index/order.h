/*
 * order - numbers (of files, of texts) sorted by something that they have: made on demand,
 * then kept.
 *
 * Nothing is sorted until the first question. From then on, a change moves one number,
 * which costs a binary search. One writer; any number of threads may ask while there is
 * no writing: the first of them sorts, and the others wait.
 */
#pragma once

#include "base/str.h"

#define ORDER_NONE SIZE_MAX

struct order_by {
    bool (*has)(const void *of, uint32_t number);
    int (*compare)(const void *of, uint32_t a, uint32_t b); /* 0 only if a equals b */
};

struct order;

/* The two are borrowed; of is what the numbers belong to. */
struct order *order_create(const struct order_by *by, const void *of);
void order_free(struct order *o);

/* Whether it is made: then asking for the items costs nothing. */
bool order_is_made(struct order *o);

/* All numbers below end that it has, in order; valid until a change. */
size_t order_items(struct order *o, uint32_t end, const uint32_t **out);

/*
 * Before what a number is sorted by changes, and after it. If the order is made, these
 * return the number's place in it (before it is removed, after it is added), else
 * ORDER_NONE.
 */
size_t order_remove(struct order *o, uint32_t number);
size_t order_add(struct order *o, uint32_t number);

/* Sort again at the next question: cheaper than many changes. */
void order_forget(struct order *o);

size_t order_memory(const struct order *o);
