#include "vault/touched.h"

#include "vault/index/index.h"

/* A file that was read again may turn out to be unchanged. */
static bool is_news(const struct file *old, const struct file *now)
{
    if (old == NULL || old->unread != now->unread)
        return true;
    return now->unread ? !fs_same(&old->info, &now->info)
                       : !hash_same(old->hash, now->hash);
}

void touched_add(struct touched *t, const struct index *x, const struct load_changes *c)
{
    t->paths = ARENA_ARRAY(&t->arena, str, c->n_removed + c->n_put);
    t->names = c->n_removed > 0;
    for (size_t i = 0; i < c->n_removed; i++)
        t->paths[t->n++] = arena_str(&t->arena, c->removed[i]);
    for (size_t i = 0; i < c->n_put; i++) {
        const struct file *old = index_find(x, c->put[i]->path);
        if (!is_news(old, c->put[i]))
            continue;
        bool hid = old != NULL && old->policy == POLICY_HIDDEN;
        t->paths[t->n++] = arena_str(&t->arena, c->put[i]->path);
        t->names = t->names || old == NULL || hid != (c->put[i]->policy == POLICY_HIDDEN);
    }
}
