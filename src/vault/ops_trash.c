/* Deleting, and restoring from the trash. */
#include "base/path.h"
#include "vault/change/rename.h"
#include "vault/draft.h"
#include "vault/index/index.h"
#include "vault/note/obsidian.h"
#include "vault/ops_parts.h"
#include "vault/vault.h"
#include "vault/walk.h"

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
    draft_move(d, path, out->to);
    return true;
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
    if (w->n_unreadable > 0 || w->skipped > 0 || w->limited)
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

static bool unlink_file(struct draft *d, str path, struct ops_report *out,
                        struct err *err)
{
    struct vault *v = draft_vault(d);
    struct rename_plan plan = {0};
    ops_catch_up(v);
    const struct index *x = vault_hold(v);
    const struct file *f = index_find(x, path);
    bool ok =
        (f == NULL || rename_unlink(x, draft_arena(d), f, draft_stop(d), &plan, err)) &&
        ops_take_plan(d, &plan, out, err);
    vault_let_go(v);
    return ok;
}

static bool deletes_forever(struct vault *v, const struct ops_delete *how)
{
    vault_hold(v);
    bool forever = how->forever || obsidian_trash(vault_obsidian(v)) == TRASH_NONE;
    vault_let_go(v);
    return forever;
}

/* The file or folder to delete; path is clean. */
static bool find_target(struct draft *d, str path, const struct ops_delete *how,
                        bool *folder, str *real, struct err *err)
{
    if (path.n == 0)
        return err_named(err, E_PATH_NOT_ALLOWED, "the vault itself cannot be deleted");
    if (!draft_find(d, path, real))
        return ops_not_found(err, path);
    *folder = ops_is_folder(draft_vault(d), *real);
    if (*folder && !how->recursive)
        return err_named(err, E_IS_FOLDER,
                         "'" STR_FMT "' is a folder: set recursive to delete it with "
                         "everything in it",
                         STR_ARG(*real));
    if (*folder && how->unlink)
        return err_named(err, E_IS_FOLDER,
                         "'" STR_FMT "' is a folder: links to it cannot be unlinked",
                         STR_ARG(*real));
    return true;
}

bool ops_delete(struct draft *d, str path, const struct ops_delete *how,
                struct ops_report *out, struct err *err)
{
    struct vault *v = draft_vault(d);
    bool folder = false;
    str clean;
    *out = (struct ops_report){.files = 1};
    if (!path_clean(draft_arena(d), path, &clean, err) ||
        !vault_wait(v, NULL, NULL, err) ||
        !find_target(d, clean, how, &folder, &out->path, err) ||
        (how->unlink && !unlink_file(d, out->path, out, err)))
        return false;
    if (!deletes_forever(v, how))
        return to_trash(d, out->path, folder, out, err);
    return folder ? delete_folder(d, out->path, out, err)
                  : draft_delete(d, out->path, err);
}

bool ops_trash(struct vault *v, struct arena *a, struct walk *out, struct err *err)
{
    struct err why;
    if (vault_walk(v, STR(VAULT_TRASH), out, &why))
        return true;
    *out = (struct walk){0};
    if (why.code == ERR_NOT_FOUND)
        return true;
    *err = why;
    return false;
}

bool ops_restore(struct draft *d, str path, str to, struct ops_report *out,
                 struct err *err)
{
    struct arena *a = draft_arena(d);
    struct fs_info info;
    str clean;
    if (str_starts(path, STR(VAULT_TRASH "/")))
        path = str_skip(path, sizeof(VAULT_TRASH "/") - 1);
    *out = (struct ops_report){.files = 1};
    if (!path_clean(a, path, &clean, err))
        return false;
    out->path = path_join(a, STR(VAULT_TRASH), clean);
    if (clean.n == 0 || !vault_stat(draft_vault(d), out->path, &info, err))
        return (clean.n > 0 && err->code != ERR_NOT_FOUND)
                   ? false
                   : err_named(err, E_FILE_NOT_FOUND, "'" STR_FMT "' is not in the trash",
                               STR_ARG(clean));
    if (to.n == 0 && draft_exists(d, clean))
        return err_named(err, E_FILE_EXISTS,
                         "'" STR_FMT "' already exists: give another path to restore to",
                         STR_ARG(clean));
    if (!ops_target(d, out->path, info.type == FS_FOLDER, to.n > 0 ? to : clean, &out->to,
                    err) ||
        !ops_may_move(d, out->path, out->to, info.type == FS_FOLDER, err))
        return false;
    draft_move(d, out->path, out->to);
    return true;
}
