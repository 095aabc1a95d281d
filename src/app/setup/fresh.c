#include "app/setup/fresh.h"

#include "app/setup/app.h"
#include "app/setup/known.h"
#include "app/setup/shared.h"
#include "app/setup/syncing.h"
#include "app/setup/vaults.h"
#include "base/clock.h"
#include "base/os/thread.h"
#include "base/pool.h"
#include "replica/sql.h"
#include "state/store.h"
#include "sync/sync.h"
#include "vault/change/change.h"
#include "vault/change/journal.h"
#include "vault/vault.h"

/* A replica from which the caller has had an answer about a vault: what it has seen there,
 * and what that replica has pushed since. */
struct fresh_mark {
    str vault, replica, commit;
    uint64_t seen, pushed;
};

/* A vault that a request uses. */
struct fresh_use {
    struct fresh_use *next;
    struct app_vault *vault;
    bool settled;             /* it may be used */
    bool looked;              /* the marks were read */
    uint64_t seen;            /* fresh_settled(): the last change in the answer; or 0 */
    uint64_t ticket;          /* of a pull; 0: none was asked for */
    uint64_t asked;           /* when it was, by clock_ms() */
    struct fresh_mark *marks; /* as they were when the request began */
    size_t n;
};

str fresh_name(const struct app_vault *v)
{
    return v->row != NULL ? v->identity : v == v->app->vaults ? STR("") : v->name;
}

static bool is_kept(const struct app_vault *v)
{
    return shared_is_on(&v->app->shared) && syncing_has_history(&v->sync) &&
           v->sync.found.remote.n > 0;
}

/* --- what is here --- */

void fresh_opened(struct app_vault *v)
{
    const struct journal_entry *list;
    struct journal *j;
    struct err ignored; /* whoever makes the next change reports it */
    struct changes *c = is_kept(v) ? vault_changes(v->vault, &ignored) : NULL;
    if (c == NULL || !changes_lock_all(c, &j, &ignored))
        return;
    size_t n = journal_entries(j, &list);
    if (n > 0)
        known_made(&v->known, list[n - 1].number);
    changes_unlock(c);
}

/* "COMMIT VAULT" */
bool fresh_level(struct app_vault *v, str commit, uint64_t number)
{
    struct shared *s = &v->app->shared;
    struct arena a = {0};
    struct err err = {0};
    if (!shared_is_on(s))
        return true;
    known_level(&v->known, commit);
    str name = fresh_name(v), replica = str_c(s->replica);
    bool ok = store_run(
        s->store, SQL_HEAD_PUT,
        STORE_ARGS(STORE_S(name), STORE_S(replica), STORE_N(number), STORE_S(commit)),
        NULL, &err);
    if (!ok)
        shared_not_stored(&err);
    shared_tell(s, FEED_CHANGED,
                arena_printf(&a, STR_FMT " " STR_FMT, STR_ARG(commit), STR_ARG(name)));
    arena_release(&a);
    return ok;
}

static void pull_if_open(struct app_vault *v)
{
    if (!vaults_look(v))
        return;
    if (syncing_is_on(&v->sync))
        syncing_heard(&v->sync);
    vaults_look_away(v);
}

/* The reverse of fresh_name(); NULL: there is none. */
static struct app_vault *fresh_find(struct app *app, str name)
{
    if (app->hosted != NULL)
        return vaults_with_identity(app, name);
    if (name.n > 0)
        return vaults_named(app, name);
    return app->n_vaults > 0 ? app->vaults : NULL;
}

void fresh_heard(struct app *app, str text)
{
    str name = text, commit;
    struct app_vault *v = str_next(&name, ' ', &commit) ? fresh_find(app, name) : NULL;
    if (v != NULL && !known_has(&v->known, commit))
        pull_if_open(v);
}

void fresh_back(struct app *app)
{
    atomic_store(&app->fresh->back_at, clock_ms());
    vaults_pull(app);
}

/* --- reading marks --- */

enum { MARK_VAULT, MARK_REPLICA, MARK_SEEN, MARK_PUSHED, MARK_COMMIT, MARK_COLUMNS };

static struct fresh_mark *take_marks(struct arena *a, const struct store_value *v,
                                     size_t n)
{
    struct fresh_mark *out = ARENA_ARRAY(a, struct fresh_mark, n + 1);
    for (size_t i = 0; i < n; i++, v += MARK_COLUMNS)
        out[i] = (struct fresh_mark){.vault = v[MARK_VAULT].s,
                                     .replica = v[MARK_REPLICA].s,
                                     .commit = v[MARK_COMMIT].s,
                                     .seen = (uint64_t)v[MARK_SEEN].n,
                                     .pushed = (uint64_t)v[MARK_PUSHED].n};
    return out;
}

/* Those of the caller about all vaults, once for a request. */
static bool read_all_marks(struct fresh_request *r, const struct app *app)
{
    struct store_value *v;
    struct err err;
    str own = str_c(app->shared.replica);
    if (r->all != NULL)
        return true;
    if (!store_list(app->shared.store, r->arena, SQL_MARK_LIST_ALL,
                    STORE_ARGS(STORE_S(r->owner), STORE_S(own)), &v, MARK_COLUMNS,
                    &r->n_all, &err))
        return false;
    r->all = take_marks(r->arena, v, r->n_all);
    return true;
}

static bool choose_marks(struct fresh_request *r, struct fresh_use *use)
{
    if (!read_all_marks(r, use->vault->app))
        return false;
    use->marks = ARENA_ARRAY(r->arena, struct fresh_mark, r->n_all + 1);
    use->n = 0;
    for (size_t i = 0; i < r->n_all; i++)
        if (str_eq(r->all[i].vault, fresh_name(use->vault)))
            use->marks[use->n++] = r->all[i];
    return true;
}

static bool list_marks(const struct fresh_request *r, const struct app_vault *vault,
                       struct store_value **out, size_t *n)
{
    const struct shared *s = &vault->app->shared;
    str name = fresh_name(vault), own = str_c(s->replica);
    struct err err;
    if (r->person)
        return store_list(
            s->store, r->arena, SQL_MARK_LIST_PERSON,
            STORE_ARGS(STORE_S(name), STORE_S(r->owner), STORE_S(r->owner), STORE_S(own)),
            out, MARK_COLUMNS, n, &err);
    return store_list(s->store, r->arena, SQL_MARK_LIST,
                      STORE_ARGS(STORE_S(name), STORE_S(r->owner), STORE_S(own)), out,
                      MARK_COLUMNS, n, &err);
}

static bool query_marks(const struct fresh_request *r, const struct app_vault *vault,
                        struct fresh_mark **out, size_t *n)
{
    struct store_value *v;
    if (!list_marks(r, vault, &v, n))
        return false;
    *out = take_marks(r->arena, v, *n);
    return true;
}

static bool is_pushed(const struct fresh_mark *m)
{
    return m->pushed >= m->seen;
}

/* Whether what was not pushed is pushed by now. What the caller has seen in other requests
 * meanwhile does not concern this one: it might wait for ever. */
static bool read_pushed(const struct fresh_request *r, struct fresh_use *use)
{
    struct fresh_mark *now;
    size_t n;
    if (!query_marks(r, use->vault, &now, &n))
        return false;
    for (struct fresh_mark *m = use->marks; m < use->marks + use->n; m++)
        for (size_t i = 0; i < n && !is_pushed(m); i++)
            if (str_eq(now[i].replica, m->replica)) {
                m->pushed = now[i].pushed;
                m->commit = now[i].commit;
            }
    return true;
}

static bool read_marks(struct fresh_request *r, struct fresh_use *use)
{
    bool first = !use->looked;
    use->looked = true;
    if (!first)
        return read_pushed(r, use);
    return r->several ? choose_marks(r, use)
                      : query_marks(r, use->vault, &use->marks, &use->n);
}

/* --- holding --- */

/* What is missing here of what the caller has seen. */
enum missing { NOTHING_MISSING, MUST_PULL, NOT_PUSHED, UNKNOWN };

static bool is_late(const struct fresh_request *r)
{
    return clock_ms() - r->began >= FRESH_MS;
}

/* Since the last outage of the database, in which marks may have been lost, nothing was
 * pulled. That is waited for once. */
static enum missing look_back(struct fresh_request *r, struct fresh_use *use)
{
    const struct app_vault *v = use->vault;
    uint64_t back = atomic_load(&v->app->fresh->back_at);
    if (back == 0 || sync_pulled_at(v->sync.sync) > back)
        return NOTHING_MISSING;
    if (atomic_load(&v->known.doubted) != back)
        return MUST_PULL;
    r->stale = true;
    return NOTHING_MISSING;
}

static enum missing look_up(struct fresh_request *r, struct fresh_use *use)
{
    enum missing missing = look_back(r, use);
    struct known *c = &use->vault->known;
    if (!read_marks(r, use))
        return UNKNOWN;
    for (size_t i = 0; i < use->n; i++) {
        const struct fresh_mark *m = &use->marks[i];
        bool pushed = is_pushed(m);
        if (pushed && known_has(c, m->commit))
            continue;
        if (is_late(r))
            known_give_up(c, m->replica, m->seen, pushed);
        if (known_gave_up(c, m->replica, m->seen, pushed))
            r->stale = true;
        else
            missing = pushed && missing != NOT_PUSHED ? MUST_PULL : NOT_PUSHED;
    }
    return missing;
}

/* A pull that somebody has waited for in vain is still to come: the remote hangs, and until
 * that is over, no other one begins. So nobody waits for a pull now. */
static bool is_hanging(struct app_vault *v)
{
    struct sync *sync = v->sync.sync;
    struct err ignored;
    uint64_t ticket = atomic_load(&v->sync.overdue);
    return ticket != 0 && sync_pulled_at(sync) <= atomic_load(&v->sync.overdue_asked) &&
           sync_answer(sync, ticket, &ignored) == SYNC_GOING_ON;
}

static void note_overdue(struct fresh_use *use)
{
    struct syncing *s = &use->vault->sync;
    atomic_store(&s->overdue_asked, use->asked);
    atomic_store(&s->overdue, use->ticket);
}

/* How the pull that was asked for has ended, or that it goes on: the round in which it was
 * made may still have to push. What was pushed before it began is here after it. */
static enum sync_answer pulled(const struct fresh_request *r, struct fresh_use *use)
{
    struct sync *sync = use->vault->sync.sync;
    struct err err;
    if (use->ticket == 0)
        return SYNC_SUCCEEDED;
    enum sync_answer answer = sync_pulled_at(sync) > use->asked
                                  ? SYNC_SUCCEEDED
                                  : sync_answer(sync, use->ticket, &err);
    if (answer == SYNC_GOING_ON) {
        if (is_late(r))
            note_overdue(use);
        return is_hanging(use->vault) ? SYNC_REFUSED : SYNC_GOING_ON;
    }
    use->ticket = 0;
    for (size_t i = 0; answer == SYNC_SUCCEEDED && i < use->n; i++)
        if (is_pushed(&use->marks[i]))
            known_learn(&use->vault->known, use->marks[i].commit);
    return answer;
}

static unsigned hold_more(struct fresh_request *r, struct fresh_use *use)
{
    struct err err;
    switch (pulled(r, use)) {
    case SYNC_GOING_ON:
        return FRESH_POLL_MS;
    case SYNC_REFUSED:
        atomic_store(&use->vault->known.doubted,
                     atomic_load(&use->vault->app->fresh->back_at));
        r->stale = true;
        return 0;
    case SYNC_SUCCEEDED:
        break;
    }
    switch (look_up(r, use)) {
    case NOTHING_MISSING:
        return 0;
    case NOT_PUSHED:
        return FRESH_POLL_MS;
    case MUST_PULL:
        use->asked = clock_ms();
        if (!is_hanging(use->vault) &&
            sync_ask(use->vault->sync.sync, &use->ticket, &err))
            return FRESH_POLL_MS;
        break;
    case UNKNOWN:
        break;
    }
    r->stale = true;
    return 0;
}

static struct fresh_use *use_of(struct fresh_request *r, struct app_vault *v)
{
    struct fresh_use *use = r->uses;
    while (use != NULL && use->vault != v)
        use = use->next;
    if (use != NULL)
        return use;
    use = ARENA_NEW(r->arena, struct fresh_use);
    *use = (struct fresh_use){.next = r->uses, .vault = v};
    r->uses = use;
    return use;
}

unsigned fresh_hold(struct fresh_request *r, struct app_vault *v)
{
    if (!is_kept(v))
        return 0;
    if (r->began == 0)
        r->began = clock_ms();
    struct fresh_use *use = use_of(r, v);
    unsigned ms = use->settled ? 0 : hold_more(r, use);
    use->settled = ms == 0;
    return ms;
}

void fresh_wait(struct fresh_request *r, struct app_vault *v, uint64_t end,
                bool (*stop)(void *arg), void *arg)
{
    unsigned ms = fresh_hold(r, v);
    if (ms > 0 && pool_leave()) {
        while (ms > 0 && clock_ms() < end && (stop == NULL || !stop(arg))) {
            thread_pause(ms * 1000);
            ms = fresh_hold(r, v);
        }
        pool_return();
    }
    r->stale |= ms > 0;
}

/* --- writing marks --- */

static bool is_marked(struct fresh *f, uint64_t id, uint64_t number)
{
    size_t at = id % FRESH_MARKED;
    mutex_lock(&f->lock);
    bool is = f->marked[at].mark == id && f->marked[at].number >= number;
    mutex_unlock(&f->lock);
    return is;
}

static void remember_mark(struct fresh *f, uint64_t id, uint64_t number)
{
    size_t at = id % FRESH_MARKED;
    mutex_lock(&f->lock);
    f->marked[at].mark = id;
    f->marked[at].number = number;
    mutex_unlock(&f->lock);
}

/* Also if nothing was changed here: a new clone may have more than an old one. */
static void mark(const struct fresh_use *use, str owner)
{
    const struct app_vault *v = use->vault;
    const struct app *app = v->app;
    uint64_t number = use->seen > 0 ? use->seen : atomic_load(&v->known.newest);
    str name = fresh_name(v);
    uint64_t id = known_id(owner) * 31 + (uintptr_t)v; /* not another of that name */
    struct err err = {0};
    if (is_marked(app->fresh, id, number))
        return;
    if (store_run(app->shared.store, SQL_MARK_PUT,
                  STORE_ARGS(STORE_S(name), STORE_S(owner),
                             STORE_S(str_c(app->shared.replica)), STORE_N(number),
                             STORE_N(clock_now())),
                  NULL, &err))
        remember_mark(app->fresh, id, number);
    else
        shared_not_stored(&err);
}

void fresh_settled(struct fresh_request *r, const struct app_vault *v)
{
    for (struct fresh_use *use = r->uses; use != NULL; use = use->next)
        if (use->vault == v)
            use->seen = atomic_load(&v->known.newest);
}

void fresh_saw(const struct fresh_request *r)
{
    for (const struct fresh_use *use = r->uses; use != NULL; use = use->next)
        mark(use, r->owner);
}
