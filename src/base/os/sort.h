/*
 * sort - sorting by an order that needs to know more than the two items.
 */
#pragma once

#include "base/str.h"

/* Below, equal to, or above 0, as for qsort(); arg is what sort_with() was given. */
typedef int sort_order(const void *a, const void *b, void *arg);

/* Sort n items of that size in place. Equal items end up in any order. */
void sort_with(void *items, size_t n, size_t size, sort_order *order, void *arg);
