#include "vault/transact.h"

#include "vault/draft.h"
#include "vault/vault.h"

/* --- the loop --- */

struct runner {
    struct vault *vault;
    struct stop stop; /* of the caller */
    int tries, alone; /* transact_try() */
    int tried;
    bool has_turn;
};

static bool need_turn(struct runner *r, struct err *err)
{
    r->has_turn = r->has_turn || vault_take_turn(r->vault, &r->stop, err);
    return r->has_turn;
}

static bool run_all(struct runner *r, transact_attempt *attempt, void *arg,
                    struct err *err)
{
    bool done = false, again = true;
    while (!done && again && r->tried < r->tries) {
        if (r->tried >= r->alone && !need_turn(r, err))
            break;
        r->tried++;
        again = false;
        done = attempt(arg, &again, err);
    }
    if (r->has_turn)
        vault_end_turn(r->vault);
    return done;
}

bool transact_try(struct vault *v, transact_attempt *attempt, void *arg, int tries,
                  int alone, struct err *err)
{
    struct runner r = {.vault = v, .tries = tries, .alone = alone};
    return run_all(&r, attempt, arg, err);
}

/* --- one change --- */

struct running {
    struct runner runner;
    struct arena *arena;
    const struct transact *transact;
    struct idempotency once;
    struct draft_result *out;
    struct stop stop; /* of the steps */
};

str transact_key(struct arena *a, str who, str key)
{
    return key.n == 0 || who.n == 0
               ? key
               : arena_printf(a, STR_FMT "\n" STR_FMT, STR_ARG(who), STR_ARG(key));
}

/* What is stored for a repeated call. */
static const struct idempotency *with_answer(struct running *r)
{
    const struct transact *t = r->transact;
    if (t->keep != NULL && (t->once.key.n > 0 || t->always))
        r->once.answer = t->keep(r->arena, t->arg);
    return &r->once;
}

static bool run_draft(struct running *r, struct draft *d, struct err *err)
{
    const struct transact *t = r->transact;
    draft_set_stop(d, &r->stop);
    draft_set_base(d, &t->base);
    if (!t->steps(d, t->arg, err))
        return false;
    if (!t->dry_run)
        return need_turn(&r->runner, err) && draft_commit(d, with_answer(r), r->out, err);
    draft_preview(d, r->out);
    return true;
}

static bool run_steps(struct running *r, struct err *err)
{
    struct draft *d = draft_create(r->runner.vault, r->arena, &r->transact->by);
    bool done = run_draft(r, d, err);
    draft_close(d);
    return done;
}

static bool may_be_undone(struct running *r, struct actor *by, struct err *err)
{
    const struct transact *t = r->transact;
    size_t files;
    return t->may_undo == NULL ||
           (vault_changed_files(r->runner.vault, r->arena, *t->undo, &files, err) &&
            t->may_undo(by, files, t->arg, err));
}

/* It has its turn, so that the latest change stays the latest until it is undone. */
static bool run_undo(struct running *r, struct err *err)
{
    const struct transact *t = r->transact;
    struct vault *v = r->runner.vault;
    struct change undo = {.by = t->by};
    struct change_result made;
    if (*t->undo == 0 && !vault_undoable(v, t->undo, err))
        return false;
    if (t->dry_run)
        return vault_plan_undo(v, r->arena, *t->undo, &made, err) &&
               draft_read_undo(v, r->arena, &made, r->out, err);
    if (!may_be_undone(r, &undo.by, err))
        return false;
    undo.once = *with_answer(r);
    if (!vault_undo(v, r->arena, *t->undo, &undo, &made, err))
        return false;
    draft_list_undo(r->arena, &made, r->out);
    return true;
}

static bool made_before(struct running *r, struct err *err)
{
    struct change_result before = {0};
    if (!r->transact->dry_run &&
        !vault_made_before(r->runner.vault, r->arena, &r->once, &before, err))
        return false;
    *r->out = (struct draft_result){.change = before.number,
                                    .proposal = before.proposal,
                                    .repeated = before.repeated,
                                    .answer = before.answer};
    return true;
}

/* An attempt without the turn may have failed only because the same call was being made
 * at the same time, and has changed its files. */
static bool made_meanwhile(struct running *r, struct err *err)
{
    struct err why;
    if (r->runner.tried > r->runner.alone || r->transact->dry_run || r->once.key.n == 0)
        return false;
    if (!need_turn(&r->runner, &why) || !made_before(r, &why)) {
        *err = why;
        return false;
    }
    return r->out->repeated;
}

/* The time for the steps begins again when they no longer share it with others. */
static void begin_steps(struct running *r)
{
    const struct stop *stop = &r->transact->stop;
    if (r->runner.tried - 1 <= r->runner.alone)
        r->stop = stop->asked != NULL ? stop_within(stop, TRANSACT_PLAN_MS) : *stop;
}

static bool run_attempt(void *arg, bool *again, struct err *err)
{
    struct running *r = arg;
    const struct transact *t = r->transact;
    begin_steps(r);
    if (!made_before(r, err))
        return false;
    if (r->out->repeated || (t->undo != NULL ? run_undo(r, err) : run_steps(r, err)))
        return true;
    /* the vault is not, or no longer, what the steps were based on */
    *again = t->undo == NULL && !t->exact && err->name == E_CONFLICT;
    if (!*again)
        return made_meanwhile(r, err);
    vault_refresh(r->runner.vault, NULL, 0);
    return false;
}

bool transact_run(struct vault *v, struct arena *a, const struct transact *t,
                  struct draft_result *out, struct err *err)
{
    struct running r = {.runner = {.vault = v,
                                   .stop = t->stop,
                                   .tries = TRANSACT_TRIES,
                                   .alone = t->early || (t->undo != NULL && t->dry_run)},
                        .arena = a,
                        .transact = t,
                        .once = t->once,
                        .out = out};
    r.once.key = transact_key(a, t->by.who, t->once.key);
    r.once.owner = t->by.grant;
    return run_all(&r.runner, run_attempt, &r, err);
}
