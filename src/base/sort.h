/*
 * sort - sorting that keeps the order of equal items, on every system.
 */
#pragma once

#include "base/str.h"

/* Below, equal to, or above 0, as for qsort(); arg is what sort_with() was given. */
typedef int sort_order(const void *a, const void *b, void *arg);
typedef int sort_plain_order(const void *a, const void *b);

/* Sort n items of that size in place; items may be NULL if n is 0. */
void sort_items(void *items, size_t n, size_t size, sort_plain_order *order);

/* The same by an order that needs to know more than the two items. */
void sort_with(void *items, size_t n, size_t size, sort_order *order, void *arg);
