/*
 * A commit of the remote becomes one change of the vault and one commit of ours.
 *
 * First all objects are created, including the commit; then the step is recorded; then
 * the vault changes, if its files are still those that were merged; then HEAD moves. So
 * a crash leaves either nothing, or a step that work_recover() can finish.
 */
#include "sync/pull.h"

#include "base/clock.h"
#include "base/sbuf.h"
#include "sync/git.h"
#include "sync/own.h"
#include "sync/pending.h"
#include "sync/work.h"
#include "vault/change/journal.h"
#include "vault/transact.h"
#include "vault/vault.h"

enum { ATTEMPTS = 5, ID_SHOWN = 10, URL_SHOWN = 60 };

/* --- the base --- */

/* Whether commit is among the nearest ancestors of other, or is other. */
static bool is_near(struct pull *p, str commit, str other, bool *is, struct err *err)
{
    enum { NEAR = 16 };
    struct git_commit_info info;
    str list[NEAR] = {other};
    size_t n = 1;
    *is = false;
    for (size_t i = 0; i < n && !*is; i++) {
        *is = str_eq(list[i], commit);
        if (!*is && !git_read_commit(&p->w->reader, p->a, list[i], &info, err))
            return false;
        for (size_t k = 0; !*is && k < info.n && n < NEAR; k++)
            list[n++] = info.parents[k];
    }
    return true;
}

/* Sets base, known and forward. */
static bool merge_base(struct pull *p, struct err *err)
{
    str all = {0};
    p->base = (str){0};
    if (!is_near(p, p->head, p->theirs, &p->forward, err) ||
        !is_near(p, p->theirs, p->head, &p->known, err))
        return false;
    if (p->forward || p->known) {
        p->base = p->forward ? p->head : p->theirs;
        return true;
    }
    if (!git_line(p->w->g, p->a,
                  GIT_ARGS("merge-base", arena_str(p->a, p->head).p,
                           arena_str(p->a, p->theirs).p),
                  &all, err))
        return false;
    if (str_next(&all, '\n', &p->base)) {
        p->known = str_eq(p->base, p->theirs);
        p->forward = str_eq(p->base, p->head);
    }
    return true;
}

/* If the remote's history was rewritten, the last commit that we saw is a better base for
 * what they changed since. */
static bool look_for_rewritten(struct pull *p, struct err *err)
{
    const struct git *g = p->w->g;
    str seen;
    bool goes_on = false, ours = false;
    if (!git_commit_of(g, p->a, GIT_SEEN, &seen, err))
        return false;
    if (seen.n == 0 || str_eq(seen, p->base))
        return true;
    if (!git_is_in(g, p->a, seen, p->theirs, &goes_on, err) ||
        !git_is_in(g, p->a, seen, p->head, &ours, err))
        return false;
    if (!goes_on && ours)
        p->base = seen;
    return true;
}

/* A shallow clone may not have the merge base. */
static bool fetch_base(struct pull *p, struct err *err)
{
    const struct git *g = p->w->g;
    str shallow, ignored;
    if (!git_line(g, p->a, GIT_ARGS("rev-parse", "--is-shallow-repository"), &shallow,
                  err))
        return false;
    return !str_eq(shallow, STR("true")) ||
           (git_fetch(g, p->a, -1, &ignored, err) && own_unshallowed(g, p->a, err) &&
            merge_base(p, err));
}

static bool count_commits(const struct pull *p, str commit, str *out, struct err *err)
{
    return git_line(p->w->g, p->a,
                    GIT_ARGS("rev-list", "--count", arena_str(p->a, commit).p), out, err);
}

/* Two histories without a common commit are most likely two vaults: merging them would show
 * the notes of each to all who have the other. */
static bool may_join(const struct pull *p, struct err *err)
{
    const struct git *g = p->w->g;
    str ours, theirs;
    if (p->base.n > 0 || g->config.join)
        return true;
    if (!count_commits(p, p->head, &ours, err) ||
        !count_commits(p, p->theirs, &theirs, err))
        return false;
    return err_set(err, ERR_INVALID,
                   "the vault (" STR_FMT " commits, " STR_FMT ") and " STR_FMT
                   " (" STR_FMT " commits, " STR_FMT
                   ") have no common history, so nothing is merged or "
                   "pushed: to merge all notes of both, give --git-join once",
                   STR_ARG(ours), STR_ARG(str_slice(p->head, 0, ID_SHOWN)),
                   STR_ARG(str_slice(g->url, 0, URL_SHOWN)), STR_ARG(theirs),
                   STR_ARG(str_slice(p->theirs, 0, ID_SHOWN)));
}

/* The common base of both sides: usually the merge base. */
static bool find_base(struct pull *p, struct err *err)
{
    p->forward = p->head.n == 0;
    if (p->forward)
        return true;
    if (!merge_base(p, err))
        return false;
    return p->known || (look_for_rewritten(p, err) &&
                        (p->base.n > 0 || fetch_base(p, err)) && may_join(p, err));
}

/* --- the commit --- */

static str message(struct pull *p)
{
    struct sbuf b = SBUF_ON(p->a);
    sbuf_printf(&b, "sync: merge " STR_FMT " of the remote\n\n",
                STR_ARG(str_slice(p->theirs, 0, 10)));
    for (size_t i = 0; i < p->n_conflicts; i++)
        if (p->conflicts[i].sibling.n > 0)
            sbuf_printf(&b, "Conflict: " STR_FMT "\n", STR_ARG(p->conflicts[i].sibling));
    sbuf_add(&b, STR("Tool: sync\n"));
    return sbuf_str(&b);
}

static bool read_theirs(struct pull *p, struct err *err)
{
    struct git_commit_info theirs, head = {0};
    struct git_reader *r = &p->w->reader;
    if (!git_read_commit(r, p->a, p->theirs, &theirs, err) ||
        (p->head.n > 0 && !git_read_commit(r, p->a, p->head, &head, err)))
        return false;
    p->tree = theirs.tree;
    p->head_tree = head.tree;
    p->author = theirs.author;
    return !theirs.recoded ||
           git_line(p->w->g, p->a,
                    GIT_ARGS("log", "-1", "--format=%an", arena_str(p->a, p->theirs).p),
                    &p->author, err);
}

static bool has_edit(const struct pull *p, str path, unsigned mode, str id)
{
    for (size_t i = 0; i < p->n_edits; i++)
        if (str_eq(p->edits[i].path, path) && p->edits[i].mode == mode &&
            (mode == 0 || str_eq(p->edits[i].id, id)))
            return true;
    return false;
}

/* Whether the edits are just their changes, so that the tree is theirs; of many, git is
 * asked. */
static bool edits_are_theirs(const struct pull *p)
{
    enum { FEW = 100 };
    size_t n = p->n_their;
    if (!p->forward || n > FEW)
        return false;
    for (size_t i = 0; i < p->n_their; i++) {
        const struct git_diff *d = &p->their[i];
        n += d->status == 'R';
        if (!has_edit(p, d->path, d->mode, d->id) ||
            (d->status == 'R' && !has_edit(p, d->old_path, 0, (str){0})))
            return false;
    }
    return n == p->n_edits;
}

/* What they removed as a file, and we have replaced by a folder, stays. */
static bool keep_folders(struct pull *p, struct err *err)
{
    struct git_entry head;
    size_t n = 0;
    for (size_t i = 0; p->n_our > 0 && i < p->n_edits; i++) {
        const struct git_entry *e = &p->edits[i];
        if (e->mode == 0 && !git_find(&p->w->reader, p->a, p->head, e->path, &head, err))
            return false;
        if (e->mode != 0 || head.mode != GIT_TREE)
            p->edits[n++] = *e;
    }
    p->n_edits = p->n_our > 0 ? n : p->n_edits;
    return true;
}

/* Their commit itself if the result contains nothing of ours. */
static bool make_commit(struct pull *p, str *id, struct err *err)
{
    *id = p->theirs;
    if (edits_are_theirs(p))
        return true;
    str parents[] = {p->head, p->theirs};
    struct git_commit c = {.message = message(p),
                           .parents = p->forward ? parents + 1 : parents,
                           .n = p->forward ? 1 : 2,
                           .tree = &p->head_tree};
    struct git_import m;
    str made, tree;
    if (!keep_folders(p, err))
        return false;
    git_import_begin(&m, p->w->g, p->a);
    git_import_commit(&m, &c, p->edits, p->n_edits);
    bool ok = git_import_end(&m, &made, &tree, err);
    git_import_release(&m);
    if (ok && !(p->forward && str_eq(p->tree, tree)))
        *id = made;
    return ok;
}

/* --- the change --- */

static bool change_vault(struct pull *p, str key, struct err *err)
{
    struct change change = {.ops = p->ops,
                            .n = p->n_ops,
                            .by = {.tool = STR("sync"),
                                   .who = p->author,
                                   .client = STR("git"),
                                   .grant = STR("sync")}, /* not that of the clients */
                            .once = {.key = key, .request = key}};
    struct change_result made;
    if (p->n_ops == 0)
        return true;
    if (!vault_change(p->w->v, p->a, &change, &made, err))
        return false;
    work_pulled(p->w, made.number);
    p->w->changed += p->n_ops;
    return true;
}

struct pulling {
    struct work *w;
    str theirs;
    int64_t when;
    bool copies;  /* a file cannot be moved: its new folder is on another file system */
    bool begun;   /* a part was made */
    bool more;    /* the same by the last attempt, and there are others */
    size_t files; /* that are left at most: each part is at least one */
};

static bool is_edited(const struct err *err)
{
    return err->code == ERR_CONFLICT || err->code == ERR_EXISTS ||
           err->code == ERR_NOT_FOUND;
}

static bool pull_prepare(struct pull *p, struct err *err)
{
    return git_commit_of(p->w->g, p->a, "HEAD", &p->head, err) && find_base(p, err) &&
           (p->known || (read_theirs(p, err) && pull_plan(p, err) && pull_merge(p, err)));
}

/* *again: the vault was edited in the meantime. */
static bool make_step(struct pull *p, bool *again, struct err *err)
{
    struct work *w = p->w;
    struct work_step step = {.from = p->head, .seen = p->theirs};
    if (!make_commit(p, &step.to, err))
        return false;
    if (p->head.n > 0) {
        step.edits = p->edits; /* which make the commit's tree of that of head */
        step.n = p->n_edits;
    }
    if (p->n_ops > 0)
        step.key = arena_printf(p->a, "sync-" STR_FMT "-" STR_FMT, STR_ARG(p->head),
                                STR_ARG(step.to));
    if (!work_begin(w, p->a, &step, err))
        return false;
    if (!change_vault(p, step.key, err)) {
        work_cancel(w);
        *again = is_edited(err);
        return false;
    }
    for (size_t i = p->n_conflicts; i-- > 0;)
        work_conflict(w, p->conflicts[i].path, p->conflicts[i].sibling);
    return work_advance(w, p->a, &step, err);
}

static bool make_part(struct pull *p, bool *again, struct err *err)
{
    bool ok = change_vault(p, STR(""), err);
    *again = !ok && is_edited(err);
    return ok;
}

/* What was changed since, during the fetch for example. A note that was moved is known as
 * such only from a commit: else it would seem to be deleted, and come back if they have
 * edited it. */
static bool commit_ours(struct work *w, struct arena *a, struct err *err)
{
    struct work_request request = {.all = w->g->config.add_all};
    str id;
    return work_commit(w, a, &request, &id, err);
}

static bool has_move(const struct pending *p)
{
    for (size_t i = 0; i < p->n; i++)
        for (size_t k = 0; k < p->list[i].n; k++)
            if (p->list[i].ops[k].kind == JOURNAL_MOVE && !pending_is_sync(&p->list[i]))
                return true;
    return p->gap || p->more;
}

/* *again: something was moved since. */
static bool nothing_moved(const struct pull *p, bool *again, struct err *err)
{
    struct pending since = {0};
    bool any = false;
    if (!pending_any(p->w->v, p->w->done, &any, err) ||
        (any && !pending_read(p->w->v, p->a, p->w->done, &since, err)))
        return false;
    *again = has_move(&since);
    return !*again || err_set(err, ERR_BUSY, "notes were moved during the pull");
}

static bool attempt(void *arg, bool *again, struct err *err)
{
    struct pulling *all = arg;
    struct arena a = {0}, contents = {0};
    struct pull p = {.w = all->w,
                     .a = &a,
                     .contents = &contents,
                     .theirs = all->theirs,
                     .when = all->when,
                     .copies = all->copies};
    bool ok = (all->begun || commit_ours(p.w, &a, err)) && pull_prepare(&p, err) &&
              (p.known ||
               ((all->begun || nothing_moved(&p, again, err)) &&
                (p.partial ? make_part(&p, again, err) : make_step(&p, again, err))));
    if (!ok && err->name == E_PATH_NOT_ALLOWED && !all->copies)
        *again = all->copies = true;
    all->more = ok && p.partial;
    all->begun = all->begun || all->more;
    all->files = p.n_items;
    arena_release(&contents);
    arena_release(&a);
    return ok;
}

/* Pulls take long, so only the last attempt blocks other changes. */
bool work_pull(struct work *w, str theirs, struct err *err)
{
    struct pulling all = {.w = w, .theirs = theirs, .when = clock_now()};
    size_t parts = 0;
    bool ok, stopped;
    do {
        ok = transact_try(w->v, attempt, &all, ATTEMPTS, ATTEMPTS - 1, err);
        stopped = w->g->stop != NULL && atomic_load(w->g->stop);
    } while (ok && all.more && !stopped && parts++ < all.files);
    return ok &&
           (!all.more || err_set(err, ERR_BUSY, "the pull was stopped before its end"));
}
