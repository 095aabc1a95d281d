/*
 * Changes of a vault: the only place that decides which changes a caller may make or
 * see.
 */
#include "base/fs_edit.h"
#include "base/path.h"
#include "vault/access.h"
#include "vault/change/change.h"
#include "vault/change/journal.h"
#include "vault/change/proposal.h"
#include "vault/note/policy.h"
#include "vault/policies.h"
#include "vault/vault_live.h"
#include "vault/vault_policy.h"
#include "vault/vault_trash.h"

struct changes *vault_changes(struct vault *v, struct err *err)
{
    struct live *live = v->live;
    if (!vault_wait(v, NULL, NULL, err))
        return NULL;
    if (live->changes == NULL) {
        *err = live->why_none;
        err_rename(err, E_READ_ONLY);
    }
    return live->changes;
}

bool vault_doubts_clock(struct vault *v)
{
    return live_is_ready(v->live) && v->live->changes != NULL &&
           changes_doubt_clock(v->live->changes);
}

const char *vault_blocked(struct vault *v, uint64_t *ms)
{
    struct live *live = v->live;
    return live_is_ready(live) && live->changes != NULL
               ? changes_blocked(live->changes, ms)
               : NULL;
}

bool vault_can_change(struct vault *v, struct err *err)
{
    return vault_changes(v, err) != NULL &&
           (!v->access.read_only || err_named(err, E_READ_ONLY, VAULT_READ_ONLY)) &&
           live_may_change(v->live, err) && fs_may_change(&v->live->root, err);
}

/* --- permissions --- */

static enum access_level level_with(const struct vault *v, str path, enum policy policy)
{
    static const enum access_level allowed[POLICY_KINDS] = {
        [POLICY_NONE] = ACCESS_WRITE,
        [POLICY_PROPOSE] = ACCESS_PROPOSE,
        [POLICY_READ_ONLY] = ACCESS_READ,
        [POLICY_HIDDEN] = ACCESS_HIDDEN};
    enum access_level own = access_level(&v->access, trash_original(path));
    return own < allowed[policy] ? own : allowed[policy];
}

/* Where the file really is. */
static bool may_change_at(const void *vault, str path)
{
    const struct vault *v = vault;
    return access_writes(&v->access, trash_original(path)) &&
           vault_policy(v, path) == POLICY_NONE;
}

static bool may_propose_at(const void *vault, str path)
{
    return level_with(vault, path, vault_policy(vault, path)) >= ACCESS_PROPOSE;
}

/* The folder for changes by the caller: whatever symlinks there are when a change is
 * made, it is made where the caller may write, or not at all. */
static struct fs_root vault_write_root(const struct vault *v)
{
    struct fs_root root = vault_policy_root(v);
    root.may_change = may_change_at;
    root.may_change_arg = v;
    return root;
}

/* Whether symlinks lead from path to where the caller has a lower level. This only answers
 * early: what counts is the root that the change is made with. */
static bool leads_away(const struct vault *v, const struct policy_look *at,
                       enum access_level level)
{
    struct arena a = {0};
    str path = at->path;
    if (at->there && !at->at.is_link)
        return false;
    struct fs_root root = vault_write_root(v);
    if (level == ACCESS_PROPOSE)
        root.may_change = may_propose_at;
    struct fs_entry e = {0};
    struct fs_place p = {.dir = -1};
    struct err err = {0};
    if (root.no_links) /* e.is_link is set even if the target does not exist */
        (void)!fs_stat_entry(&v->live->root, path, &e, &err);
    else if (path.n > 0)
        e.is_link =
            !fs_place_open(&root, &a, path, &p, &err) && err.name == E_PATH_NOT_ALLOWED;
    fs_place_close(&p);
    arena_release(&a);
    return e.is_link;
}

/* Why a path may not be written that can be read. */
static const char *why_of_policy(const struct vault *v, str path, enum policy policy)
{
    bool readable = access_reads(&v->access, trash_original(path));
    if (!readable || policy != POLICY_READ_ONLY)
        return NULL;
    return policy_is_rule(path) ? "says what clients may do: only the owner of the vault "
                                  "changes it"
                                : "is read-only: the owner of the vault lets no client "
                                  "change it";
}

/* The same answer whether the path exists or not. */
static bool refuse_path(const struct vault *v, str path, enum policy policy,
                        struct err *err)
{
    enum { NAMED = 120 };
    struct arena a = {0};
    if (v->access.read_only)
        return err_named(err, E_READ_ONLY, VAULT_READ_ONLY);
    const char *why = why_of_policy(v, path, policy);
    if (why != NULL)
        return err_named(err, E_PATH_NOT_ALLOWED, "'" STR_FMT "' %s",
                         STR_ARG(str_slice(path, 0, NAMED)), why);
    str where = access_where(&a, &v->access);
    err_named(err, E_PATH_NOT_ALLOWED, "'" STR_FMT "' may not be written%s" STR_FMT "%s",
              STR_ARG(str_slice(path, 0, NAMED)), where.n > 0 ? ": only in " : "",
              STR_ARG(str_slice(where, 0, NAMED)), where.n > NAMED ? "…" : "");
    arena_release(&a);
    return false;
}

static bool vault_change_refuse(struct vault *v, str path, struct err *err)
{
    return vault_can_change(v, err) && refuse_path(v, path, vault_policy(v, path), err);
}

/* Of a path, wherever its symlinks lead. */
static enum access_level level_of(const struct vault *v, struct policy_round *r, str path)
{
    const struct policy_look *at = vault_policy_look(v, r, path);
    enum access_level level = level_with(v, path, vault_policy_of(v, at));
    while (level > ACCESS_READ && leads_away(v, at, level))
        level--;
    return level;
}

/* Of a folder with everything that could be in it. */
static enum access_level level_of_all(struct vault *v, struct policy_round *r, str folder)
{
    enum access_level own = level_of(v, r, folder),
                      all = access_folder_level(&v->access, trash_original(folder)),
                      ruled = level_with(v, folder, vault_policy_below(v, folder));
    all = ruled < all ? ruled : all;
    return own < all ? own : all;
}

bool vault_may_write_held(const struct vault *v, str path, struct err *err)
{
    enum policy policy = vault_policy_held(v, path);
    return level_with(v, path, policy) >= ACCESS_PROPOSE ||
           refuse_path(v, path, policy, err);
}

bool vault_may_write(struct vault *v, str path, struct err *err)
{
    struct arena a = {0};
    struct policy_round round = {.a = &a};
    bool may = level_of(v, &round, path) >= ACCESS_PROPOSE;
    arena_release(&a);
    return may || vault_change_refuse(v, path, err);
}

bool vault_may_take(struct vault *v, str folder, struct err *err)
{
    struct arena a = {0};
    struct policy_round round = {.a = &a};
    bool may = level_of_all(v, &round, folder) >= ACCESS_PROPOSE;
    arena_release(&a);
    return may || vault_change_refuse(v, folder, err);
}

static bool vault_change_is_folder(const struct vault *v, str path)
{
    struct fs_info info;
    struct err ignored;
    return fs_stat(&v->live->root, path, &info, &ignored) && info.type == FS_FOLDER;
}

/* The level of one operation: on path, or a move from path to `to`. now is where the file
 * or folder is at the moment. Anything that may be written may go to the trash. */
static enum access_level level_of_op(struct vault *v, struct policy_round *r,
                                     enum journal_kind kind, str path, str to, str now)
{
    bool whole = kind == JOURNAL_REMOVE_FOLDER ||
                 (kind == JOURNAL_MOVE && vault_change_is_folder(v, now));
    enum access_level from = whole ? level_of_all(v, r, path) : level_of(v, r, path);
    enum access_level there = to.n == 0 || trash_contains(to) ? ACCESS_WRITE
                              : whole                         ? level_of_all(v, r, to)
                                                              : level_of(v, r, to);
    return from < there ? from : there;
}

static enum access_level level_of_change(struct vault *v, struct policy_round *r,
                                         const struct change_op *op)
{
    return level_of_op(v, r, op->kind, op->path, op->to, op->path);
}

static bool may_touch(struct vault *v, struct policy_round *r, enum access_level level,
                      str path, str to, struct err *err)
{
    enum { NAMED = 120 };
    switch (level) {
    case ACCESS_WRITE:
        return true;
    case ACCESS_PROPOSE:
        return err_named(err, E_PATH_NOT_ALLOWED,
                         "'" STR_FMT "' is changed only after a review: propose an edit "
                         "instead of an undo",
                         STR_ARG(str_slice(path, 0, NAMED)));
    default:
        return vault_change_refuse(
            v, to.n > 0 && level_of(v, r, path) >= ACCESS_PROPOSE ? to : path, err);
    }
}

/* Whether what a note says about clients stays. */
static bool stays(const struct vault *v, struct policy_round *r,
                  const struct change_op *op, bool proposed, struct err *err)
{
    return op->kind != JOURNAL_WRITE ||
           vault_policy_stays(v, r, op->path, op->text, proposed, err);
}

/* Whether it concerns anything that is hidden from clients: then they never learn of it,
 * also when that is not there any more. */
static bool conceals(const struct vault *v, struct policy_round *r, str path, str to,
                     str text)
{
    return vault_policy_conceals(v, r, path, text) ||
           vault_policy_conceals(v, r, to, STR(""));
}

static bool may_make_op(struct vault *v, struct policy_round *r, struct change *change,
                        const struct change_op *op, struct err *err)
{
    change->concealed = change->concealed || conceals(v, r, op->path, op->to, op->text);
    return may_touch(v, r, level_of_change(v, r, op), op->path, op->to, err) &&
           stays(v, r, op, change->by.accepted_by.n > 0, err);
}

static bool may_make(struct vault *v, struct change *change, struct err *err)
{
    struct arena a = {0};
    struct policy_round round = {.a = &a};
    bool may = true;
    for (size_t i = 0; i < change->n && may; i++)
        may = may_make_op(v, &round, change, &change->ops[i], err);
    arena_release(&a);
    return may;
}

bool vault_needs_review(struct vault *v, const struct change *change)
{
    struct arena a = {0};
    struct policy_round round = {.a = &a};
    enum access_level least = ACCESS_WRITE;
    for (size_t i = 0; vault_has_review(v) && i < change->n && least >= ACCESS_PROPOSE;
         i++) {
        enum access_level level = level_of_change(v, &round, &change->ops[i]);
        least = level < least ? level : least;
    }
    arena_release(&a);
    return least == ACCESS_PROPOSE; /* below that, vault_change() says why */
}

/* A parent folder that was made for a file, or for its place in the trash. */
static bool is_way(const struct vault *v, const struct journal_op *op)
{
    return op->kind == JOURNAL_MAKE_FOLDER &&
           vault_policy_held(v, op->path) != POLICY_HIDDEN &&
           (trash_contains(op->path) || str_eq(op->path, STR(VAULT_TRASH)) ||
            access_enters(&v->access, op->path));
}

bool vault_sees_change(const struct vault *v, const struct journal_change *change)
{
    for (size_t i = 0; i < change->n; i++) {
        const struct journal_op *op = &change->ops[i];
        if (!is_way(v, op) && (!vault_may_read(v, trash_original(op->path)) ||
                               !(trash_contains(op->to) || vault_may_read(v, op->to))))
            return false;
    }
    return !v->ruled || !change->concealed;
}

/* --- making --- */

struct turn {
    struct live *live;
    const struct stop *stop;
};

static bool gives_up(void *arg)
{
    const struct turn *t = arg;
    return atomic_load(&t->live->closing) || stop_now(t->stop);
}

bool vault_take_turn(struct vault *v, const struct stop *stop, struct err *err)
{
    struct turn t = {v->live, stop};
    unsigned ms = v->live->options.turn_ms;
    struct stop soon = stop_within(&(struct stop){.asked = gives_up, .arg = &t},
                                   ms > 0 ? ms : VAULT_TURN_MS);
    return timed_lock_take(&v->live->changing, &soon) ||
           err_named(err, E_BUSY,
                     "other changes to this vault are still in progress: nothing was "
                     "changed, try again later");
}

void vault_end_turn(struct vault *v)
{
    timed_lock_drop(&v->live->changing);
}

/* The index has no hidden files, such as those in the trash. Updating a folder updates
 * all below it; new folders are listed outermost first. */
static void refresh_changed(struct vault *v, struct arena *a,
                            const struct change_result *made)
{
    str *paths = ARENA_ARRAY(a, str, made->n_paths);
    size_t n = 0;
    for (size_t i = 0; i < made->n_paths; i++)
        if (path_is_visible(made->paths[i]) &&
            (n == 0 || !path_is_below(paths[n - 1], made->paths[i])))
            paths[n++] = made->paths[i];
    if (n > 0)
        vault_refresh(v, paths, n);
}

static void vault_change_finish(struct vault *v, struct arena *a,
                                const struct change *change,
                                const struct change_result *made)
{
    const struct vault_options *o = &v->live->options;
    for (size_t i = 0; v->trace != NULL && i < made->n_paths; i++)
        vault_trace_add(v->trace, &v->trace->changed, made->paths[i]);
    refresh_changed(v, a, made);
    if (o->made != NULL && made->number > 0 && !made->repeated)
        o->made(o->changed_arg, change, made);
}

/* A change is made where the caller may write, and only in the folder at the vault's path.
 * One that went to a folder that was taken away is reverted there, and so is one that its
 * caller does not want any more. */
struct change_committing {
    struct live *live;
    struct change_guard asked;
};

static bool may_commit(void *arg, struct err *err)
{
    const struct change_committing *c = arg;
    return live_is_still_in_place(c->live, err) &&
           (c->asked.precommit == NULL ||
            c->asked.precommit(c->asked.precommit_arg, err));
}

static struct change_guard guard_of(struct change_committing *c,
                                    const struct fs_root *root)
{
    return (struct change_guard){
        .root = root, .precommit = may_commit, .precommit_arg = c};
}

bool vault_change(struct vault *v, struct arena *a, const struct change *change,
                  struct change_result *out, struct err *err)
{
    struct changes *c = vault_changes(v, err);
    struct fs_root root = vault_write_root(v);
    struct change guarded = *change;
    struct change_committing committing = {v->live, change->guard};
    guarded.guard = guard_of(&committing, &root);
    guarded.concealed = false;
    if (c == NULL || !live_is_in_place(v->live, err) || !may_make(v, &guarded, err) ||
        !changes_make(c, a, &guarded, out, err))
        return false;
    vault_change_finish(v, a, change, out);
    return true;
}

bool vault_propose(struct vault *v, struct arena *a, const struct proposal *p,
                   const struct idempotency *once, struct proposal_kept *out,
                   struct err *err)
{
    const struct proposal_keeper *keeper = &v->live->options.proposals;
    struct policy_round round = {.a = a};
    for (size_t i = 0; i < p->n; i++) {
        const struct change_op *op = &p->ops[i].op;
        if (level_of_change(v, &round, op) < ACCESS_PROPOSE)
            return vault_change_refuse(v, op->path, err);
        if (!stays(v, &round, op, true, err))
            return false;
    }
    if (keeper->add == NULL)
        return err_named(err, E_NOT_SET_UP,
                         "this change needs a review, and there is no place to keep it "
                         "until then");
    return live_is_in_place(v->live, err) &&
           keeper->add(keeper->arg, a, p, once, out, err);
}

/* Whether it was proposed before. */
static bool proposed_before(struct vault *v, struct arena *a,
                            const struct idempotency *once, struct change_result *out,
                            struct err *err)
{
    const struct proposal_keeper *keeper = &v->live->options.proposals;
    struct proposal_kept kept = {0};
    if (keeper->find == NULL || !vault_has_review(v))
        return true;
    if (!keeper->find(keeper->arg, a, once, &kept, err))
        return false;
    if (kept.id.n > 0)
        *out = (struct change_result){
            .proposal = kept.id, .repeated = true, .answer = kept.answer};
    return true;
}

bool vault_made_before(struct vault *v, struct arena *a, const struct idempotency *once,
                       struct change_result *out, struct err *err)
{
    struct journal_change before;
    *out = (struct change_result){0};
    if (once->key.n == 0)
        return true;
    struct changes *c = vault_changes(v, err);
    if (c == NULL || !live_is_in_place(v->live, err) ||
        !changes_was_made(c, a, once, &before, err))
        return false;
    if (before.number == 0)
        return proposed_before(v, a, once, out, err);
    *out = (struct change_result){
        .number = before.number, .repeated = true, .answer = before.answer};
    return vault_sees_change(v, &before) || change_key_reused(err);
}

/* Read a change, with the number of its files; one that the caller may not see is not
 * found. */
static bool read_change(struct vault *v, struct changes *c, struct arena *a,
                        uint64_t number, struct journal_change *out, struct err *err)
{
    struct journal *j;
    if (!changes_lock_all(c, &j, err))
        return false;
    bool known = journal_read(j, a, number, false, out, err);
    if (known)
        out->files = journal_find(j, number)->files;
    changes_unlock(c);
    return known && (vault_sees_change(v, out) || journal_not_found(err, number));
}

bool vault_changed_files(struct vault *v, struct arena *a, uint64_t number, size_t *files,
                         struct err *err)
{
    struct journal_change change;
    struct changes *c = vault_changes(v, err);
    if (c == NULL || !read_change(v, c, a, number, &change, err))
        return false;
    *files = change.files;
    return true;
}

/* Whether the texts that come back say the same about clients. What cannot be undone at all
 * fails later, with the reason. */
static bool undo_stays(struct vault *v, struct changes *c, struct policy_round *r,
                       uint64_t number, struct err *err)
{
    struct change_result plan;
    struct err ignored;
    if (!v->ruled || !changes_plan_undo(c, r->a, number, &plan, &ignored))
        return true;
    for (size_t i = 0; i < plan.n_undoing; i++)
        if (!stays(v, r, &plan.undoing[i], false, err))
            return false;
    return true;
}

/* The change itself names everything that undoing it touches. */
static bool may_undo(struct vault *v, struct changes *c, struct arena *a, uint64_t number,
                     bool *concealed, struct err *err)
{
    struct journal_change change;
    struct policy_round round = {.a = a};
    if (!read_change(v, c, a, number, &change, err) ||
        !undo_stays(v, c, &round, number, err))
        return false;
    *concealed = change.concealed;
    for (size_t i = 0; i < change.n; i++) {
        const struct journal_op *op = &change.ops[i];
        *concealed = *concealed || conceals(v, &round, op->path, op->to, STR(""));
        if (is_way(v, op))
            continue;
        enum access_level level =
            level_of_op(v, &round, op->kind, op->path, op->to, op->to);
        if (!may_touch(v, &round, level, op->path, op->to, err))
            return false;
    }
    return true;
}

/* The latest visible change before that number that can be undone, or 0. */
static uint64_t undoable_before(struct vault *v, const struct journal *j, uint64_t number)
{
    struct arena a = {0};
    struct journal_change change;
    struct err ignored;
    while ((number = journal_undoable(j, number)) > 0) {
        if (journal_read(j, &a, number, false, &change, &ignored) &&
            vault_sees_change(v, &change))
            break;
        arena_reset(&a);
    }
    arena_release(&a);
    return number;
}

bool vault_undoable(struct vault *v, uint64_t *out, struct err *err)
{
    struct changes *c = vault_changes(v, err);
    struct journal *j;
    if (c == NULL || !changes_lock_all(c, &j, err))
        return false;
    *out = undoable_before(v, j, UINT64_MAX);
    changes_unlock(c);
    return *out > 0 || err_named(err, E_CHANGE_NOT_FOUND, "there is nothing to undo");
}

bool vault_undo(struct vault *v, struct arena *a, uint64_t number, struct change *undo,
                struct change_result *out, struct err *err)
{
    struct changes *c = vault_changes(v, err);
    struct fs_root root = vault_write_root(v);
    struct change_committing committing = {.live = v->live};
    undo->guard = guard_of(&committing, &root);
    bool undone = c != NULL && live_is_in_place(v->live, err) &&
                  may_undo(v, c, a, number, &undo->concealed, err) &&
                  changes_undo(c, a, number, undo, out, err);
    undo->guard = (struct change_guard){0};
    if (undone)
        vault_change_finish(v, a, undo, out);
    return undone;
}

bool vault_plan_undo(struct vault *v, struct arena *a, uint64_t number,
                     struct change_result *out, struct err *err)
{
    struct changes *c = vault_changes(v, err);
    bool ignored;
    return c != NULL && may_undo(v, c, a, number, &ignored, err) &&
           changes_plan_undo(c, a, number, out, err);
}
