#include "app/setup/fresh.h"

#include "app/setup/app.h"
#include "app/setup/shared.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/log.h"
#include "state/store.h"
#include "sync/sync.h"

/* A replica from which the caller has had an answer: what it has seen there, and what that
 * replica has pushed since. */
struct mark {
    str replica, commit;
    uint64_t seen, pushed;
};

/* Kept between the runs of a request. */
struct holding {
    uint64_t began, ticket; /* ticket 0: no pull was asked for */
    struct mark *marks;     /* as they were then */
    size_t n;
};

/* The vault that marks are about. */
static const str VAULT = {"", 0};

str fresh_vault(const struct app_vault *v)
{
    return v == v->app->vaults ? VAULT : v->name;
}

void fresh_made(struct app_vault *v, uint64_t number)
{
    if (v == v->app->vaults)
        atomic_store(&v->app->fresh->newest, number);
}

/* --- commits that are here --- */

bool fresh_has(struct fresh *f, str commit)
{
    bool found = false;
    mutex_lock(&f->lock);
    for (size_t i = 0; i < FRESH_KNOWN && i < f->n_known && !found; i++)
        found = str_eq(str_c(f->known[i]), commit);
    mutex_unlock(&f->lock);
    return found;
}

static void know(struct fresh *f, str commit)
{
    if (commit.n >= FRESH_ID || fresh_has(f, commit))
        return;
    mutex_lock(&f->lock);
    char *at = f->known[f->n_known++ % FRESH_KNOWN];
    memcpy(at, commit.p, commit.n);
    at[commit.n] = '\0';
    mutex_unlock(&f->lock);
}

void fresh_level(struct app_vault *v, str commit, uint64_t number)
{
    struct shared *s = &v->app->shared;
    struct err err = {0};
    if (!shared_is_on(s))
        return;
    know(v->app->fresh, commit);
    str replica = str_c(s->replica);
    if (!store_run(s->store, SQL_HEAD_PUT,
                   STORE_ARGS(STORE_S(fresh_vault(v)), STORE_S(replica), STORE_N(number),
                              STORE_S(commit)),
                   NULL, &err))
        log_event(LOG_WARN, "not_shared", LOG_STR("error", str_c(err.msg)),
                  LOG_STR("detail", str_c(err.detail)));
    shared_tell(s, FEED_CHANGED, commit);
}

/* --- replicas that are not waited for --- */

static uint64_t *gone_number(struct fresh *f, str replica, bool add)
{
    for (size_t i = 0; i < FRESH_GONE && i < f->n_gone; i++)
        if (str_eq(str_c(f->gone[i].replica), replica))
            return &f->gone[i].number;
    if (!add || replica.n >= FRESH_ID)
        return NULL;
    size_t at = f->n_gone++ % FRESH_GONE;
    memcpy(f->gone[at].replica, replica.p, replica.n);
    f->gone[at].replica[replica.n] = '\0';
    return &f->gone[at].number;
}

static bool is_given_up(struct fresh *f, str replica, uint64_t number)
{
    mutex_lock(&f->lock);
    const uint64_t *at = gone_number(f, replica, false);
    bool is = at != NULL && number <= *at;
    mutex_unlock(&f->lock);
    return is;
}

static void give_up(struct fresh *f, str replica, uint64_t number)
{
    mutex_lock(&f->lock);
    uint64_t *at = gone_number(f, replica, true);
    if (at != NULL)
        *at = number;
    mutex_unlock(&f->lock);
}

/* --- marks --- */

static str owner_of(const struct mcp_caller *caller, str session)
{
    return caller->owner.n > 0 ? caller->owner : session;
}

/* What is missing here of what the caller has seen. */
enum missing { NOTHING_MISSING, MUST_PULL, NOT_PUSHED, UNKNOWN };

static bool read_marks(struct app *app, struct arena *a, str owner, struct mark **out,
                       size_t *n)
{
    enum { REPLICA, SEEN, PUSHED, COMMIT, COLUMNS };
    struct store_value *v;
    struct err err;
    if (!store_list(app->shared.store, a, SQL_MARK_LIST,
                    STORE_ARGS(STORE_S(VAULT), STORE_S(owner),
                               STORE_S(str_c(app->shared.replica))),
                    &v, COLUMNS, n, &err))
        return false;
    *out = ARENA_ARRAY(a, struct mark, *n + 1);
    for (size_t i = 0; i < *n; i++, v += COLUMNS)
        (*out)[i] = (struct mark){v[REPLICA].s, v[COMMIT].s, (uint64_t)v[SEEN].n,
                                  (uint64_t)v[PUSHED].n};
    return true;
}

static enum missing look_up(struct app *app, struct arena *a, str owner,
                            struct holding *h, bool *stale)
{
    struct fresh *f = app->fresh;
    enum missing missing = NOTHING_MISSING;
    bool late = clock_ms() - h->began >= FRESH_MS;
    if (!read_marks(app, a, owner, &h->marks, &h->n))
        return UNKNOWN;
    for (size_t i = 0; i < h->n; i++) {
        const struct mark *m = &h->marks[i];
        bool pushed = m->pushed >= m->seen;
        if (pushed && fresh_has(f, m->commit))
            continue;
        if (late)
            give_up(f, m->replica, m->seen);
        if (is_given_up(f, m->replica, m->seen))
            *stale = true;
        else
            missing = pushed && missing != NOT_PUSHED ? MUST_PULL : NOT_PUSHED;
    }
    return missing;
}

/* The pull that was asked for: whether it goes on. What was pushed before it began is here
 * after it. */
static bool is_pulling(struct app *app, struct holding *h, bool *stale)
{
    struct err err;
    enum sync_answer answer =
        h->ticket == 0 ? SYNC_SUCCEEDED
                       : sync_answer(app->vaults[0].sync.sync, h->ticket, &err);
    if (answer == SYNC_GOING_ON && clock_ms() - h->began < FRESH_MS)
        return true;
    *stale = *stale || answer != SYNC_SUCCEEDED;
    for (size_t i = 0; h->ticket > 0 && answer == SYNC_SUCCEEDED && i < h->n; i++)
        if (h->marks[i].pushed >= h->marks[i].seen)
            know(app->fresh, h->marks[i].commit);
    h->ticket = 0;
    return false;
}

unsigned fresh_hold(void *arg, struct arena *a, const struct mcp_caller *caller,
                    str session, void **kept, bool *stale)
{
    struct app *app = arg;
    struct holding *h = *kept;
    struct err err;
    if (h == NULL) {
        *kept = h = ARENA_NEW(a, struct holding);
        *h = (struct holding){.began = clock_ms()};
    }
    *stale = false;
    if (is_pulling(app, h, stale))
        return FRESH_POLL_MS;
    if (*stale)
        return 0;
    switch (look_up(app, a, owner_of(caller, session), h, stale)) {
    case NOTHING_MISSING:
        return 0;
    case MUST_PULL:
        if (sync_ask(app->vaults[0].sync.sync, &h->ticket, &err))
            return FRESH_POLL_MS;
        break;
    case NOT_PUSHED:
        return FRESH_POLL_MS;
    case UNKNOWN:
        break;
    }
    *stale = true;
    return 0;
}

/* Whether the caller's mark must be written; it then counts as written. */
static bool is_new_mark(struct fresh *f, str owner, uint64_t number)
{
    uint64_t id = hash_content(owner).high | 1;
    size_t at = id / 2 % FRESH_OWNERS;
    mutex_lock(&f->lock);
    bool is_new = f->marked[at].owner != id || f->marked[at].number < number;
    f->marked[at].owner = id;
    f->marked[at].number = number;
    mutex_unlock(&f->lock);
    return is_new;
}

void fresh_saw(void *arg, const struct mcp_caller *caller, str session)
{
    struct app *app = arg;
    uint64_t number = atomic_load(&app->fresh->newest);
    str owner = owner_of(caller, session);
    struct err err = {0};
    if (number == 0 || !is_new_mark(app->fresh, owner, number))
        return;
    if (!store_run(app->shared.store, SQL_MARK_PUT,
                   STORE_ARGS(STORE_S(VAULT), STORE_S(owner),
                              STORE_S(str_c(app->shared.replica)), STORE_N(number),
                              STORE_N(clock_now())),
                   NULL, &err))
        log_event(LOG_WARN, "not_shared", LOG_STR("error", str_c(err.msg)),
                  LOG_STR("detail", str_c(err.detail)));
}
