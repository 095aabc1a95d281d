#include "vault/accept.h"

#include "vault/change/change.h"
#include "vault/change/proposal.h"
#include "vault/draft.h"
#include "vault/index/file.h"
#include "vault/note/merge.h"
#include "vault/transact.h"
#include "vault/vault.h"

enum { ACCEPT_TRIES = 4 };

struct accepting {
    struct vault *vault;
    struct arena *a;
    const struct accept *accept;
    struct accept_result *out;
    struct change change;
};

/* --- which operations --- */

static bool is_chosen(const struct accept *p, str path)
{
    for (size_t i = 0; p->files != NULL && i < p->n_files; i++)
        if (str_eq(p->files[i], path))
            return true;
    return p->files == NULL;
}

static bool has_file(const struct proposal *p, str path)
{
    for (size_t i = 0; i < p->n; i++)
        if (str_eq(p->ops[i].op.path, path))
            return true;
    return false;
}

static bool check_choice(const struct accept *p, struct err *err)
{
    if (p->files == NULL)
        return true;
    if (!proposal_is_by_file(p->proposal))
        return err_set(err, ERR_INVALID,
                       "this proposal moves files or makes folders: accept or reject it "
                       "as a whole");
    for (size_t i = 0; i < p->n_files; i++)
        if (!has_file(p->proposal, p->files[i]))
            return err_set(err, ERR_INVALID, "the proposal does not change '" STR_FMT "'",
                           STR_ARG(p->files[i]));
    return true;
}

/* --- one file --- */

static bool accept_conflict(const struct proposal_op *p, const char *why, struct err *err)
{
    return err_named(err, E_CONFLICT, "'" STR_FMT "' %s: nothing was changed",
                     STR_ARG(p->op.path), why);
}

static enum merge_kind merge_kind_of(str path)
{
    switch (file_kind_of(path)) {
    case FILE_NOTE:
        return MERGE_NOTE;
    case FILE_CANVAS:
        return MERGE_CANVAS;
    default:
        return MERGE_OPAQUE;
    }
}

static void accept_add_op(struct accepting *x, struct change_op op)
{
    x->change.ops[x->change.n++] = op;
}

/* The file has another text now. */
static bool merge_file(struct accepting *x, const struct proposal_op *p, str disk,
                       struct err *err)
{
    struct merge_input in = {.kind = merge_kind_of(p->op.path),
                             .base = &p->base,
                             .ours = &disk,
                             .theirs = &p->op.text};
    struct merge_result merged;
    struct change_op op = p->op;
    if (p->op.expects == CHANGE_NEW)
        return accept_conflict(p, "exists already", err);
    if (p->op.kind == JOURNAL_DELETE || !merge_texts(x->a, &in, &merged))
        return accept_conflict(p, "has changed since in the same places", err);
    x->out->merged++;
    op.text = merged.text;
    op.was = hash_content(disk);
    accept_add_op(x, op);
    return true;
}

static bool accept_file(struct accepting *x, const struct proposal_op *p, struct err *err)
{
    str disk;
    struct err why = {0};
    bool exists = vault_bytes(x->vault, x->a, p->op.path, CHANGE_FILE_MAX, &disk, &why);
    bool deletes = p->op.kind == JOURNAL_DELETE, is_new = p->op.expects == CHANGE_NEW;
    if (!exists && why.code != ERR_NOT_FOUND) {
        *err = why;
        return false;
    }
    if (exists ? !deletes && str_eq(disk, p->op.text) : deletes)
        return true; /* it is like that already */
    if (!exists && !is_new)
        return accept_conflict(p, "is no longer there", err);
    if (exists && (is_new || !str_eq(disk, p->base)))
        return merge_file(x, p, disk, err);
    accept_add_op(x, p->op);
    return true;
}

/* Of something that moves, unless the same change writes it: that is merged. */
static bool accept_other(struct accepting *x, const struct proposal_op *p,
                         struct err *err)
{
    const struct proposal *all = x->accept->proposal;
    bool written = false;
    for (size_t i = 0; i < all->n; i++)
        written = written || (all->ops[i].op.kind == JOURNAL_WRITE &&
                              str_eq(all->ops[i].op.path, p->op.path));
    if (!written && p->found.n > 0 &&
        !str_eq(p->found, draft_digest(x->vault, x->a, p->op.path)))
        return accept_conflict(p, "is not what it was when this was proposed", err);
    accept_add_op(x, p->op);
    return true;
}

/* --- all --- */

static bool plan(struct accepting *x, struct err *err)
{
    const struct proposal *p = x->accept->proposal;
    x->out->merged = 0;
    x->change.n = 0;
    for (size_t i = 0; i < p->n; i++) {
        const struct proposal_op *op = &p->ops[i];
        bool file = op->op.kind == JOURNAL_WRITE || op->op.kind == JOURNAL_DELETE;
        if (!is_chosen(x->accept, op->op.path))
            continue;
        if (!(file ? accept_file(x, op, err) : accept_other(x, op, err)))
            return false;
    }
    return true;
}

static bool attempt(void *arg, bool *again, struct err *err)
{
    struct accepting *x = arg;
    struct change_result made;
    vault_refresh(x->vault, NULL, 0);
    if (!vault_made_before(x->vault, x->a, &x->change.once, &made, err))
        return false;
    if (made.repeated) {
        x->out->change = made.number;
        return true;
    }
    if (!plan(x, err))
        return false;
    if (vault_change(x->vault, x->a, &x->change, &made, err)) {
        x->out->change = made.number;
        return true;
    }
    *again = err->name == E_CONFLICT; /* a file was changed just now */
    return false;
}

bool accept_proposal(struct vault *v, struct arena *a, const struct accept *p,
                     struct accept_result *out, struct err *err)
{
    struct accepting x = {.vault = v, .a = a, .accept = p, .out = out};
    if (!check_choice(p, err))
        return false;
    *out = (struct accept_result){0};
    for (size_t i = 0; i < p->proposal->n; i++)
        out->partly = out->partly || !is_chosen(p, p->proposal->ops[i].op.path);
    x.change = (struct change){
        .by = p->proposal->by,
        .once = {.key = arena_printf(a, "proposal " STR_FMT, STR_ARG(p->id)),
                 .request = p->id},
        .files = p->files == NULL ? p->proposal->files : 0,
        .ops = ARENA_ARRAY(a, struct change_op, p->proposal->n)};
    x.change.by.accepted_by = p->by;
    x.change.by.confirmed = true;
    return transact_try(v, attempt, &x, ACCEPT_TRIES, 0, err);
}
