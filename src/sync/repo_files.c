/* Write the files of a new clone that a vault can hold. */

#include "base/fs_edit.h"
#include "base/log.h"
#include "base/sort.h"
#include "base/utf8.h"
#include "sync/git.h"
#include "sync/pull_limit.h"
#include "sync/repo.h"
#include "sync/tree_path.h"
#include "sync/unsynced.h"

struct writing {
    struct git_reader reader;
    struct fs_root root;
    struct git_entry *files; /* those to write */
    size_t *sizes;
    size_t n;
};

static bool repo_files_make_folder(struct writing *w, struct arena *a, str path,
                                   struct err *err)
{
    struct fs_place p = {.dir = -1};
    struct fs_info info;
    if (fs_stat(&w->root, path, &info, err))
        return true;
    bool ok = err->code == ERR_NOT_FOUND && fs_place_open(&w->root, a, path, &p, err) &&
              fs_make(&p, 0, err);
    fs_place_close(&p);
    return ok;
}

/* Existing files stay: a clone may continue after a crash. */
static bool repo_files_write_file(struct writing *w, struct arena *a, str path, str text,
                                  struct err *err)
{
    struct fs_place p;
    struct fs_info info;
    if (fs_stat(&w->root, path, &info, err))
        return true;
    for (size_t i = 0; i < path.n; i++)
        if (path.p[i] == '/' && !repo_files_make_folder(w, a, str_slice(path, 0, i), err))
            return false;
    bool ok = fs_place_open(&w->root, a, path, &p, err) &&
              fs_temp_write(&p, p.name, text, 0, err);
    fs_place_close(&p);
    return ok;
}

static bool write_batch(struct writing *w, size_t first, size_t end, struct err *err)
{
    struct arena a = {0};
    str *ids = ARENA_ARRAY(&a, str, end - first + 1);
    str *texts = ARENA_ARRAY(&a, str, end - first + 1);
    for (size_t i = first; i < end; i++)
        ids[i - first] = w->files[i].id;
    bool ok = git_get_blobs(&w->reader, &a, ids, end - first, texts, err);
    for (size_t i = first; i < end && ok; i++)
        if (!repo_files_write_file(w, &a, w->files[i].path, texts[i - first], err)) {
            log_event(LOG_WARN, "not_written", LOG_STR("path", w->files[i].path),
                      LOG_STR("why", str_c(err->msg)));
            ok = err->code != ERR_INTERNAL && err->code != ERR_LIMIT;
        }
    arena_release(&a);
    return ok;
}

static bool write_all(struct writing *w, struct err *err)
{
    for (size_t i = 0, end; i < w->n; i = end) {
        size_t bytes = 0;
        for (end = i; end < w->n && (end == i || bytes < GIT_BATCH_BYTES); end++)
            bytes += w->sizes[end];
        if (!write_batch(w, i, end, err))
            return false;
    }
    return fs_sync_all(&w->root, err);
}

/* --- choosing --- */

static int by_folded(const void *a, const void *b)
{
    const struct git_entry *const *x = a, *const *y = b;
    int order = str_cmp((*x)->id, (*y)->id);
    return order != 0 ? order : (*x < *y ? -1 : *x > *y);
}

/* Of names that differ only in case or normal form, only the first is used. */
static void drop_twins(struct arena *a, struct git_entry *list, size_t n)
{
    struct git_entry *folded = ARENA_ARRAY(a, struct git_entry, n + 1);
    struct git_entry **sorted = ARENA_ARRAY(a, struct git_entry *, n + 1);
    for (size_t i = 0; i < n; i++) {
        folded[i] = (struct git_entry){
            .path = list[i].path, .id = utf8_fold(a, list[i].path), .mode = (unsigned)i};
        sorted[i] = &folded[i];
    }
    sort_items(sorted, n, sizeof(*sorted), by_folded);
    for (size_t i = 1; i < n; i++)
        if (str_eq(sorted[i]->id, sorted[i - 1]->id))
            list[sorted[i]->mode].mode = 0;
}

/* Notices cannot be read yet, so log it. */
static void log_skipped(struct arena *a, size_t n, size_t written)
{
    str of = arena_printf(a, "%zu of %zu", n - written, n);
    if (written < n)
        log_event(LOG_WARN, "not_on_disk", LOG_STR("files", of),
                  LOG_STR("why", STR("links, other repositories, names or sizes that a "
                                     "vault cannot hold, files with a filter, plugins")));
}

static bool repo_files_ask_unsynced(struct writing *w, struct arena *a,
                                    struct unsynced *out, str commit,
                                    const struct git_entry *list, size_t n,
                                    struct err *err)
{
    str *paths = ARENA_ARRAY(a, str, n + 1);
    for (size_t i = 0; i < n; i++)
        paths[i] = list[i].path;
    *out = unsynced_of(&w->reader, a);
    return unsynced_ask_commit(out, commit, paths, n, err);
}

static bool repo_files_choose(struct writing *w, struct arena *a, str commit,
                              struct err *err)
{
    struct git_entry *list;
    struct unsynced unsynced;
    struct unsynced_reason ignored;
    size_t n, kept = 0;
    uint64_t all = 0;
    if (!pull_limit_names(&w->reader, (str){0}, commit, err) ||
        !git_list(&w->reader, a, commit, &list, &n, err))
        return false;
    if (!repo_files_ask_unsynced(w, a, &unsynced, commit, list, n, err))
        return false;
    for (size_t i = 0; i < n; i++)
        if (tree_is_file(list[i].mode) && tree_path_problem(list[i].path) == NULL &&
            !tree_path_is_noise(list[i].path) &&
            !unsynced_has_filter(&unsynced, list[i].path, &ignored) &&
            !unsynced_is_plugin(&unsynced, list[i].path, &ignored))
            list[kept++] = list[i];
    str *ids = ARENA_ARRAY(a, str, kept + 1);
    size_t *sizes = ARENA_ARRAY(a, size_t, kept + 1);
    drop_twins(a, list, kept);
    for (size_t i = 0; i < kept; i++)
        ids[i] = list[i].id;
    if (!git_blob_sizes(&w->reader, a, ids, kept, sizes, err))
        return false;
    for (size_t i = 0; i < kept; i++)
        if (list[i].mode != 0 && sizes[i] <= TREE_BLOB_MAX) {
            all += sizes[i];
            sizes[w->n] = sizes[i];
            list[w->n++] = list[i];
        }
    if (!pull_limit_bytes(all, (str){0}, err))
        return false;
    w->files = list;
    w->sizes = sizes;
    log_skipped(a, n, w->n);
    return true;
}

bool repo_files(const struct git *g, struct arena *a, str commit, struct err *err)
{
    struct writing w = {0};
    if (!fs_root_open(&w.root, g->vault, err))
        return false;
    git_reader_init(&w.reader, g);
    bool ok = repo_files_choose(&w, a, commit, err) && write_all(&w, err);
    git_reader_close(&w.reader);
    fs_root_close(&w.root);
    return ok;
}
