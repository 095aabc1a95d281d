#include "vault/index/derived.h"

struct derived *derived_create(const struct derived_kind *kind)
{
    struct derived *t = mem_zero(kind->size);
    lock_init(&t->lock, LOCK_DERIVED);
    return t;
}

void derived_free(struct derived *t, const struct derived_kind *kind)
{
    kind->clear(t);
    if (kind->release != NULL)
        kind->release(t);
    lock_release(&t->lock);
    free(t);
}

void derived_forget(struct derived *t, const struct derived_kind *kind)
{
    kind->clear(t);
    t->made = false;
}

static void derived_collect(struct derived *t, const struct derived_kind *kind,
                            struct file *const *files, file_id n)
{
    if (kind->begin != NULL)
        kind->begin(t);
    for (file_id i = 0; i < n; i++)
        if (files[i] != NULL)
            kind->add(t, files[i]);
    if (kind->collected != NULL)
        kind->collected(t);
    t->made = true;
}

void derived_need(struct derived *t, const struct derived_kind *kind,
                  struct file *const *files, file_id n)
{
    lock_take(&t->lock);
    if (!t->made)
        derived_collect(t, kind, files, n);
    lock_drop(&t->lock);
}
