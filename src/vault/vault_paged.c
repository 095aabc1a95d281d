/*
 * The texts of PDF files. They take long to make, so the first index has only the names of
 * such files, and one thread makes their texts afterwards: it reads a file without any
 * lock, and replaces the file in the index if it is still the same there.
 */
#include "base/array.h"
#include "base/clock.h"
#include "base/hash.h"
#include "vault/index/file.h"
#include "vault/index/index.h"
#include "vault/vault_live.h"
#include "vault/worker.h"

enum { PAGED_AT_ONCE = 64 }; /* files that are chosen at a time */

/* --- one file --- */

/* Put f into the index if the file there still waits for its text, and is the same; if not,
 * it changed in between, and the thread that notices that also looks for pages. */
static void paged_put(struct live *v, struct file *f)
{
    live_take_writer(v);
    const struct file *now = index_find(v->index, f->path);
    bool wanted = now != NULL && file_is_unpaged(now) && fs_same(&now->info, &f->info);
    if (wanted) {
        v->unsaved++;
        live_begin_writing(v);
        index_put(v->index, f, false);
        lock_shared_drop(&v->lock);
        live_save_much(v);
    }
    timed_lock_drop(&v->writer);
    if (!wanted)
        file_free(f);
}

/* Whether the texts of all files leave room for n more bytes. */
static bool paged_has_room(struct live *v, size_t n, struct err *err)
{
    lock_shared_read(&v->lock);
    bool room = v->index->paged_bytes + n <= VAULT_PAGED_MAX &&
                v->index->text_bytes + n <= v->load.memory_max;
    lock_shared_drop(&v->lock);
    return room || err_set(err, ERR_LIMIT,
                           "not searched: the texts of all PDF files exceed %d MiB, or "
                           "the vault's notes the memory limit",
                           VAULT_PAGED_MAX >> 20);
}

static bool paged_load(struct live *v, struct arena *a, str path,
                       const struct fs_info *known, str *bytes, struct err *err)
{
    struct fs_info info;
    return fs_load(&v->own.root, a, path, v->options.paged_max, &info, bytes, err) &&
           (fs_same(&info, known) ||
            err_set(err, ERR_BUSY, "the file changed while it was read"));
}

/* False if no text can be made any more. */
static bool paged_make(struct live *v, str path, const struct fs_info *known)
{
    struct arena a = {0}, scratch = {0};
    struct err err = {0};
    str bytes, text;
    bool ok =
        paged_load(v, &a, path, known, &bytes, &err) &&
        v->options.paged(v->options.paged_arg, &a, bytes, &v->closing, &text, &err) &&
        paged_has_room(v, text.n, &err);
    bool over = !ok && err.name == E_NOT_SET_UP;
    if (!over && !atomic_load(&v->closing))
        paged_put(v,
                  ok ? file_make_paged(&scratch, path, known, hash_content(bytes), text)
                     : file_make_unread(&scratch, path, known, err.msg));
    arena_release(&a);
    arena_release(&scratch);
    return !over;
}

/* --- all of them --- */

struct paged_file {
    str path;
    struct fs_info info;
};

/* The newest files without text. */
static size_t paged_choose(struct live *v, struct arena *a, struct paged_file **out)
{
    const file_id *ids;
    struct paged_file *files = NULL;
    size_t n = 0;
    lock_shared_read(&v->lock);
    size_t all = v->index->unpaged > 0 ? index_newest(v->index, &ids) : 0;
    for (size_t i = 0; i < all && n < PAGED_AT_ONCE; i++) {
        const struct file *f = index_file(v->index, ids[i]);
        if (f != NULL && file_is_unpaged(f))
            *ARRAY_ADD(a, files, n) = (struct paged_file){arena_str(a, f->path), f->info};
    }
    lock_shared_drop(&v->lock);
    *out = files;
    return n;
}

/* Every chosen file gets a text or a problem, or was changed by others: so this ends.
 * False if no text can be made any more. */
static bool paged_make_all(struct live *v)
{
    bool able = true, any = true;
    while (able && any) {
        struct arena a = {0};
        struct paged_file *files;
        size_t n = paged_choose(v, &a, &files);
        for (size_t i = 0; i < n && able && !atomic_load(&v->closing); i++)
            able = paged_make(v, files[i].path, &files[i].info);
        any = n > 0 && !atomic_load(&v->closing);
        arena_release(&a);
    }
    return able;
}

/* --- the thread --- */

static void *paged_run(void *arg)
{
    struct live *v = arg;
    for (bool able = true; able && worker_sleep(&v->pager, UINT64_MAX, true);) {
        worker_begin(&v->pager);
        able = paged_make_all(v);
        worker_is_over(&v->pager, true);
    }
    worker_end(&v->pager);
    return NULL;
}

void live_start_paging(struct live *v)
{
    if (v->options.paged != NULL)
        worker_start(&v->pager, "pages", paged_run, v);
}

void live_look_for_pages(struct live *v)
{
    if (v->options.paged != NULL && v->index->unpaged > 0)
        worker_wake(&v->pager, clock_ns());
}

void live_forget_pages(struct live *v)
{
    struct arena scratch = {0};
    struct index *x = v->index;
    for (file_id i = 0; x->paged_bytes > 0 && i < x->n; i++) {
        const struct file *f = x->files[i];
        if (f == NULL || f->kind != FILE_PDF || f->unread)
            continue;
        index_put(x, file_make_unread(&scratch, f->path, &f->info, NULL), f->excluded);
        v->unsaved++;
    }
    arena_release(&scratch);
}

/* --- for callers --- */

size_t vault_unpaged(struct vault *vault, const struct index *x)
{
    struct live *v = vault->live;
    bool over = worker_get(&v->pager, &v->pager.over) &&
                !(v->pager.started && live_is_loading(v));
    return over ? 0 : x->unpaged;
}

void vault_wait_paged(struct vault *vault, unsigned ms)
{
    struct worker *w = &vault->live->pager;
    (void)worker_wait(w, &w->over, clock_ns() + ms * 1000000ULL);
}
