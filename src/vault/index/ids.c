#include "vault/index/ids.h"

#include "base/sort.h"

static uint32_t ids_place(const struct ids *ids, file_id id)
{
    uint32_t low = 0, high = ids->n;
    if (high > 0 && ids->at[high - 1] < id) /* a new index is filled in order */
        return high;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (ids->at[middle] < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void ids_reserve(struct ids *ids, size_t more)
{
    size_t want = size_add(ids->n, more);
    if (want <= ids->cap)
        return;
    if (want < ids->cap * (size_t)2 + 4)
        want = ids->cap * (size_t)2 + 4;
    ids->at = mem_grow(ids->at, size_mul(want, sizeof(*ids->at)));
    ids->cap = (uint32_t)want;
}

void ids_add(struct ids *ids, file_id id)
{
    uint32_t at = ids_place(ids, id);
    if (at < ids->n && ids->at[at] == id)
        return;
    ids_reserve(ids, 1);
    memmove(ids->at + at + 1, ids->at + at, (ids->n - at) * sizeof(*ids->at));
    ids->at[at] = id;
    ids->n++;
}

void ids_remove(struct ids *ids, file_id id)
{
    uint32_t at = ids_place(ids, id);
    if (at == ids->n || ids->at[at] != id)
        return;
    ids->n--;
    memmove(ids->at + at, ids->at + at + 1, (ids->n - at) * sizeof(*ids->at));
}

static int ids_by_number(const void *a, const void *b)
{
    file_id x = *(const file_id *)a, y = *(const file_id *)b;
    return (x > y) - (x < y);
}

void ids_sort(struct ids *ids)
{
    uint32_t rising = 1, n = 0;
    while (rising < ids->n && ids->at[rising - 1] < ids->at[rising])
        rising++;
    if (rising >= ids->n)
        return;
    sort_items(ids->at, ids->n, sizeof(*ids->at), ids_by_number);
    for (uint32_t i = 0; i < ids->n; i++)
        if (n == 0 || ids->at[i] != ids->at[n - 1])
            ids->at[n++] = ids->at[i];
    ids->n = n;
}
