#include "vault/watch_paths.h"

#include "base/hash.h"
#include "vault/watch.h"

enum { SLOTS = 1 << 15 }; /* less than a third in use, so probes are short */
_Static_assert(WATCH_PATHS_MAX < UINT16_MAX && WATCH_PATHS_MAX < SLOTS / 2,
               "an index fits into a slot, and there are free slots");

static uint16_t *find_slot(struct watch_paths *p, str path)
{
    size_t i = hash_table(path) % SLOTS;
    while (p->slots[i] != 0 && !str_eq(p->list[p->slots[i] - 1], path))
        i = (i + 1) % SLOTS;
    return &p->slots[i];
}

void watch_paths_add(struct watch_paths *p, str path)
{
    p->added++;
    if (p->everything)
        return;
    if (p->list == NULL) {
        p->list = mem_alloc(size_mul(WATCH_PATHS_MAX, sizeof(*p->list)));
        p->slots = mem_zero(size_mul(SLOTS, sizeof(*p->slots)));
    }
    uint16_t *slot = find_slot(p, path);
    if (*slot != 0)
        return;
    if (p->n == WATCH_PATHS_MAX) {
        p->everything = true;
        return;
    }
    p->list[p->n++] = arena_str(&p->arena, path);
    *slot = (uint16_t)p->n;
}

void watch_paths_add_all(struct watch_paths *p)
{
    p->added++;
    p->everything = true;
}

static int watch_paths_by_bytes(const void *a, const void *b)
{
    return str_cmp(*(const str *)a, *(const str *)b);
}

void watch_paths_sort(struct watch_paths *p)
{
    if (p->n > 1)
        qsort(p->list, p->n, sizeof(*p->list), watch_paths_by_bytes);
}

void watch_paths_clear(struct watch_paths *p)
{
    if (p->slots != NULL)
        memset(p->slots, 0, SLOTS * sizeof(*p->slots));
    arena_reset(&p->arena);
    p->n = p->added = 0;
    p->everything = false;
}

void watch_paths_release(struct watch_paths *p)
{
    free(p->list);
    free(p->slots);
    arena_release(&p->arena);
    *p = (struct watch_paths){0};
}
