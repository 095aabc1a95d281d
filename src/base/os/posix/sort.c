#include "base/os/sort.h"

#include <stdlib.h>

void sort_with(void *items, size_t n, size_t size, sort_order *order, void *arg)
{
    qsort_r(items, n, size, order, arg);
}
