#include "replica/read_your_writes.h"

#include "base/clock.h"
#include "base/lock.h"
#include "base/os/thread.h"
#include "base/pool.h"
#include "replica/replica.h"
#include "replica/replica_vault.h"
#include "replica/sql.h"
#include "state/store.h"

/* A replica from which the caller has had an answer about a vault: what it has seen
 * there, and what that replica has pushed since. */
struct ryw_mark {
    str vault, replica, commit;
    uint64_t seen, pushed;
};

/* A vault that a request uses. */
struct ryw_use {
    struct ryw_use *next;
    struct replica_vault *vault;
    bool settled;           /* it may be used */
    bool looked;            /* the marks were read */
    uint64_t seen;          /* ryw_settled(): the last change in the answer; or 0 */
    uint64_t ticket;        /* of a pull; 0: none was asked for */
    uint64_t asked;         /* when it was, by clock_ms() */
    struct ryw_mark *marks; /* as they were when the request began */
    size_t n;
};

static str writer_name(const struct replica_vault *v)
{
    return v->remote->name(v->arg);
}

static bool is_kept(const struct replica_vault *v)
{
    return v->replica != NULL && replica_is_shared(v->replica) &&
           v->remote->exists(v->arg);
}

/* --- what is here --- */

/* "COMMIT VAULT" */
bool ryw_level(struct replica_vault *v, str commit, uint64_t number)
{
    struct replica *s = v->replica;
    struct arena a = {0};
    struct err err = {0};
    if (s == NULL || !replica_is_shared(s))
        return true;
    replica_vault_level(v, commit);
    str name = writer_name(v), replica = str_c(s->name);
    bool ok = store_run(
        s->store, SQL_HEAD_PUT,
        STORE_ARGS(STORE_S(name), STORE_S(replica), STORE_N(number), STORE_S(commit)),
        NULL, &err);
    if (!ok)
        replica_not_stored(&err);
    replica_publish(
        s, RYW_TOPIC,
        arena_printf(&a, STR_FMT " " STR_FMT, STR_ARG(commit), STR_ARG(name)));
    arena_release(&a);
    return ok;
}

struct ryw *ryw_create(void)
{
    struct ryw *f = mem_zero(sizeof(*f));
    lock_init(&f->lock, LOCK_LEAF);
    return f;
}

void ryw_missed(struct replica *r)
{
    if (r->ryw != NULL)
        atomic_store(&r->ryw->back_at, clock_ms());
}

/* --- reading marks --- */

enum { MARK_VAULT, MARK_REPLICA, MARK_SEEN, MARK_PUSHED, MARK_COMMIT, MARK_COLUMNS };

static struct ryw_mark *take_marks(struct arena *a, const struct store_value *v, size_t n)
{
    struct ryw_mark *out = ARENA_ARRAY(a, struct ryw_mark, n + 1);
    for (size_t i = 0; i < n; i++, v += MARK_COLUMNS)
        out[i] = (struct ryw_mark){.vault = v[MARK_VAULT].s,
                                   .replica = v[MARK_REPLICA].s,
                                   .commit = v[MARK_COMMIT].s,
                                   .seen = (uint64_t)v[MARK_SEEN].n,
                                   .pushed = (uint64_t)v[MARK_PUSHED].n};
    return out;
}

/* Those of the caller about all vaults, once for a request. */
static bool read_all_marks(struct ryw_request *r, const struct replica *s)
{
    struct store_value *v;
    struct err err;
    str own = str_c(s->name);
    if (r->all != NULL)
        return true;
    if (!store_list(s->store, r->arena, SQL_MARK_LIST_ALL,
                    STORE_ARGS(STORE_S(r->owner), STORE_S(own)), &v, MARK_COLUMNS,
                    &r->n_all, &err))
        return false;
    r->all = take_marks(r->arena, v, r->n_all);
    return true;
}

static bool choose_marks(struct ryw_request *r, struct ryw_use *use)
{
    if (!read_all_marks(r, use->vault->replica))
        return false;
    use->marks = ARENA_ARRAY(r->arena, struct ryw_mark, r->n_all + 1);
    use->n = 0;
    for (size_t i = 0; i < r->n_all; i++)
        if (str_eq(r->all[i].vault, writer_name(use->vault)))
            use->marks[use->n++] = r->all[i];
    return true;
}

static bool list_marks(const struct ryw_request *r, const struct replica_vault *vault,
                       struct store_value **out, size_t *n)
{
    const struct replica *s = vault->replica;
    str name = writer_name(vault), own = str_c(s->name);
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

static bool query_marks(const struct ryw_request *r, const struct replica_vault *vault,
                        struct ryw_mark **out, size_t *n)
{
    struct store_value *v;
    if (!list_marks(r, vault, &v, n))
        return false;
    *out = take_marks(r->arena, v, *n);
    return true;
}

static bool is_pushed(const struct ryw_mark *m)
{
    return m->pushed >= m->seen;
}

/* Whether what was not pushed is pushed by now. What the caller has seen in other
 * requests meanwhile does not concern this one: it might wait for ever. */
static bool read_pushed(const struct ryw_request *r, struct ryw_use *use)
{
    struct ryw_mark *now;
    size_t n;
    if (!query_marks(r, use->vault, &now, &n))
        return false;
    for (struct ryw_mark *m = use->marks; m < use->marks + use->n; m++)
        for (size_t i = 0; i < n && !is_pushed(m); i++)
            if (str_eq(now[i].replica, m->replica)) {
                m->pushed = now[i].pushed;
                m->commit = now[i].commit;
            }
    return true;
}

static bool read_marks(struct ryw_request *r, struct ryw_use *use)
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

static bool read_your_writes_is_late(const struct ryw_request *r)
{
    return clock_ms() - r->began >= RYW_MS;
}

/* Since the last outage of the database, in which marks may have been lost, nothing was
 * pulled. That is waited for once. */
static enum missing look_back(struct ryw_request *r, struct ryw_use *use)
{
    const struct replica_vault *v = use->vault;
    uint64_t back = atomic_load(&v->replica->ryw->back_at);
    if (back == 0 || v->remote->pulled_at(v->arg) > back)
        return NOTHING_MISSING;
    if (atomic_load(&v->doubted) != back)
        return MUST_PULL;
    r->stale = true;
    return NOTHING_MISSING;
}

static enum missing read_your_writes_look_up(struct ryw_request *r, struct ryw_use *use)
{
    enum missing missing = look_back(r, use);
    struct replica_vault *c = use->vault;
    if (!read_marks(r, use))
        return UNKNOWN;
    for (size_t i = 0; i < use->n; i++) {
        const struct ryw_mark *m = &use->marks[i];
        bool pushed = is_pushed(m);
        if (pushed && replica_vault_has(c, m->commit))
            continue;
        if (read_your_writes_is_late(r))
            replica_vault_give_up(c, m->replica, m->seen, pushed);
        if (replica_vault_gave_up(c, m->replica, m->seen, pushed))
            r->stale = true;
        else
            missing = pushed && missing != NOT_PUSHED ? MUST_PULL : NOT_PUSHED;
    }
    return missing;
}

/* A pull that a request has waited for in vain is still to come: the remote hangs, and
 * until that is over, no other one begins. So no request waits for a pull now. */
static bool is_hanging(struct replica_vault *v)
{
    uint64_t ticket = atomic_load(&v->overdue);
    return ticket != 0 &&
           v->remote->pulled_at(v->arg) <= atomic_load(&v->overdue_asked) &&
           v->remote->answer(v->arg, ticket) == REPLICA_PULL_GOES_ON;
}

static void note_overdue(struct ryw_use *use)
{
    atomic_store(&use->vault->overdue_asked, use->asked);
    atomic_store(&use->vault->overdue, use->ticket);
}

/* How the pull that was asked for has ended, or that it goes on: the round in which it
 * was made may still have to push. What was pushed before it began is here after it. */
static enum replica_pull pulled(const struct ryw_request *r, struct ryw_use *use)
{
    const struct replica_remote *remote = use->vault->remote;
    void *arg = use->vault->arg;
    if (use->ticket == 0)
        return REPLICA_PULL_SUCCEEDED;
    enum replica_pull answer = remote->pulled_at(arg) > use->asked
                                   ? REPLICA_PULL_SUCCEEDED
                                   : remote->answer(arg, use->ticket);
    if (answer == REPLICA_PULL_GOES_ON) {
        if (read_your_writes_is_late(r))
            note_overdue(use);
        return is_hanging(use->vault) ? REPLICA_PULL_FAILED : REPLICA_PULL_GOES_ON;
    }
    use->ticket = 0;
    for (size_t i = 0; answer == REPLICA_PULL_SUCCEEDED && i < use->n; i++)
        if (is_pushed(&use->marks[i]))
            replica_vault_learn(use->vault, use->marks[i].commit);
    return answer;
}

static unsigned hold_more(struct ryw_request *r, struct ryw_use *use)
{
    switch (pulled(r, use)) {
    case REPLICA_PULL_GOES_ON:
        return RYW_POLL_MS;
    case REPLICA_PULL_FAILED:
        atomic_store(&use->vault->doubted,
                     atomic_load(&use->vault->replica->ryw->back_at));
        r->stale = true;
        return 0;
    case REPLICA_PULL_SUCCEEDED:
        break;
    }
    switch (read_your_writes_look_up(r, use)) {
    case NOTHING_MISSING:
        return 0;
    case NOT_PUSHED:
        return RYW_POLL_MS;
    case MUST_PULL:
        use->asked = clock_ms();
        if (!is_hanging(use->vault) &&
            use->vault->remote->pull(use->vault->arg, &use->ticket))
            return RYW_POLL_MS;
        break;
    case UNKNOWN:
        break;
    }
    r->stale = true;
    return 0;
}

static struct ryw_use *use_of(struct ryw_request *r, struct replica_vault *v)
{
    struct ryw_use *use = r->uses;
    while (use != NULL && use->vault != v)
        use = use->next;
    if (use != NULL)
        return use;
    use = ARENA_NEW(r->arena, struct ryw_use);
    *use = (struct ryw_use){.next = r->uses, .vault = v};
    r->uses = use;
    return use;
}

unsigned ryw_hold(struct ryw_request *r, struct replica_vault *v)
{
    if (!is_kept(v))
        return 0;
    if (r->began == 0)
        r->began = clock_ms();
    struct ryw_use *use = use_of(r, v);
    unsigned ms = use->settled ? 0 : hold_more(r, use);
    use->settled = ms == 0;
    return ms;
}

void ryw_wait(struct ryw_request *r, struct replica_vault *v, uint64_t end,
              bool (*stop)(void *arg), void *arg)
{
    unsigned ms = ryw_hold(r, v);
    if (ms > 0 && pool_leave()) {
        while (ms > 0 && clock_ms() < end && (stop == NULL || !stop(arg))) {
            thread_pause(ms * 1000);
            ms = ryw_hold(r, v);
        }
        pool_return();
    }
    r->stale |= ms > 0;
}

/* --- writing marks --- */

static bool is_marked(struct ryw *f, uint64_t id, uint64_t number)
{
    size_t at = id % RYW_MARKED;
    lock_take(&f->lock);
    bool is = f->marked[at].mark == id && f->marked[at].number >= number;
    lock_drop(&f->lock);
    return is;
}

static void remember_mark(struct ryw *f, uint64_t id, uint64_t number)
{
    size_t at = id % RYW_MARKED;
    lock_take(&f->lock);
    f->marked[at].mark = id;
    f->marked[at].number = number;
    lock_drop(&f->lock);
}

/* Also if nothing was changed here: a new clone may have more than an old one. */
static void mark_head(const struct ryw_use *use, str owner)
{
    const struct replica_vault *v = use->vault;
    const struct replica *s = v->replica;
    uint64_t number = use->seen > 0 ? use->seen : atomic_load(&v->newest);
    str name = writer_name(v);
    uint64_t id =
        replica_vault_id(owner) * 31 + (uintptr_t)v; /* not another of that name */
    struct err err = {0};
    if (is_marked(s->ryw, id, number))
        return;
    if (store_run(s->store, SQL_MARK_PUT,
                  STORE_ARGS(STORE_S(name), STORE_S(owner), STORE_S(str_c(s->name)),
                             STORE_N(number), STORE_N(clock_now())),
                  NULL, &err))
        remember_mark(s->ryw, id, number);
    else
        replica_not_stored(&err);
}

void ryw_settled(struct ryw_request *r, const struct replica_vault *v)
{
    for (struct ryw_use *use = r->uses; use != NULL; use = use->next)
        if (use->vault == v)
            use->seen = atomic_load(&v->newest);
}

void ryw_saw(const struct ryw_request *r)
{
    for (const struct ryw_use *use = r->uses; use != NULL; use = use->next)
        mark_head(use, r->owner);
}
