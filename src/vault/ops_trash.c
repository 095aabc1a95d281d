/* Deleting. */
#include "base/path.h"
#include "vault/change/rename.h"
#include "vault/draft.h"
#include "vault/index/file.h"
#include "vault/index/graph.h"
#include "vault/index/index.h"
#include "vault/note/obsidian.h"
#include "vault/ops_parts.h"
#include "vault/vault.h"
#include "vault/walk.h"

/* --- the links to what is deleted --- */

static int by_text(const void *a, const void *b)
{
    return str_cmp(*(const str *)a, *(const str *)b);
}

/* Mark the files that link to f from outside of path, and count these links. */
static void count_links_to(const struct index *x, const struct file *f, str path,
                           bool *links, struct ops_report *out)
{
    struct arena scratch = {0};
    struct graph_edge *edges;
    size_t n = graph_backlinks(x->graph, &scratch, f->id, &edges);
    for (size_t i = 0; i < n; i++) {
        if (path_is_or_below(path, x->files[edges[i].file]->path))
            continue;
        links[edges[i].file] = true;
        out->broken += edges[i].count;
    }
    arena_release(&scratch);
}

/* The same for what bases and queries name. */
static void count_names(const struct index *x, str path, bool *links,
                        struct ops_report *out)
{
    for (uint32_t i = 0; i < x->querying.n; i++) {
        file_id id = x->querying.at[i];
        size_t n = !path_is_or_below(path, x->files[id]->path)
                       ? rename_count_names(x, x->files[id], path)
                       : 0;
        links[id] = links[id] || n > 0;
        out->broken += n;
    }
}

/* Count the files at path, and the links to them that will lead nowhere. */
static void count_broken(struct draft *d, str path, struct ops_report *out)
{
    struct arena *a = draft_arena(d);
    const struct index *x = draft_hold(d);
    bool *links = ARENA_ARRAY(a, bool, x->n);
    size_t files = 0, n = 0;
    for (file_id i = 0; i < x->n; i++) {
        const struct file *f = index_file(x, i);
        if (f == NULL || !path_is_or_below(path, f->path))
            continue;
        files++;
        count_links_to(x, f, path, links, out);
    }
    count_names(x, path, links, out);
    for (file_id i = 0; i < x->n; i++)
        n += links[i];
    str *from = ARENA_ARRAY(a, str, n);
    for (file_id i = 0; i < x->n; i++)
        if (links[i])
            from[out->n_broken_in++] = arena_str(a, x->files[i]->path);
    if (n > 1)
        qsort(from, n, sizeof(*from), by_text);
    out->broken_in = from;
    out->files = files;
    draft_let_go(d);
}

/* --- deleting --- */

/* path, or the first free one of "name 1.md", "name 2.md", ... */
static bool free_path(struct draft *d, str path, str *out, struct err *err)
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
    return err_named(err, E_FILE_EXISTS, "'" STR_FMT "' is taken", STR_ARG(path));
}

static bool to_trash(struct draft *d, str path, bool folder, struct ops_report *out,
                     struct err *err)
{
    if (!ops_may_move(d, path, STR(VAULT_TRASH "/"), folder, err) ||
        !free_path(d, path_join(draft_arena(d), STR(VAULT_TRASH), path), &out->to, err))
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
        obsidian_link_format(vault_obsidian(draft_vault(d)));
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
                         "links to '" STR_FMT "' cannot lead to itself: it is deleted",
                         STR_ARG(path));
    ops_catch_up(draft_vault(d));
    const struct index *x = draft_hold(d);
    const struct file *f = index_find(x, path), *to = index_find(x, heir);
    bool ok = heir.n == 0 || to != NULL || ops_not_found(err, heir);
    ok = ok && (f == NULL || plan_links(d, x, f, to, &plan, err)) &&
         ops_take_plan(d, &plan, out, err);
    draft_let_go(d);
    return ok;
}

static bool deletes_forever(struct vault *v, const struct ops_delete *how)
{
    vault_hold(v);
    bool forever = how->forever || obsidian_trash(vault_obsidian(v)) == TRASH_NONE;
    vault_let_go(v);
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
    bool found = find_target(d, path, how, &out->folder, &out->path, err);
    if (!found && out->folder) /* the caller says how many files that would delete */
        count_broken(d, out->path, out);
    if (!found || (links && !change_links(d, out->path, how, out, err)))
        return false;
    count_broken(d, out->path, out);
    if (!deletes_forever(v, how))
        return to_trash(d, out->path, out->folder, out, err);
    return out->folder ? delete_folder(d, out->path, out, err)
                       : draft_delete(d, out->path, err);
}
