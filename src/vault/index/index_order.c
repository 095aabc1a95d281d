#include "vault/index/index_order.h"

#include <stdatomic.h>

#include "vault/index/order.h"

#define UNKNOWN SIZE_MAX

struct index_order {
    const struct index *index;
    struct order *paths, *times;
    atomic_size_t folders; /* with a file somewhere below them; UNKNOWN: count again */
};

/* --- what the files are sorted by --- */

static const struct file *file_of(const void *index, uint32_t id)
{
    return ((const struct index *)index)->files[id];
}

static bool is_file(const void *index, uint32_t id)
{
    return file_of(index, id) != NULL;
}

static int compare_paths(const void *index, uint32_t a, uint32_t b)
{
    return str_cmp(file_of(index, a)->path, file_of(index, b)->path);
}

static int compare_times(const void *index, uint32_t a, uint32_t b)
{
    int64_t x = file_of(index, a)->info.mtime, y = file_of(index, b)->info.mtime;
    return x != y ? (x < y) - (x > y) : compare_paths(index, a, b);
}

static const struct order_by by_path = {is_file, compare_paths},
                             by_time = {is_file, compare_times};

struct index_order *index_order_create(const struct index *x)
{
    struct index_order *o = mem_zero(sizeof(*o));
    o->index = x;
    o->paths = order_create(&by_path, x);
    o->times = order_create(&by_time, x);
    atomic_init(&o->folders, UNKNOWN);
    return o;
}

void index_order_free(struct index_order *o)
{
    order_free(o->paths);
    order_free(o->times);
    free(o);
}

/* --- folders --- */

/* How much of path is a folder that another path is in, too. */
static size_t shared_folder(str path, str other)
{
    size_t same = 0;
    while (same < path.n && same < other.n && path.p[same] == other.p[same])
        same++;
    while (same > 0 && path.p[same - 1] != '/') /* whole names only */
        same--;
    return same;
}

static size_t count_slashes(str path)
{
    size_t n = 0;
    for (size_t i = 0; i < path.n; i++)
        n += path.p[i] == '/';
    return n;
}

/*
 * The number of folders that only the file at that path is in. In the order of paths,
 * everything below a folder is contiguous, so only its neighbours can share them: the
 * files at the two places.
 */
static size_t own_folders(const struct index_order *o, str path, size_t before,
                          size_t after)
{
    const uint32_t *ids;
    size_t n = order_items(o->paths, o->index->n, &ids), shared = 0;
    const size_t places[] = {before, after};
    for (size_t i = 0; i < COUNT_OF(places); i++) {
        if (places[i] >= n) /* before the first, or after the last */
            continue;
        size_t with = shared_folder(path, o->index->files[ids[places[i]]]->path);
        shared = with > shared ? with : shared;
    }
    return count_slashes(str_skip(path, shared));
}

static size_t count_folders(const struct index_order *o)
{
    const uint32_t *ids;
    size_t n = order_items(o->paths, o->index->n, &ids), folders = 0;
    for (size_t i = 0; i < n; i++)
        folders += own_folders(o, o->index->files[ids[i]]->path, i - 1, SIZE_MAX);
    return folders;
}

static void change_folders(struct index_order *o, size_t more)
{
    size_t now = atomic_load(&o->folders);
    if (now != UNKNOWN)
        atomic_store(&o->folders, now + more);
}

/* --- keeping them --- */

void index_order_remove_path(struct index_order *o, file_id id)
{
    size_t at = order_remove(o->paths, id);
    if (at != ORDER_NONE)
        change_folders(o, -own_folders(o, o->index->files[id]->path, at - 1, at));
}

void index_order_add_path(struct index_order *o, file_id id)
{
    size_t at = order_add(o->paths, id);
    if (at != ORDER_NONE)
        change_folders(o, own_folders(o, o->index->files[id]->path, at - 1, at + 1));
}

void index_order_remove_time(struct index_order *o, file_id id)
{
    (void)order_remove(o->times, id);
}

void index_order_add_time(struct index_order *o, file_id id)
{
    (void)order_add(o->times, id);
}

void index_order_forget(struct index_order *o)
{
    order_forget(o->paths);
    order_forget(o->times);
    atomic_store(&o->folders, UNKNOWN);
}

/* --- asking --- */

const struct file *index_nth(const struct index *x, size_t i)
{
    const uint32_t *ids;
    return i < order_items(x->order->paths, x->n, &ids) ? x->files[ids[i]] : NULL;
}

size_t index_after(const struct index *x, str path)
{
    const uint32_t *ids;
    size_t low = 0, high = order_items(x->order->paths, x->n, &ids);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (str_cmp(x->files[ids[middle]]->path, path) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

size_t index_sorted(const struct index *x, struct arena *a, const struct file ***out)
{
    const uint32_t *ids;
    size_t n = order_items(x->order->paths, x->n, &ids);
    *out = ARENA_ARRAY(a, const struct file *, n);
    for (size_t i = 0; i < n; i++)
        (*out)[i] = x->files[ids[i]];
    return n;
}

size_t index_newest(const struct index *x, const file_id **out)
{
    return order_items(x->order->times, x->n, out);
}

void index_count(const struct index *x, struct index_counts *out)
{
    struct index_order *o = x->order;
    const file_id *ids;
    size_t folders = atomic_load(&o->folders);
    if (folders == UNKNOWN)
        atomic_store(&o->folders, folders = count_folders(o));
    *out = (struct index_counts){.notes = x->notes,
                                 .attachments = x->count - x->notes,
                                 .folders = folders,
                                 .bytes = x->bytes};
    if (index_newest(x, &ids) > 0 && x->files[ids[0]]->info.mtime > 0)
        out->newest = x->files[ids[0]]->info.mtime;
}
