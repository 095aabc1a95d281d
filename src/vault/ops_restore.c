/* The trash: what is in it, and getting it back. */
#include "base/array.h"
#include "base/near.h"
#include "base/path.h"
#include "base/sort.h"
#include "base/utf8.h"
#include "vault/draft.h"
#include "vault/index/file.h"
#include "vault/ops_parts.h"
#include "vault/vault.h"
#include "vault/vault_trash.h"
#include "vault/walk.h"

/* --- listing --- */

static const int64_t SECOND_NS = 1000000000;

/* Where a file of the trash was, and when it was deleted: by the change that put it
 * there, if it was ours, else by the time when it was moved. */
static void find_origin(struct arena *a, const struct trash_origins *origins,
                        const struct walk_file *f, struct ops_trashed *out)
{
    out->when = f->info.changed_ns / SECOND_NS;
    for (size_t i = 0; i < origins->n; i++) {
        const struct trash_origin *o = &origins->items[i];
        if (!path_is_or_below(o->to, f->path))
            continue;
        if (o->from.n == 0)
            return; /* it left the trash, and another file took its place */
        out->from = arena_printf(a, STR_FMT STR_FMT, STR_ARG(o->from),
                                 STR_ARG(str_skip(f->path, o->to.n)));
        out->when = o->time;
        return;
    }
}

static int latest_first(const void *a, const void *b)
{
    const struct ops_trashed *x = a, *y = b;
    return x->when != y->when ? (x->when < y->when) - (x->when > y->when)
                              : str_cmp(x->path, y->path);
}

bool ops_trash(struct vault *v, struct arena *a, struct ops_trashed **out, size_t *n,
               struct err *err)
{
    struct walk w;
    struct trash_origins origins;
    *n = 0;
    *out = NULL;
    if (!vault_wait(v, NULL, NULL, err))
        return false;
    if (!vault_walk(v, STR(VAULT_TRASH), &w, err))
        return err->code == ERR_NOT_FOUND;
    struct err ignored; /* then it is not known where they were */
    if (!trash_origins(v, a, STR(""), &origins, &ignored))
        origins = (struct trash_origins){0};
    for (size_t i = 0; i < w.n; i++) {
        struct ops_trashed *t = ARRAY_ADD(a, *out, *n);
        *t = (struct ops_trashed){
            .path = arena_str(a, str_skip(w.files[i].path, sizeof(VAULT_TRASH "/") - 1))};
        find_origin(a, &origins, &w.files[i], t);
    }
    walk_release(&w);
    if (*n > 1)
        sort_items(*out, *n, sizeof(**out), latest_first);
    return true;
}

/* --- restoring --- */

/* What the trash has that a path or a name without a folder may mean. */
struct trash_named {
    str path, other; /* exactly that one, compared as names are; other: a second one */
    str nearest;     /* with the name that is most like it; or empty */
};

/* given is folded; without a folder it means a file of that name in any. */
static void trash_offer(struct arena *a, str path, str given, struct near_search *search,
                        struct trash_named *out)
{
    bool bare = str_find_char(given, '/') == STR_NONE;
    str folded = utf8_fold(a, bare ? path_name(path) : path);
    str title = utf8_fold(a, file_title(path));
    str note = arena_printf(a, STR_FMT ".md", STR_ARG(given));
    if ((str_eq(folded, given) || str_eq(folded, note)) && !str_eq(path, out->path))
        *(out->path.n == 0 ? &out->path : &out->other) = path;
    if (near_offer(search, title))
        out->nearest = path;
}

/* Look at the files of the trash, and at the folders they are in. */
static void trash_find_named(struct draft *d, str path, struct trash_named *out)
{
    enum { SLIPS = 3 };
    struct arena *a = draft_arena(d);
    struct ops_trashed *items;
    struct near_search search;
    struct err ignored;
    size_t n;
    *out = (struct trash_named){0};
    if (path.n == 0 || !ops_trash(draft_vault(d), a, &items, &n, &ignored))
        return;
    near_search(&search, utf8_fold(a, file_title(path)), SLIPS);
    for (size_t i = 0; i < n; i++)
        for (str at = items[i].path; at.n > 0; at = path_folder(at))
            trash_offer(a, at, utf8_fold(a, path), &search, out);
}

static bool not_in_trash(str path, str near, struct err *err)
{
    if (near.n > 0)
        return err_named(err, E_FILE_NOT_FOUND,
                         "'" STR_FMT "' is not in the trash; did you mean '" STR_FMT "'?",
                         STR_ARG(path), STR_ARG(near));
    err_named(err, E_FILE_NOT_FOUND, "'" STR_FMT "' is not in the trash", STR_ARG(path));
    return err_hint(err, "restore without a path lists what is there");
}

/* What has that name, or that path in another spelling: another case or normal form. */
static bool find_by_name(struct draft *d, str given, str *clean, struct fs_info *info,
                         struct err *err)
{
    struct trash_named found;
    trash_find_named(d, given, &found);
    if (found.path.n == 0)
        return not_in_trash(given, found.nearest, err);
    if (found.other.n > 0)
        return err_named(err, E_AMBIGUOUS,
                         "the trash has several with the name '" STR_FMT
                         "': give the path, such as '" STR_FMT "' or '" STR_FMT "'",
                         STR_ARG(given), STR_ARG(found.path), STR_ARG(found.other));
    *clean = found.path;
    return vault_stat(draft_vault(d), path_join(draft_arena(d), STR(VAULT_TRASH), *clean),
                      info, err);
}

/* A path in the trash as people give it: with or without .trash and .md, or a name. */
static bool find_trashed(struct draft *d, str path, str *clean, struct fs_info *info,
                         struct err *err)
{
    struct arena *a = draft_arena(d);
    if (str_starts(path, STR(VAULT_TRASH "/")))
        path = str_skip(path, sizeof(VAULT_TRASH "/") - 1);
    if (!path_clean(a, path, clean, err))
        return false;
    str given = *clean;
    for (int i = 0; i < 2 && given.n > 0; i++) {
        *clean = i == 0 ? given : arena_printf(a, STR_FMT ".md", STR_ARG(given));
        if (vault_stat(draft_vault(d), path_join(a, STR(VAULT_TRASH), *clean), info, err))
            return true;
        if (err->code != ERR_NOT_FOUND)
            return false;
    }
    return find_by_name(d, given, clean, info, err);
}

bool ops_restore(struct draft *d, str path, str to, struct ops_report *out,
                 struct err *err)
{
    struct fs_info info;
    str clean;
    *out = (struct ops_report){.files = 1};
    if (!find_trashed(d, path, &clean, &info, err))
        return false;
    out->path = path_join(draft_arena(d), STR(VAULT_TRASH), clean);
    if (to.n == 0 && draft_exists(d, clean))
        return err_named(err, E_FILE_EXISTS,
                         "'" STR_FMT "' already exists: give another path to restore to",
                         STR_ARG(clean));
    bool folder = info.type == FS_FOLDER;
    return ops_target(d, out->path, folder, to.n > 0 ? to : clean, &out->to, err) &&
           ops_may_move(d, out->path, out->to, folder, err) &&
           draft_rename(d, out->path, out->to, err);
}
