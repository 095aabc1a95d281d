#include "oauth/lockout.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/log.h"
#include "http/address.h"
#include "oauth/limiter.h"
#include "oauth/tally.h"
#include "state/store.h"

static const struct limiter_rule user_rule = {
    .limit = LOCKOUT_USER_FAILURES,
    .window_ms = LOCKOUT_WINDOW_S * 1000ULL,
    .penalty_ms = LOCKOUT_FIRST_S * 1000ULL,
    .penalty_max_ms = LOCKOUT_LONGEST_S * 1000ULL,
};
static const struct tally peer_tally = {
    "sign-ins of a network",
    {.limit = LOCKOUT_PEER_FAILURES, .window_ms = LOCKOUT_WINDOW_S * 1000ULL}};
static const struct tally all_tally = {
    "sign-ins", {.limit = LOCKOUT_ALL_PER_MINUTE, .window_ms = 60 * 1000ULL}};

struct lockout {
    struct limiter *users, *peers, *all;
    struct store *shared; /* NULL: nobody else counts */
};

struct lockout *lockout_create(void)
{
    struct lockout *l = mem_zero(sizeof(*l));
    l->users = limiter_create(&user_rule);
    l->peers = limiter_create(&peer_tally.rule);
    l->all = limiter_create(&all_tally.rule);
    return l;
}

void lockout_free(struct lockout *l)
{
    if (l == NULL)
        return;
    limiter_free(l->users);
    limiter_free(l->peers);
    limiter_free(l->all);
    free(l);
}

void lockout_share(struct lockout *l, struct store *s)
{
    l->shared = s;
}

static bool begin_here(struct lockout *l, str user, str peer, uint64_t now_ms,
                       unsigned *retry_after)
{
    char room[NET_TEXT_SIZE];
    str network = http_address_network(peer, room);
    uint64_t wait = 0;
    bool ok = limiter_take(l->all, STR(""), now_ms, &wait);
    if (ok && !limiter_take(l->peers, network, now_ms, &wait)) {
        limiter_give_back(l->all, STR(""), now_ms);
        ok = false;
    }
    if (ok && !limiter_take(l->users, user, now_ms, &wait)) {
        limiter_give_back(l->all, STR(""), now_ms);
        limiter_give_back(l->peers, network, now_ms);
        ok = false;
    }
    if (!ok)
        *retry_after = (unsigned)((wait + 999) / 1000);
    return ok;
}

static void end_here(struct lockout *l, str user, str peer, uint64_t now_ms,
                     enum lockout_end how)
{
    char room[NET_TEXT_SIZE];
    limiter_give_back(l->all, STR(""), now_ms);
    limiter_give_back(l->peers, http_address_network(peer, room), now_ms);
    if (how == LOCKOUT_SIGNED_IN)
        limiter_clear(l->users, user);
    else
        limiter_give_back(l->users, user, now_ms);
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

/* Nobody is locked out for longer than that, unless by a clock that is wrong. */
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

/* Whether one of the limits is reached already. Those who guess are refused by this, and do
 * not make all servers wait for a transaction each time. */
static bool look_at_all(struct lockout *l, str user, str network, uint64_t *wait_ms,
                        struct err *err)
{
    return tally_look(l->shared, &all_tally, STR(""), wait_ms, err) &&
           (*wait_ms > 0 || tally_look(l->shared, &peer_tally, network, wait_ms, err)) &&
           (*wait_ms > 0 || look_at_user(l, user, wait_ms, err));
}

/* All three, or (*wait_ms > 0, or false) none of them is to be kept. */
static bool count_all(struct lockout *l, str user, str network, uint64_t *wait_ms,
                      struct err *err)
{
    return tally_take(l->shared, &all_tally, STR(""), wait_ms, err) &&
           (*wait_ms > 0 || tally_take(l->shared, &peer_tally, network, wait_ms, err)) &&
           (*wait_ms > 0 || count_user(l, user, wait_ms, err));
}

/* False: *wait_ms says how long to wait; 0: the store does not answer. */
static bool begin_together(struct lockout *l, str user, str network, uint64_t *wait_ms)
{
    struct err err = {0};
    *wait_ms = 0;
    if (!look_at_all(l, user, network, wait_ms, &err) || *wait_ms > 0 ||
        !store_begin(l->shared, &err))
        return false;
    bool ok = count_all(l, user, network, wait_ms, &err);
    if (ok && *wait_ms == 0)
        return store_commit(l->shared, &err);
    store_rollback(l->shared);
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

static void end_together(struct lockout *l, str user, str peer, enum lockout_end how)
{
    char room[NET_TEXT_SIZE];
    struct err err = {0};
    bool begun = store_begin(l->shared, &err);
    bool ok =
        begun && give_user_back(l, user, how, &err) &&
        tally_give_back(l->shared, &peer_tally, http_address_network(peer, room), &err) &&
        tally_give_back(l->shared, &all_tally, STR(""), &err);
    if (ok)
        ok = store_commit(l->shared, &err);
    else if (begun)
        store_rollback(l->shared);
    if (!ok)
        log_event(LOG_WARN, "oauth.store", LOG_STR("error", str_c(err.msg)),
                  LOG_STR("detail", str_c(err.detail)));
}

/* --- */

bool lockout_begin(struct lockout *l, str user, str peer, uint64_t now_ms,
                   unsigned *retry_after)
{
    char room[NET_TEXT_SIZE];
    uint64_t wait_ms;
    if (!begin_here(l, user, peer, now_ms, retry_after))
        return false;
    if (l->shared == NULL ||
        begin_together(l, user, http_address_network(peer, room), &wait_ms))
        return true;
    end_here(l, user, peer, now_ms, LOCKOUT_NOT_TRIED);
    *retry_after = (unsigned)((wait_ms + 999) / 1000);
    return false;
}

void lockout_end(struct lockout *l, str user, str peer, uint64_t now_ms,
                 enum lockout_end how)
{
    if (how == LOCKOUT_FAILED)
        return;
    end_here(l, user, peer, now_ms, how);
    if (l->shared != NULL)
        end_together(l, user, peer, how);
}
