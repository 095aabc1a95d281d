#include "vault/watch_paths.h"

#include "base/sort.h"
#include "vault/watch.h"

void watch_paths_add(struct watch_paths *p, str path)
{
    p->added++;
    if (p->everything || map_find(&p->list, path) != MAP_NONE)
        return;
    if (p->list.n == WATCH_PATHS_MAX)
        p->everything = true;
    else
        map_add(&p->list, arena_str(&p->arena, path));
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
    if (p->list.n > 1)
        sort_items(p->list.keys, p->list.n, sizeof(str), watch_paths_by_bytes);
}

void watch_paths_clear(struct watch_paths *p)
{
    map_clear(&p->list);
    arena_reset(&p->arena);
    p->added = 0;
    p->everything = false;
}

void watch_paths_release(struct watch_paths *p)
{
    map_release(&p->list);
    arena_release(&p->arena);
    *p = (struct watch_paths){0};
}
