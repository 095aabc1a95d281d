#include "vault/index/skipped.h"

#include "base/arena.h"
#include "base/path.h"
#include "base/utf8.h"

static void free_item(struct skipped_file *item)
{
    free((char *)item->path.p);
    free((char *)item->why.p);
}

/* Forget what is at path or below it. */
static void forget(struct skipped *l, str path)
{
    size_t kept = 0;
    for (size_t i = 0; i < l->n; i++) {
        if (path_is_or_below(path, l->items[i].path))
            free_item(&l->items[i]);
        else
            l->items[kept++] = l->items[i];
    }
    l->n = kept;
}

static struct skipped_file skipped_copy(struct arena *scratch,
                                        const struct skipped_file *from)
{
    str path = utf8_repair(scratch, from->path);
    return (struct skipped_file){{mem_str(path), path.n},
                                 {mem_str(from->why), from->why.n}};
}

void skipped_replace(struct skipped *l, str path, const struct skipped_file *items,
                     size_t n)
{
    struct arena scratch = {0};
    forget(l, utf8_repair(&scratch, path));
    if (n > 0 && l->items == NULL)
        l->items = mem_zero(SKIPPED_MAX * sizeof(*l->items));
    for (size_t i = 0; i < n && l->n < SKIPPED_MAX; i++)
        l->items[l->n++] = skipped_copy(&scratch, &items[i]);
    arena_release(&scratch);
}

void skipped_release(struct skipped *l)
{
    for (size_t i = 0; i < l->n; i++)
        free_item(&l->items[i]);
    free(l->items);
    *l = (struct skipped){0};
}
