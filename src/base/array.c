#include "base/array.h"

void *array_grow(struct arena *a, void *items, size_t cap, size_t size)
{
    size_t bytes = size_mul(array_more(cap), size);
    return a != NULL ? arena_grow(a, items, cap * size, bytes) : mem_grow(items, bytes);
}
