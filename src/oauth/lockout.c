#include "oauth/lockout.h"
#include "oauth/sql.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/log.h"
#include "http/address.h"
#include "replica/limiter.h"
#include "replica/shared_counter.h"
#include "state/store.h"

static const struct limiter_rule user_rule = {
    .limit = LOCKOUT_USER_FAILURES,
    .window_ms = LOCKOUT_WINDOW_S * 1000ULL,
    .penalty_ms = LOCKOUT_FIRST_S * 1000ULL,
    .penalty_max_ms = LOCKOUT_LONGEST_S * 1000ULL,
};

/* What the attempts of strangers count for. */
enum by {
    BY_PEER,
    BY_SITE,
    BY_NAME,
    BY_ALL,
    BY_NEW_SITE,
    NAME_RESERVE,
    ALL_RESERVE,
    BY_N
};

static const struct shared_counter counters[BY_N] = {
    [BY_PEER] = {"sign-ins of a network",
                 {.limit = LOCKOUT_PEER_FAILURES,
                  .window_ms = LOCKOUT_WINDOW_S * 1000ULL}},
    [BY_SITE] = {"sign-ins of a site",
                 {.limit = LOCKOUT_SITE_FAILURES,
                  .window_ms = LOCKOUT_WINDOW_S * 1000ULL}},
    [BY_NAME] = {"sign-ins of a name",
                 {.limit = LOCKOUT_NAME_FAILURES,
                  .window_ms = LOCKOUT_WINDOW_S * 1000ULL}},
    [BY_ALL] = {"sign-ins", {.limit = LOCKOUT_ALL_PER_MINUTE, .window_ms = 60000}},
    [BY_NEW_SITE] = {"a site without failures",
                     {.limit = 1, .window_ms = LOCKOUT_WINDOW_S * 1000ULL}},
    [NAME_RESERVE] = {"reserve of a name",
                      {.limit = 1, .window_ms = LOCKOUT_NAME_RESERVE_S * 1000ULL}},
    [ALL_RESERVE] = {"reserve", {.limit = LOCKOUT_ALL_RESERVE, .window_ms = 60000}},
};

struct lockout {
    struct limiter *users; /* by name and network, or by browser */
    struct limiter *by[BY_N];
    struct store *shared; /* NULL: no other process counts */
};

struct lockout *lockout_create(void)
{
    struct lockout *l = mem_zero(sizeof(*l));
    l->users = limiter_create(&user_rule);
    for (size_t i = 0; i < BY_N; i++)
        l->by[i] = limiter_create(&counters[i].rule);
    return l;
}

void lockout_free(struct lockout *l)
{
    if (l == NULL)
        return;
    limiter_free(l->users);
    for (size_t i = 0; i < BY_N; i++)
        limiter_free(l->by[i]);
    free(l);
}

void lockout_share(struct lockout *l, struct store *s)
{
    l->shared = s;
}

/* --- which counts an attempt needs --- */

/* The keys of an attempt, in an arena. */
struct keys {
    struct arena arena;
    str user, by[BY_N];
};

static void make_keys(const struct lockout_try *t, struct keys *k)
{
    char room[NET_TEXT_SIZE];
    *k = (struct keys){0};
    str network = arena_str(&k->arena, http_address_network(t->peer, room));
    str site = arena_str(&k->arena, http_address_site(t->peer, room));
    k->user = t->device.n > 0 ? arena_printf(&k->arena, "\n" STR_FMT, STR_ARG(t->device))
                              : arena_printf(&k->arena, STR_FMT "\n" STR_FMT,
                                             STR_ARG(network), STR_ARG(t->user));
    k->by[BY_PEER] = network;
    k->by[BY_SITE] = k->by[BY_NEW_SITE] = site;
    k->by[BY_NAME] = k->by[NAME_RESERVE] = t->user;
    k->by[BY_ALL] = k->by[ALL_RESERVE] = STR("");
}

/* Where is counted: here, or in the store, or only looked at there. */
struct ledger {
    struct lockout *lockout;
    const struct keys *keys;
    uint64_t now_ms;
    bool (*count)(const struct ledger *l, enum by by, uint64_t *wait_ms, struct err *err);
    unsigned taken; /* bits of enum by */
};

/* False: the store failed. *wait_ms > 0: it is used up. */
static bool take(struct ledger *l, enum by by, uint64_t *wait_ms, struct err *err)
{
    *wait_ms = 0;
    if (!l->count(l, by, wait_ms, err))
        return false;
    if (*wait_ms == 0)
        l->taken |= 1U << by;
    return true;
}

/* The ordinary count, or else the reserve, which is for sites without failures. */
static bool take_one_of(struct ledger *l, enum by by, enum by reserve, uint64_t *wait_ms,
                        struct err *err)
{
    if (!take(l, by, wait_ms, err))
        return false;
    bool is_new = (l->taken & 1U << BY_NEW_SITE) != 0;
    return *wait_ms == 0 || !is_new || take(l, reserve, wait_ms, err);
}

static bool take_stranger(struct ledger *l, uint64_t *wait_ms, struct err *err)
{
    return take(l, BY_NEW_SITE, wait_ms, err) && take(l, BY_PEER, wait_ms, err) &&
           (*wait_ms > 0 || take(l, BY_SITE, wait_ms, err)) &&
           (*wait_ms > 0 || take_one_of(l, BY_NAME, NAME_RESERVE, wait_ms, err)) &&
           (*wait_ms > 0 || take_one_of(l, BY_ALL, ALL_RESERVE, wait_ms, err));
}

/* --- here --- */

static bool count_here(const struct ledger *l, enum by by, uint64_t *wait_ms,
                       struct err *err)
{
    if (limiter_take(l->lockout->by[by], l->keys->by[by], l->now_ms, wait_ms))
        *wait_ms = 0;
    else if (*wait_ms == 0)
        *wait_ms = 1;
    return true;
}

static void give_back_here(struct lockout *l, const struct keys *k, unsigned taken,
                           uint64_t now_ms)
{
    for (unsigned i = 0; i < BY_N; i++)
        if ((taken & 1U << i) != 0)
            limiter_give_back(l->by[i], k->by[i], now_ms);
}

static bool begin_here(struct lockout *l, struct lockout_try *t, const struct keys *k,
                       uint64_t now_ms, uint64_t *wait_ms)
{
    struct ledger ledger = {l, k, now_ms, count_here, 0};
    struct err ignored;
    *wait_ms = 0;
    if (t->device.n == 0)
        (void)!take_stranger(&ledger, wait_ms, &ignored);
    if (*wait_ms == 0 && limiter_take(l->users, k->user, now_ms, wait_ms)) {
        t->taken = ledger.taken;
        return true;
    }
    give_back_here(l, k, ledger.taken, now_ms);
    return false;
}

static void end_here(struct lockout *l, const struct lockout_try *t, const struct keys *k,
                     uint64_t now_ms, enum lockout_end how)
{
    give_back_here(l, k, t->taken, now_ms);
    if (how == LOCKOUT_SIGNED_IN)
        limiter_clear(l->users, k->user);
    else
        limiter_give_back(l->users, k->user, now_ms);
}

/* --- together with other servers --- */

/* Only a hash is stored: people type passwords where names belong. */
struct attempts {
    uint8_t key[HASH_SIZE];
    int64_t failures, seen, until; /* seconds since 1970 */
};

static bool read_attempts(struct lockout *l, str user, struct attempts *out,
                          struct err *err)
{
    struct arena a = {0};
    struct store_value v[3];
    *out = (struct attempts){0};
    hash_sha256(user, out->key);
    bool found = store_get(l->shared, &a, SQL_LOCKOUT_GET,
                           STORE_ARGS(STORE_B(out->key, HASH_SIZE)), v, 3, err);
    arena_release(&a);
    if (found) {
        out->failures = v[0].n;
        out->seen = v[1].n;
        out->until = v[2].n;
    }
    return found || err->code == ERR_NOT_FOUND;
}

static bool write_attempts(struct lockout *l, const struct attempts *t, struct err *err)
{
    return store_run(l->shared, SQL_LOCKOUT_PUT,
                     STORE_ARGS(STORE_B(t->key, HASH_SIZE), STORE_N(t->failures),
                                STORE_N(t->seen), STORE_N(t->until)),
                     NULL, err);
}

/* One more; after the last one that is allowed, the user has to wait. */
static void count_attempt(struct attempts *t, int64_t now)
{
    int64_t wait = LOCKOUT_FIRST_S;
    if (t->seen + LOCKOUT_WINDOW_S < now)
        t->failures = 0;
    t->failures++;
    t->seen = now;
    for (int64_t i = LOCKOUT_USER_FAILURES; i < t->failures && wait < LOCKOUT_LONGEST_S;
         i++)
        wait *= 2;
    if (t->failures >= LOCKOUT_USER_FAILURES)
        t->until = now + (wait < LOCKOUT_LONGEST_S ? wait : LOCKOUT_LONGEST_S);
}

/* No lockout is longer than that, unless the clock is wrong. */
static uint64_t user_wait_ms(const struct attempts *t, int64_t now)
{
    bool waits = t->until > now && t->until <= now + 2 * LOCKOUT_LONGEST_S;
    return waits ? (uint64_t)(t->until - now) * 1000 : 0;
}

static bool look_at_user(struct lockout *l, str user, uint64_t *wait_ms, struct err *err)
{
    struct attempts t;
    if (!read_attempts(l, user, &t, err))
        return false;
    *wait_ms = user_wait_ms(&t, clock_now());
    return true;
}

static bool count_user(struct lockout *l, str user, uint64_t *wait_ms, struct err *err)
{
    struct attempts t;
    int64_t now = clock_now();
    if (!read_attempts(l, user, &t, err))
        return false;
    *wait_ms = user_wait_ms(&t, now);
    if (*wait_ms > 0)
        return true;
    count_attempt(&t, now);
    return write_attempts(l, &t, err);
}

static bool look_together(const struct ledger *l, enum by by, uint64_t *wait_ms,
                          struct err *err)
{
    return shared_counter_look(l->lockout->shared, &counters[by], l->keys->by[by],
                               wait_ms, err);
}

static bool count_together(const struct ledger *l, enum by by, uint64_t *wait_ms,
                           struct err *err)
{
    return shared_counter_take(l->lockout->shared, &counters[by], l->keys->by[by],
                               wait_ms, err);
}

/* Whether one of the limits is already reached. This refuses attackers cheaply, so they
 * do not cost all servers a transaction each time. */
static bool look_at_all(struct ledger *l, bool stranger, uint64_t *wait_ms,
                        struct err *err)
{
    l->count = look_together;
    return (!stranger || take_stranger(l, wait_ms, err)) &&
           (*wait_ms > 0 || look_at_user(l->lockout, l->keys->user, wait_ms, err));
}

/* All of them, or (*wait_ms > 0, or false) none of them is to be kept. */
static bool lockout_count_all(struct ledger *l, bool stranger, uint64_t *wait_ms,
                              struct err *err)
{
    l->count = count_together;
    l->taken = 0;
    return (!stranger || take_stranger(l, wait_ms, err)) &&
           (*wait_ms > 0 || count_user(l->lockout, l->keys->user, wait_ms, err));
}

/* False: *wait_ms says how long to wait; 0: the store does not answer. */
static bool begin_together(struct lockout *l, struct lockout_try *t, const struct keys *k,
                           uint64_t *wait_ms)
{
    struct ledger ledger = {.lockout = l, .keys = k};
    struct err err = {0};
    bool stranger = t->device.n == 0;
    *wait_ms = 0;
    if (!look_at_all(&ledger, stranger, wait_ms, &err) || *wait_ms > 0 ||
        !store_begin(l->shared, SHARED_COUNTER_LOCK, &err))
        return false;
    bool ok = lockout_count_all(&ledger, stranger, wait_ms, &err);
    t->taken_together = ledger.taken;
    if (store_end(l->shared, ok && *wait_ms == 0, &err))
        return true;
    *wait_ms = ok ? *wait_ms : 0;
    return false;
}

static bool give_user_back(struct lockout *l, str user, enum lockout_end how,
                           struct err *err)
{
    struct attempts t;
    if (!read_attempts(l, user, &t, err))
        return false;
    if (how == LOCKOUT_SIGNED_IN)
        return store_run(l->shared, SQL_LOCKOUT_DROP,
                         STORE_ARGS(STORE_B(t.key, HASH_SIZE)), NULL, err);
    t.failures -= t.failures > 0 ? 1 : 0;
    t.until = 0;
    return write_attempts(l, &t, err);
}

static bool give_back_together(struct lockout *l, const struct keys *k, unsigned taken,
                               struct err *err)
{
    for (unsigned i = 0; i < BY_N; i++)
        if ((taken & 1U << i) != 0 &&
            !shared_counter_give_back(l->shared, &counters[i], k->by[i], err))
            return false;
    return true;
}

static void end_together(struct lockout *l, const struct lockout_try *t,
                         const struct keys *k, enum lockout_end how)
{
    struct err err = {0};
    if (!store_begin(l->shared, SHARED_COUNTER_LOCK, &err) ||
        !store_end(l->shared,
                   give_user_back(l, k->user, how, &err) &&
                       give_back_together(l, k, t->taken_together, &err),
                   &err))
        log_event(LOG_WARN, "oauth.store", LOG_STR("error", str_c(err.msg)),
                  LOG_STR("detail", str_c(err.detail)));
}

/* --- */

bool lockout_begin(struct lockout *l, struct lockout_try *t, uint64_t now_ms,
                   unsigned *retry_after)
{
    struct keys k;
    uint64_t wait_ms;
    make_keys(t, &k);
    bool ok = begin_here(l, t, &k, now_ms, &wait_ms);
    if (ok && l->shared != NULL && !begin_together(l, t, &k, &wait_ms)) {
        end_here(l, t, &k, now_ms, LOCKOUT_NOT_TRIED);
        ok = false;
    }
    if (!ok)
        *retry_after = (unsigned)((wait_ms + 999) / 1000);
    arena_release(&k.arena);
    return ok;
}

void lockout_end(struct lockout *l, struct lockout_try *t, uint64_t now_ms,
                 enum lockout_end how)
{
    struct keys k;
    if (how == LOCKOUT_FAILED)
        return;
    make_keys(t, &k);
    end_here(l, t, &k, now_ms, how);
    if (l->shared != NULL)
        end_together(l, t, &k, how);
    arena_release(&k.arena);
}
