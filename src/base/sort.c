/*
 * A merge sort: the first half of each merge is moved out of the way, so the room is that of
 * half of the items. Halves that are already in order cost one comparison.
 */
#include "base/sort.h"

#include "base/arena.h"

enum { ROOM_ON_STACK = 1024 }; /* bytes */

struct sort {
    size_t size;
    sort_plain_order *plain; /* or: */
    sort_order *order;
    void *arg;
    char *room; /* for half of the items */
};

static inline bool in_order(const struct sort *s, const char *a, const char *b)
{
    return (s->plain != NULL ? s->plain(a, b) : s->order(a, b, s->arg)) <= 0;
}

/* Merge the first half, which is in the room, with the second, which begins at right. With a
 * constant size, items are moved without a call. */
static inline __attribute__((always_inline)) void merge_items(const struct sort *s,
                                                              char *out, size_t n_left,
                                                              char *right, size_t n_right,
                                                              size_t size)
{
    const char *left = s->room;
    while (n_left > 0 && n_right > 0) {
        bool first = in_order(s, left, right);
        memcpy(out, first ? left : right, size);
        out += size;
        left += first ? size : 0;
        right += first ? 0 : size;
        n_left -= first;
        n_right -= !first;
    }
    memcpy(out, left, n_left * size);
}

static void merge_halves(const struct sort *s, char *items, size_t n_left, size_t n_right)
{
    char *right = items + n_left * s->size;
    if (in_order(s, right - s->size, right))
        return;
    memcpy(s->room, items, n_left * s->size);
    switch (s->size) {
    case 4:
        merge_items(s, items, n_left, right, n_right, 4);
        return;
    case 8:
        merge_items(s, items, n_left, right, n_right, 8);
        return;
    case 16:
        merge_items(s, items, n_left, right, n_right, 16);
        return;
    case 32:
        merge_items(s, items, n_left, right, n_right, 32);
        return;
    default:
        merge_items(s, items, n_left, right, n_right, s->size);
    }
}

static void sort_part(const struct sort *s, char *items, size_t n)
{
    size_t half = n / 2;
    if (half == 0)
        return;
    sort_part(s, items, half);
    sort_part(s, items + half * s->size, n - half);
    merge_halves(s, items, half, n - half);
}

static void sort_run(struct sort *s, void *items, size_t n)
{
    _Alignas(max_align_t) char small[ROOM_ON_STACK];
    size_t need = size_mul(n / 2, s->size);
    s->room = need <= sizeof(small) ? small : mem_alloc(need);
    sort_part(s, items, n);
    if (s->room != small)
        free(s->room);
}

void sort_items(void *items, size_t n, size_t size, sort_plain_order *order)
{
    struct sort s = {.size = size, .plain = order};
    sort_run(&s, items, n);
}

void sort_with(void *items, size_t n, size_t size, sort_order *order, void *arg)
{
    struct sort s = {.size = size, .order = order, .arg = arg};
    sort_run(&s, items, n);
}
