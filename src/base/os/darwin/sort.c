#include "base/os/sort.h"

#include <stdlib.h>

/* qsort_r() of BSD passes the argument first. */
struct sort_call {
    sort_order *order;
    void *arg;
};

static int sort_compare(void *arg, const void *a, const void *b)
{
    const struct sort_call *call = arg;
    return call->order(a, b, call->arg);
}

void sort_with(void *items, size_t n, size_t size, sort_order *order, void *arg)
{
    struct sort_call call = {order, arg};
    qsort_r(items, n, size, &call, sort_compare);
}
