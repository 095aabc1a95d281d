#include "vault/index/index_order.h"

#include "base/array.h"
#include "base/lock.h"
#include "base/path.h"
#include "base/sbuf.h"
#include "vault/index/names.h"
#include "vault/index/order.h"

struct index_order {
    const struct index *index;
    struct order *paths, *times;
    struct lock lock; /* of listing the folders */
    bool has_folders;
    str *folders; /* with a file somewhere below them, each before those in it */
    size_t n_folders;
    struct arena names;
    struct sbuf joined; /* for index_folder_names() */
    uint32_t *starts;
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

static int index_order_compare_paths(const void *index, uint32_t a, uint32_t b)
{
    return str_cmp(file_of(index, a)->path, file_of(index, b)->path);
}

static int compare_times(const void *index, uint32_t a, uint32_t b)
{
    int64_t x = file_of(index, a)->info.mtime, y = file_of(index, b)->info.mtime;
    return x != y ? (x < y) - (x > y) : index_order_compare_paths(index, a, b);
}

static const struct order_by by_path = {is_file, index_order_compare_paths},
                             by_time = {is_file, compare_times};

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

/*
 * Whether the file at that path is alone in a folder. In the order of paths, everything
 * below a folder is contiguous, so only its neighbours can share it: the files at the two
 * places.
 */
static bool has_own_folder(const struct index_order *o, str path, size_t before,
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
    return str_find_char(str_skip(path, shared), '/') != STR_NONE;
}

/* The folders of path that the path before it is not in. */
static void index_order_add_folders(struct index_order *o, str path, str before)
{
    for (size_t i = shared_folder(path, before); i < path.n; i++)
        if (path.p[i] == '/')
            *ARRAY_ADD(NULL, o->folders, o->n_folders) =
                arena_str(&o->names, str_slice(path, 0, i));
}

static void forget_folders(struct index_order *o)
{
    o->has_folders = false;
    o->n_folders = 0;
    free(o->folders);
    o->folders = NULL;
    o->starts = NULL;
    o->joined = SBUF_ON(&o->names);
    arena_reset(&o->names);
}

static void join_names(struct index_order *o)
{
    o->starts = ARENA_ARRAY(&o->names, uint32_t, o->n_folders);
    o->joined = SBUF_ON(&o->names);
    for (size_t i = 0; i < o->n_folders; i++) {
        o->starts[i] = (uint32_t)o->joined.n;
        sbuf_add(&o->joined, path_name(o->folders[i]));
        sbuf_char(&o->joined, '/');
    }
}

size_t index_folders(const struct index *x, const str **out)
{
    struct index_order *o = x->order;
    const uint32_t *ids;
    size_t n = order_items(o->paths, x->n, &ids);
    lock_take(&o->lock);
    for (size_t i = 0; i < n && !o->has_folders; i++)
        index_order_add_folders(o, x->files[ids[i]]->path,
                                i > 0 ? x->files[ids[i - 1]]->path : STR(""));
    if (!o->has_folders)
        join_names(o);
    o->has_folders = true;
    lock_drop(&o->lock);
    *out = o->folders;
    return o->n_folders;
}

str index_folder_names(const struct index *x, const uint32_t **starts)
{
    const str *folders;
    index_folders(x, &folders);
    *starts = x->order->starts;
    return sbuf_str(&x->order->joined);
}

/* --- keeping them --- */

struct index_order *index_order_create(const struct index *x)
{
    struct index_order *o = mem_zero(sizeof(*o));
    o->index = x;
    o->paths = order_create(&by_path, x);
    o->times = order_create(&by_time, x);
    lock_init(&o->lock, LOCK_FOLDERS);
    return o;
}

void index_order_free(struct index_order *o)
{
    order_free(o->paths);
    order_free(o->times);
    lock_release(&o->lock);
    forget_folders(o);
    arena_release(&o->names);
    free(o);
}

void index_order_remove_path(struct index_order *o, file_id id)
{
    size_t at = order_remove(o->paths, id);
    if (at != ORDER_NONE && has_own_folder(o, o->index->files[id]->path, at - 1, at))
        forget_folders(o);
}

void index_order_add_path(struct index_order *o, file_id id)
{
    size_t at = order_add(o->paths, id);
    if (at != ORDER_NONE && has_own_folder(o, o->index->files[id]->path, at - 1, at + 1))
        forget_folders(o);
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
    forget_folders(o);
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

bool index_has_below(const struct index *x, str folder)
{
    for (file_id i = 0; i < x->n; i++)
        if (x->files[i] != NULL && path_is_below(folder, x->files[i]->path))
            return true;
    return false;
}

bool index_is_sorted(const struct index *x)
{
    return order_is_made(x->order->paths);
}

/* Making the order for this would cost more than it saves. */
size_t index_below(const struct index *x, struct arena *a, str folder,
                   const struct file ***out)
{
    size_t n = 0;
    const struct file *f;
    str prefix = path_join(a, folder, STR(""));
    bool sorted = index_is_sorted(x);
    *out = NULL;
    for (file_id i = 0; !sorted && i < x->n; i++) /* paths there are close together */
        if (str_starts(names_path(x->names, i), prefix))
            *ARRAY_ADD(a, *out, n) = x->files[i];
    for (size_t i = sorted ? index_after(x, prefix) : 0;
         sorted && (f = index_nth(x, i)) != NULL && str_starts(f->path, prefix); i++)
        *ARRAY_ADD(a, *out, n) = f;
    return n;
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

size_t index_by_path(const struct index *x, const file_id **out)
{
    return order_items(x->order->paths, x->n, out);
}

size_t index_newest(const struct index *x, const file_id **out)
{
    return order_items(x->order->times, x->n, out);
}

void index_count(const struct index *x, struct index_counts *out)
{
    const file_id *ids;
    const str *folders;
    *out = (struct index_counts){.notes = x->notes,
                                 .attachments = x->count - x->notes,
                                 .folders = index_folders(x, &folders),
                                 .bytes = x->bytes};
    if (index_newest(x, &ids) > 0 && x->files[ids[0]]->info.mtime > 0)
        out->newest = x->files[ids[0]]->info.mtime;
}
