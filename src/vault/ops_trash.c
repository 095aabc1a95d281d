/* Deleting. */
#include "base/array.h"
#include "base/path.h"
#include "base/sort.h"
#include "vault/change/rename.h"
#include "vault/draft.h"
#include "vault/index/file.h"
#include "vault/index/graph.h"
#include "vault/index/index.h"
#include "vault/index/names.h"
#include "vault/note/obsidian.h"
#include "vault/ops_parts.h"
#include "vault/vault.h"
#include "vault/walk.h"

/* --- the links to what is deleted --- */

static int by_text(const void *a, const void *b)
{
    return str_cmp(*(const str *)a, *(const str *)b);
}

/* The links from outside of path to what is there. */
struct broken {
    const struct index *index;
    str path;
    struct file **rewritten; /* by the draft: their links are not those of the index */
    size_t n_rewritten;
    bool *is_rewritten, *links; /* by id; links: has such links */
    size_t n;
};

static void add_broken(struct broken *b, const struct file *from, size_t n)
{
    if (n == 0 || path_is_or_below(b->path, from->path))
        return;
    b->links[from->id] = true;
    b->n += n;
}

static void count_links_to(struct broken *b, const struct file *f)
{
    struct arena scratch = {0};
    struct graph_edge *edges;
    size_t n = graph_backlinks(b->index->graph, &scratch, f->id, &edges);
    for (size_t i = 0; i < n; i++)
        if (!b->is_rewritten[edges[i].file])
            add_broken(b, b->index->files[edges[i].file], edges[i].count);
    arena_release(&scratch);
}

/* The links in a file that the draft has rewritten; the names are still the same. */
static void count_links_in(struct broken *b, const struct file *f)
{
    struct arena scratch = {0};
    struct file_link *links;
    size_t n = file_links(&scratch, f, &links), found = 0;
    for (size_t i = 0; i < n; i++) {
        struct names_answer to;
        names_resolve(b->index->names, NULL, links[i].path, f->path, f->id, &to);
        found += to.file != NO_FILE &&
                 path_is_or_below(b->path, names_path(b->index->names, to.file));
    }
    add_broken(b, f, found);
    arena_release(&scratch);
}

/* What bases and queries name. */
static void count_names(struct broken *b)
{
    const struct index *x = b->index;
    for (uint32_t i = 0; i < x->querying.n; i++) {
        const struct file *f = x->files[x->querying.at[i]];
        if (!b->is_rewritten[f->id])
            add_broken(b, f, rename_count_names(x, f, b->path));
    }
    for (size_t i = 0; i < b->n_rewritten; i++)
        if (b->rewritten[i]->has_queries)
            add_broken(b, b->rewritten[i],
                       rename_count_names(x, b->rewritten[i], b->path));
}

static void report_broken(struct arena *a, const struct broken *b, struct ops_report *out)
{
    str *from = NULL;
    size_t n = 0;
    for (file_id i = 0; i < b->index->n; i++)
        if (b->links[i])
            *ARRAY_ADD(a, from, n) = arena_str(a, b->index->files[i]->path);
    if (n > 1)
        sort_items(from, n, sizeof(*from), by_text);
    out->broken = b->n;
    out->broken_in = from;
    out->n_broken_in = n;
}

/* Count the files at path, and the links to them that will lead nowhere. As long as the
 * draft has renamed nothing, the vault's index will do, which need not be made anew. */
static bool count_broken(struct draft *d, str path, struct ops_report *out,
                         struct err *err)
{
    struct arena *a = draft_arena(d);
    bool renames = draft_renames(d);
    const struct index *x = renames ? draft_lock(d) : vault_lock(draft_vault(d));
    const struct file *f;
    struct broken b = {.index = x,
                       .path = path,
                       .is_rewritten = ARENA_ARRAY(a, bool, x->n),
                       .links = ARENA_ARRAY(a, bool, x->n)};
    b.n_rewritten = renames ? 0 : draft_rewritten(d, x, &b.rewritten);
    for (size_t i = 0; i < b.n_rewritten; i++)
        b.is_rewritten[b.rewritten[i]->id] = true;
    out->files = 0;
    for (file_id i = 0; (f = index_next(x, &i, draft_stop(d))) != NULL;)
        if (path_is_or_below(path, f->path)) {
            out->files++;
            count_links_to(&b, f);
        }
    for (size_t i = 0; i < b.n_rewritten; i++)
        count_links_in(&b, b.rewritten[i]);
    count_names(&b);
    report_broken(a, &b, out);
    for (size_t i = 0; i < b.n_rewritten; i++)
        file_free(b.rewritten[i]);
    draft_unlock(d);
    return draft_go_on(d, err);
}

/* --- deleting --- */

/* path, or the first free one of "name 1.md", "name 2.md", ... */
static bool ops_trash_free_path(struct draft *d, str path, str *out, struct err *err)
{
    enum { TRIES = 10000 };
    struct arena *a = draft_arena(d);
    str extension = path_extension(path);
    size_t stem = path.n - (extension.n > 0 ? extension.n + 1 : 0);
    *out = path;
    for (int i = 1; i < TRIES; i++) {
        if (!draft_exists(d, *out) && !vault_trash_has(draft_vault(d), *out))
            return true;
        *out = arena_printf(a, STR_FMT " %d" STR_FMT, STR_ARG(str_slice(path, 0, stem)),
                            i, STR_ARG(str_skip(path, stem)));
    }
    return err_named(err, E_FILE_EXISTS, "'" STR_FMT "' already exists in the trash",
                     STR_ARG(path));
}

static bool to_trash(struct draft *d, str path, bool folder, struct ops_report *out,
                     struct err *err)
{
    if (!ops_may_move(d, path, STR(VAULT_TRASH "/"), folder, err) ||
        !ops_trash_free_path(d, path_join(draft_arena(d), STR(VAULT_TRASH), path),
                             &out->to, err))
        return false;
    return draft_rename(d, path, out->to, err);
}

/* Remove the folders below path, innermost first, and path itself. */
static bool remove_folders(struct draft *d, str path, struct err *err)
{
    struct fs_list list;
    struct arena *a = draft_arena(d);
    if (!vault_entries(draft_vault(d), a, path, &list, err))
        return false;
    for (size_t i = 0; i < list.n; i++)
        if (list.entries[i].info.type == FS_FOLDER && !list.entries[i].is_link &&
            !remove_folders(d, path_join(a, path, list.entries[i].name), err))
            return false;
    draft_remove_folder(d, path);
    return true;
}

static bool check_forever(const struct walk *w, struct err *err)
{
    int64_t bytes = 0;
    if (w->n_left > 0 || w->limited)
        return err_named(
            err, E_FORBIDDEN,
            "part of it cannot be read, so it cannot be deleted permanently");
    for (size_t i = 0; i < w->n; i++)
        bytes += w->files[i].info.size;
    return bytes <= OPS_FOREVER_MAX ||
           err_named(err, E_FILE_TOO_LARGE,
                     "at most %d bytes can be deleted permanently in one change: move it "
                     "to the trash",
                     OPS_FOREVER_MAX);
}

static bool delete_folder(struct draft *d, str path, struct ops_report *out,
                          struct err *err)
{
    struct walk w;
    if (!vault_may_take(draft_vault(d), path, err) ||
        !vault_walk(draft_vault(d), path, &w, err))
        return false;
    bool ok = check_forever(&w, err);
    for (size_t i = 0; ok && i < w.n; i++)
        ok = draft_delete(d, w.files[i].path, err);
    out->files = w.n;
    walk_release(&w);
    return ok && remove_folders(d, path, err);
}

/* Links to f become plain text, or links to another file. */
static bool plan_links(struct draft *d, const struct index *x, const struct file *f,
                       const struct file *heir, struct rename_plan *plan, struct err *err)
{
    enum obsidian_link_format format =
        obsidian_rewritten_format(vault_obsidian(draft_vault(d)));
    return heir == NULL ? rename_unlink(x, draft_arena(d), f, draft_stop(d), plan, err)
                        : rename_redirect(x, format, draft_arena(d), f, heir,
                                          draft_stop(d), plan, err);
}

static bool change_links(struct draft *d, str path, const struct ops_delete *how,
                         struct ops_report *out, struct err *err)
{
    struct rename_plan plan = {0};
    str heir = {0};
    if (how->links_to.n > 0 && !ops_find_file(d, how->links_to, &heir, err))
        return false;
    if (str_eq(heir, path))
        return err_named(err, E_INVALID_ARGUMENT,
                         "links to '" STR_FMT "' cannot be redirected to itself",
                         STR_ARG(path));
    ops_catch_up(d);
    const struct index *x = draft_lock(d);
    const struct file *f = index_find(x, path), *to = index_find(x, heir);
    bool ok = heir.n == 0 || to != NULL || ops_not_found(err, heir);
    ok = ok && (f == NULL || plan_links(d, x, f, to, &plan, err)) &&
         ops_take_plan(d, &plan, out, err);
    return ops_unlock(d, ok, err);
}

static bool deletes_forever(struct vault *v, const struct ops_delete *how)
{
    vault_lock(v);
    bool forever = how->forever || obsidian_trash(vault_obsidian(v)) == TRASH_NONE;
    vault_unlock(v);
    return forever;
}

/* The file or folder to delete. */
static bool find_target(struct draft *d, str path, const struct ops_delete *how,
                        bool *folder, str *real, struct err *err)
{
    str clean;
    if (!path_clean(draft_arena(d), path, &clean, err))
        return false;
    if (clean.n == 0)
        return err_named(err, E_PATH_NOT_ALLOWED, "the vault itself cannot be deleted");
    if (!ops_find(d, path, real, err))
        return false;
    *folder = draft_is_folder(d, *real);
    if (*folder && !how->recursive)
        return err_named(err, E_IS_FOLDER,
                         "'" STR_FMT "' is a folder: set recursive to delete it with "
                         "everything in it",
                         STR_ARG(*real));
    if (*folder && (how->unlink || how->links_to.n > 0))
        return err_named(err, E_IS_FOLDER,
                         "'" STR_FMT "' is a folder: links to it cannot be %s",
                         STR_ARG(*real), how->unlink ? "unlinked" : "redirected");
    return true;
}

bool ops_delete(struct draft *d, str path, const struct ops_delete *how,
                struct ops_report *out, struct err *err)
{
    struct vault *v = draft_vault(d);
    bool links = how->unlink || how->links_to.n > 0;
    *out = (struct ops_report){.files = 1};
    if (!vault_wait(v, NULL, NULL, err))
        return false;
    struct err ignored;
    bool found = find_target(d, path, how, &out->folder, &out->path, err);
    if (!found && out->folder) /* the caller says how many files that would delete */
        (void)!count_broken(d, out->path, out, &ignored);
    if (!found || (links && !change_links(d, out->path, how, out, err)) ||
        !count_broken(d, out->path, out, err))
        return false;
    if (!deletes_forever(v, how))
        return to_trash(d, out->path, out->folder, out, err);
    return out->folder ? delete_folder(d, out->path, out, err)
                       : draft_delete(d, out->path, err);
}
