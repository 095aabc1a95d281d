#include "vault/index/index_order.h"

#include <pthread.h>

struct index_order {
    pthread_mutex_t lock;
    bool made;
    file_id *ids;
    size_t n;
};

struct index_order *index_order_create(void)
{
    struct index_order *o = mem_zero(sizeof(*o));
    pthread_mutex_init(&o->lock, NULL);
    return o;
}

void index_order_free(struct index_order *o)
{
    pthread_mutex_destroy(&o->lock);
    free(o->ids);
    free(o);
}

void index_order_forget(struct index_order *o)
{
    o->made = false;
}

static int index_order_by_path(const void *a, const void *b, void *index)
{
    const struct index *x = index;
    const file_id *i = a, *k = b;
    return str_cmp(x->files[*i]->path, x->files[*k]->path);
}

/* A vault that has just been read is already sorted. */
static void index_order_make(struct index_order *o, const struct index *x)
{
    bool sorted = true;
    o->ids = mem_grow(o->ids, size_mul(x->count + 1, sizeof(*o->ids)));
    o->n = 0;
    for (file_id i = 0; i < x->n; i++) {
        if (x->files[i] == NULL)
            continue;
        sorted = sorted &&
                 (o->n == 0 || index_order_by_path(&o->ids[o->n - 1], &i, (void *)x) < 0);
        o->ids[o->n++] = i;
    }
    if (!sorted)
        qsort_r(o->ids, o->n, sizeof(*o->ids), index_order_by_path, (void *)x);
    o->made = true;
}

static const struct index_order *order_of(const struct index *x)
{
    struct index_order *o = x->order;
    pthread_mutex_lock(&o->lock);
    if (!o->made)
        index_order_make(o, x);
    pthread_mutex_unlock(&o->lock);
    return o;
}

const struct file *index_nth(const struct index *x, size_t i)
{
    const struct index_order *o = order_of(x);
    return i < o->n ? x->files[o->ids[i]] : NULL;
}

size_t index_after(const struct index *x, str path)
{
    const struct index_order *o = order_of(x);
    size_t low = 0, high = o->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (str_cmp(x->files[o->ids[middle]]->path, path) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

size_t index_sorted(const struct index *x, struct arena *a, const struct file ***out)
{
    const struct index_order *o = order_of(x);
    *out = ARENA_ARRAY(a, const struct file *, o->n);
    for (size_t i = 0; i < o->n; i++)
        (*out)[i] = x->files[o->ids[i]];
    return o->n;
}

/* --- counting --- */

/* The number of folders of path that the path before it, in order, is not in. */
static size_t new_folders(str path, str before)
{
    size_t same = 0, n = 0;
    while (same < path.n && same < before.n && path.p[same] == before.p[same])
        same++;
    while (same > 0 && path.p[same - 1] != '/') /* whole names only */
        same--;
    for (size_t i = same; i < path.n; i++)
        n += path.p[i] == '/';
    return n;
}

void index_count(const struct index *x, struct index_counts *out)
{
    const struct index_order *o = order_of(x);
    str before = {0};
    *out = (struct index_counts){0};
    for (size_t i = 0; i < o->n; i++) {
        const struct file *f = x->files[o->ids[i]];
        if (f->kind == FILE_NOTE)
            out->notes++;
        else
            out->attachments++;
        out->bytes += f->info.size;
        if (f->info.mtime > out->newest)
            out->newest = f->info.mtime;
        out->folders += new_folders(f->path, before);
        before = f->path;
    }
}
