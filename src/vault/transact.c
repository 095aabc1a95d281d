#include "vault/transact.h"

#include "vault/draft.h"
#include "vault/vault.h"
#include "vault/vault_live.h"

struct turn {
    struct live *live;
    const struct stop *stop;
};

static bool give_up(void *arg)
{
    const struct turn *t = arg;
    return atomic_load(&t->live->closing) || stop_now(t->stop);
}

/* The only place where changes of one process wait for each other. */
static bool take_turn(struct vault *v, const struct stop *stop, struct err *err)
{
    struct turn t = {v->live, stop};
    struct stop soon =
        stop_within(&(struct stop){.asked = give_up, .arg = &t}, TRANSACT_WAIT_MS);
    return timed_lock_take(&v->live->changing, &soon) ||
           err_named(err, E_BUSY,
                     "other changes of this vault are still being made: nothing was "
                     "changed, try again later");
}

static void end_turn(struct vault *v)
{
    timed_lock_drop(&v->live->changing);
}

bool transact_try(struct vault *v, transact_attempt *attempt, void *arg, int tries,
                  int alone, struct err *err)
{
    bool done = false, again = true;
    int i = 0;
    for (; i < tries && !done && again; i++) {
        if (i == alone && !take_turn(v, NULL, err))
            return false;
        again = false;
        done = attempt(arg, &again, err);
    }
    if (i > alone)
        end_turn(v);
    return done;
}

str transact_key(struct arena *a, const struct change *as)
{
    return as->key.n == 0 || as->who.n == 0
               ? as->key
               : arena_printf(a, STR_FMT "\n" STR_FMT, STR_ARG(as->who),
                              STR_ARG(as->key));
}

static struct change with_own_key(struct arena *a, const struct change *as)
{
    struct change own = *as;
    own.key = transact_key(a, as);
    return own;
}

static str kept_answer(struct arena *a, const struct transact *t)
{
    return t->keep != NULL && (t->as.key.n > 0 || t->always) ? t->keep(a, t->arg)
                                                             : STR("");
}

/* --- drafts --- */

struct running {
    struct vault *vault;
    struct arena *arena;
    const struct transact *transact;
    struct change as;
    struct draft_result *out;
    int tried;
    bool turn;        /* we have it */
    struct stop stop; /* of the steps */
};

/* The vault is not, or no longer, what the steps were based on. */
static bool is_stale(const struct err *err)
{
    return err->name == E_CONFLICT;
}

static bool need_turn(struct running *r, struct err *err)
{
    r->turn = r->turn || take_turn(r->vault, &r->transact->stop, err);
    return r->turn;
}

static bool run_draft(struct running *r, struct draft *d, struct err *err)
{
    const struct transact *t = r->transact;
    draft_set_stop(d, &r->stop);
    if (!t->steps(d, t->arg, err))
        return false;
    if (!t->dry_run)
        return need_turn(r, err) &&
               draft_commit(d, kept_answer(r->arena, t), r->out, err);
    draft_preview(d, r->out);
    return true;
}

static bool run_steps(struct running *r, struct err *err)
{
    struct draft *d = draft_create(r->vault, r->arena, &r->as);
    bool done = run_draft(r, d, err);
    draft_close(d);
    return done;
}

static bool made_before(struct running *r, struct err *err)
{
    struct change_result before = {0};
    if (!vault_made_before(r->vault, r->arena, &r->as, &before, err))
        return false;
    *r->out = (struct draft_result){
        .change = before.number, .repeated = before.repeated, .answer = before.answer};
    return true;
}

/* Steps that nobody waited for may have failed only because the same call was being made
 * at the same time, and has changed their files. */
static bool made_meanwhile(struct running *r, struct err *err)
{
    struct err why;
    if (!need_turn(r, &why) || !made_before(r, &why)) {
        *err = why;
        return false;
    }
    return r->out->repeated;
}

static bool run_attempt(void *arg, bool *again, struct err *err)
{
    struct running *r = arg;
    const struct transact *t = r->transact;
    bool early = t->early && r->tried == 0;
    bool keyed = !t->dry_run && r->as.key.n > 0;
    if (!early && !need_turn(r, err))
        return false;
    if (r->tried == 0 || (t->early && r->tried == 1))
        r->stop =
            t->stop.asked != NULL ? stop_within(&t->stop, TRANSACT_PLAN_MS) : t->stop;
    r->tried++;
    *r->out = (struct draft_result){0};
    if (keyed && !made_before(r, err))
        return false;
    if (r->out->repeated || run_steps(r, err))
        return true;
    *again = !t->exact && is_stale(err);
    if (*again)
        vault_refresh(r->vault, NULL, 0);
    else if (early && keyed)
        return made_meanwhile(r, err);
    return false;
}

bool transact_run(struct vault *v, struct arena *a, const struct transact *t,
                  struct draft_result *out, struct err *err)
{
    struct running r = {v, a, t, with_own_key(a, &t->as), out};
    bool done = transact_try(v, run_attempt, &r, TRANSACT_TRIES, TRANSACT_TRIES, err);
    if (r.turn)
        end_turn(v);
    return done;
}

/* --- undo --- */

static bool may_undo(struct vault *v, struct arena *a, const struct transact *t,
                     uint64_t number, struct change *as, struct err *err)
{
    size_t files;
    return t->may_undo == NULL || (vault_changed_files(v, a, number, &files, err) &&
                                   t->may_undo(as, files, t->arg, err));
}

/* In a turn of its own, so that the latest change stays the latest until it is undone. */
static bool undo(struct vault *v, struct arena *a, const struct transact *t,
                 uint64_t *number, struct change_result *out, struct err *err)
{
    struct change as = with_own_key(a, &t->as);
    if (!vault_made_before(v, a, &as, out, err))
        return false;
    if (out->repeated)
        return true;
    if ((*number == 0 && !vault_undoable(v, number, err)) ||
        !may_undo(v, a, t, *number, &as, err))
        return false;
    as.answer = kept_answer(a, t);
    return vault_undo(v, a, *number, &as, out, err);
}

bool transact_undo(struct vault *v, struct arena *a, const struct transact *t,
                   uint64_t *number, struct change_result *out, struct err *err)
{
    if (!take_turn(v, &t->stop, err))
        return false;
    bool ok = undo(v, a, t, number, out, err);
    end_turn(v);
    return ok;
}

bool transact_plan_undo(struct vault *v, struct arena *a, uint64_t *number,
                        struct draft_result *out, struct err *err)
{
    struct change_result plan;
    return (*number > 0 || vault_undoable(v, number, err)) &&
           vault_plan_undo(v, a, *number, &plan, err) &&
           draft_read_undo(v, a, &plan, out, err);
}
