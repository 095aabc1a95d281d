/* Sort what they changed into files for the disk and names that are only in the tree. */
#include "base/sort.h"
#include "base/utf8.h"
#include "sync/git.h"
#include "sync/pull.h"
#include "sync/tree_path.h"
#include "sync/unsynced.h"
#include "sync/work.h"
#include "vault/index/names.h"
#include "vault/vault.h"

str pull_full(const struct pull *p, str path)
{
    return arena_printf(p->a, STR_FMT STR_FMT, STR_ARG(p->w->g->prefix), STR_ARG(path));
}

void pull_edit(struct pull *p, str full, unsigned mode, str id)
{
    p->edits[p->n_edits++] = (struct git_entry){.path = full, .mode = mode, .id = id};
}

/* --- our side --- */

static int by_old_path(const void *a, const void *b)
{
    return str_cmp(((const struct git_diff *)a)->old_path,
                   ((const struct git_diff *)b)->old_path);
}

static const struct git_diff *our_change(const struct pull *p, str full)
{
    const struct git_diff key = {.old_path = full};
    return p->n_our == 0 ? NULL
                         : bsearch(&key, p->our, p->n_our, sizeof(*p->our), by_old_path);
}

str pull_our_name(const struct pull *p, str path)
{
    const struct git_diff *d = our_change(p, pull_full(p, path));
    str prefix = p->w->g->prefix;
    return d != NULL && d->status == 'R' && str_starts(d->path, prefix)
               ? str_skip(d->path, prefix.n)
               : path;
}

unsigned pull_our_mode(const struct pull *p, const struct pull_item *item)
{
    const struct git_diff *d = our_change(p, pull_full(p, item->from));
    unsigned mode = d != NULL ? d->mode : item->base_mode;
    return mode == GIT_PROGRAM ? mode : GIT_FILE;
}

bool pull_we_have(const struct pull *p, str path)
{
    const struct git_diff *d = our_change(p, pull_full(p, path));
    return d == NULL || (d->status != 'D' && d->status != 'R');
}

void pull_take_theirs(struct pull *p, str full, unsigned mode, str id)
{
    const struct git_diff *ours = our_change(p, full);
    if (ours == NULL)
        pull_edit(p, full, mode, id);
    else if (ours->mode != mode || !str_eq(ours->id, id))
        work_notice(p->w, full,
                    "both sides changed it, and it is not a file of the vault: "
                    "kept ours");
}

/* --- theirs --- */

static str in_vault(const struct pull *p, str full)
{
    return str_skip(full, p->w->g->prefix.n);
}

static bool leaves(const struct pull *p, str path,
                   bool (*is)(const struct unsynced *x, str path,
                              struct unsynced_reason *out))
{
    struct unsynced_reason why;
    bool left = is(&p->unsynced, path, &why);
    if (left)
        work_leave(p->w, &why);
    return left;
}

static const char *why_not(const struct pull *p, str full, unsigned mode)
{
    str prefix = p->w->g->prefix;
    if (!str_starts(full, prefix))
        return ""; /* not in this vault: nothing to report */
    str path = str_skip(full, prefix.n);
    if (tree_path_is_noise(path) || leaves(p, path, unsynced_has_filter))
        return "";
    if (mode == 0160000)
        return "it is a submodule";
    if (mode == 0120000)
        return "it is a symbolic link";
    return tree_path_problem(path);
}

static void pull_plan_add_item(struct pull *p, const struct pull_item *item)
{
    p->items[p->n_items++] = *item;
}

/* A change of one name; a file that cannot be on disk is removed there. */
static void add_one(struct pull *p, str full, unsigned old_mode, str old_id,
                    unsigned mode, str id)
{
    const char *before = old_mode != 0 ? why_not(p, full, old_mode) : NULL;
    const char *now = mode != 0 ? why_not(p, full, mode) : NULL;
    if (mode != 0 && now == NULL && leaves(p, in_vault(p, full), unsynced_is_plugin)) {
        pull_take_theirs(p, full, mode, id);
        return;
    }
    if (now != NULL && now[0] != '\0')
        work_notice(p->w, in_vault(p, full), now);
    if (now != NULL && (old_mode == 0 || before != NULL)) {
        pull_take_theirs(p, full, mode, id);
        return;
    }
    if (before != NULL && mode == 0) {
        pull_take_theirs(p, full, 0, (str){0});
        return;
    }
    struct pull_item item = {.from = in_vault(p, full), .to = in_vault(p, full)};
    if (old_mode != 0 && before == NULL) {
        item.base_id = old_id;
        item.base_mode = old_mode;
    }
    if (mode != 0 && now == NULL) {
        item.theirs_id = id;
        item.mode = mode;
    } else if (now != NULL) {
        item.after = (struct git_entry){.mode = mode, .id = id};
    }
    pull_plan_add_item(p, &item);
}

static void add_diff(struct pull *p, const struct git_diff *d)
{
    if (d->status != 'R') {
        add_one(p, d->path, d->old_mode, d->old_id, d->mode, d->id);
        return;
    }
    if (why_not(p, d->old_path, d->old_mode) != NULL ||
        why_not(p, d->path, d->mode) != NULL ||
        leaves(p, in_vault(p, d->path), unsynced_is_plugin)) {
        add_one(p, d->old_path, d->old_mode, d->old_id, 0, (str){0});
        add_one(p, d->path, 0, (str){0}, d->mode, d->id);
        return;
    }
    pull_plan_add_item(p, &(struct pull_item){.from = in_vault(p, d->old_path),
                                              .to = in_vault(p, d->path),
                                              .base_id = d->old_id,
                                              .theirs_id = d->id,
                                              .base_mode = d->old_mode,
                                              .mode = d->mode});
}

/* --- files that the disk cannot hold --- */

/* Whether a file next to it has a name that differs only in case or normal form. */
static bool is_twin(struct pull *p, const struct pull_item *item)
{
    size_t twins;
    const struct index *x = vault_lock(p->w->v);
    file_id id = names_find_path(x->names, item->to, &twins);
    bool is = id != NO_FILE && !str_eq(names_path(x->names, id), item->to) &&
              !str_eq(names_path(x->names, id), item->from);
    vault_unlock(p->w->v);
    return is;
}

static void keep_in_tree(struct pull *p, struct pull_item *item, const char *why)
{
    work_notice(p->w, item->to, why);
    item->after = (struct git_entry){.mode = item->mode, .id = item->theirs_id};
    item->theirs_id = (str){0};
    if (!str_eq(item->from, item->to)) {
        pull_take_theirs(p, pull_full(p, item->to), item->mode, item->after.id);
        item->after = (struct git_entry){0};
    }
}

static int by_folded(const void *a, const void *b)
{
    const str *const *x = a, *const *y = b;
    int order = str_cmp(**x, **y);
    return order != 0 ? order : (*x < *y ? -1 : *x > *y);
}

/* Of new names that are equal on some file systems, only the first is used. */
static void refuse_twins(struct pull *p)
{
    str *folded = ARENA_ARRAY(p->a, str, p->n_items + 1);
    const str **sorted = ARENA_ARRAY(p->a, const str *, p->n_items + 1);
    size_t n = 0;
    for (size_t i = 0; i < p->n_items; i++) {
        folded[i] = utf8_fold(p->a, p->items[i].to);
        if (p->items[i].theirs_id.n > 0)
            sorted[n++] = &folded[i];
    }
    sort_items(sorted, n, sizeof(*sorted), by_folded);
    for (size_t i = 0; i < n; i++) {
        struct pull_item *item = &p->items[sorted[i] - folded];
        bool repeats = i > 0 && str_eq(*sorted[i], *sorted[i - 1]);
        if (repeats || is_twin(p, item))
            keep_in_tree(p, item, "another file's name differs only by case");
    }
}

static bool find_sizes(struct pull *p, struct err *err)
{
    str *ids = ARENA_ARRAY(p->a, str, 2 * p->n_items + 1);
    size_t *sizes = ARENA_ARRAY(p->a, size_t, 2 * p->n_items + 1), n = 0;
    for (size_t i = 0; i < p->n_items; i++) {
        if (p->items[i].base_id.n > 0)
            ids[n++] = p->items[i].base_id;
        if (p->items[i].theirs_id.n > 0)
            ids[n++] = p->items[i].theirs_id;
    }
    if (!git_blob_sizes(&p->w->reader, p->a, ids, n, sizes, err))
        return false;
    n = 0;
    uint64_t all = 0;
    for (size_t i = 0; i < p->n_items; i++) {
        struct pull_item *item = &p->items[i];
        size_t base = item->base_id.n > 0 ? sizes[n++] : 0;
        size_t theirs = item->theirs_id.n > 0 ? sizes[n++] : 0;
        item->size = size_add(base, theirs);
        if (theirs > TREE_BLOB_MAX)
            keep_in_tree(p, item, "it is too large for the vault");
        else
            all += theirs;
    }
    return pull_limit_bytes(all, p->base, err);
}

/* Attributes count as they are on disk and as they come. */
static bool pull_plan_ask_unsynced(struct pull *p, struct err *err)
{
    str *paths = ARENA_ARRAY(p->a, str, 2 * p->n_their + 1), prefix = p->w->g->prefix;
    size_t n = 0;
    for (size_t i = 0; i < p->n_their; i++) {
        if (str_starts(p->their[i].path, prefix))
            paths[n++] = in_vault(p, p->their[i].path);
        if (p->their[i].status == 'R' && str_starts(p->their[i].old_path, prefix))
            paths[n++] = in_vault(p, p->their[i].old_path);
    }
    p->unsynced = unsynced_of(&p->w->reader, p->a);
    return unsynced_ask_commit(&p->unsynced, p->theirs, paths, n, err) &&
           unsynced_ask_disk(&p->unsynced, paths, n, err);
}

bool pull_plan(struct pull *p, struct err *err)
{
    const struct git *g = p->w->g;
    /* before git lists them: it keeps the whole list in memory, too */
    if (!pull_limit_names(&p->w->reader, p->base, p->theirs, err) ||
        !git_diff(g, p->a, p->base, p->theirs, true, &p->their, &p->n_their, err))
        return false;
    if (p->head.n > 0 && !str_eq(p->base, p->head) &&
        !git_diff(g, p->a, p->base, p->head, true, &p->our, &p->n_our, err))
        return false;
    if (!pull_plan_ask_unsynced(p, err))
        return false;
    if (p->n_our > 0)
        sort_items(p->our, p->n_our, sizeof(*p->our), by_old_path);
    size_t most = 2 * p->n_their + 1;
    p->items = ARENA_ARRAY(p->a, struct pull_item, most);
    p->edits = ARENA_ARRAY(p->a, struct git_entry, 4 * most);
    p->ops = ARENA_ARRAY(p->a, struct change_op, 4 * most);
    p->texts = ARENA_ARRAY(p->a, str, 2 * most);
    p->text_edits = ARENA_ARRAY(p->a, size_t, 2 * most);
    for (size_t i = 0; i < p->n_their; i++)
        add_diff(p, &p->their[i]);
    if (!find_sizes(p, err))
        return false;
    refuse_twins(p);
    return true;
}
