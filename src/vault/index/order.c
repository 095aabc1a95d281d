#include "vault/index/order.h"

#include "base/array.h"
#include "base/lock.h"
#include "base/sort.h"

struct order {
    const struct order_by *by;
    const void *of;
    struct lock lock; /* of making it */
    bool made;
    uint32_t *items;
    size_t n, cap;
};

struct order *order_create(const struct order_by *by, const void *of)
{
    struct order *o = mem_zero(sizeof(*o));
    o->by = by;
    o->of = of;
    lock_init(&o->lock, LOCK_ORDER);
    return o;
}

void order_free(struct order *o)
{
    if (o == NULL)
        return;
    lock_release(&o->lock);
    free(o->items);
    free(o);
}

void order_forget(struct order *o)
{
    o->made = false;
}

size_t order_memory(const struct order *o)
{
    return sizeof(*o) + o->cap * sizeof(*o->items);
}

/* --- making --- */

static int order_compare(const void *a, const void *b, void *order)
{
    const struct order *o = order;
    return o->by->compare(o->of, *(const uint32_t *)a, *(const uint32_t *)b);
}

/* What has just been read from a disk is often sorted already. */
static void order_make(struct order *o, uint32_t end)
{
    bool sorted = true;
    o->n = 0;
    for (uint32_t i = 0; i < end; i++) {
        if (!o->by->has(o->of, i))
            continue;
        sorted =
            sorted && (o->n == 0 || o->by->compare(o->of, o->items[o->n - 1], i) < 0);
        *ARRAY_ADD_CAP(NULL, o->items, o->n, o->cap) = i;
    }
    if (!sorted)
        sort_with(o->items, o->n, sizeof(*o->items), order_compare, o);
    o->made = true;
}

bool order_is_made(struct order *o)
{
    lock_take(&o->lock);
    bool made = o->made;
    lock_drop(&o->lock);
    return made;
}

size_t order_items(struct order *o, uint32_t end, const uint32_t **out)
{
    lock_take(&o->lock);
    if (!o->made)
        order_make(o, end);
    lock_drop(&o->lock);
    *out = o->items;
    return o->n;
}

/* --- keeping --- */

/* The place of the first item that is not before number. */
static size_t order_place(const struct order *o, uint32_t number)
{
    size_t low = 0, high = o->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (o->by->compare(o->of, o->items[middle], number) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

size_t order_remove(struct order *o, uint32_t number)
{
    size_t at = o->made ? order_place(o, number) : 0;
    if (at >= o->n || !o->made || o->items[at] != number)
        return ORDER_NONE;
    o->n--;
    memmove(o->items + at, o->items + at + 1, (o->n - at) * sizeof(*o->items));
    return at;
}

size_t order_add(struct order *o, uint32_t number)
{
    if (!o->made)
        return ORDER_NONE;
    size_t at = order_place(o, number);
    (void)ARRAY_ADD_CAP(NULL, o->items, o->n, o->cap);
    memmove(o->items + at + 1, o->items + at, (o->n - 1 - at) * sizeof(*o->items));
    o->items[at] = number;
    return at;
}
