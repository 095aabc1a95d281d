#include "oauth/lockout.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/log.h"
#include "http/address.h"
#include "oauth/limiter.h"
#include "state/store.h"

static const struct limiter_rule user_rule = {
    .limit = LOCKOUT_USER_FAILURES,
    .window_ms = LOCKOUT_WINDOW_S * 1000ULL,
    .penalty_ms = LOCKOUT_FIRST_S * 1000ULL,
    .penalty_max_ms = LOCKOUT_LONGEST_S * 1000ULL,
};
static const struct limiter_rule peer_rule = {
    .limit = LOCKOUT_PEER_FAILURES,
    .window_ms = LOCKOUT_WINDOW_S * 1000ULL,
};
static const struct limiter_rule all_rule = {
    .limit = LOCKOUT_ALL_PER_MINUTE,
    .window_ms = 60 * 1000ULL,
};

struct lockout {
    struct limiter *users, *peers, *all;
    struct store *shared; /* NULL: nobody else counts */
};

struct lockout *lockout_create(void)
{
    struct lockout *l = mem_zero(sizeof(*l));
    l->users = limiter_create(&user_rule);
    l->peers = limiter_create(&peer_rule);
    l->all = limiter_create(&all_rule);
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

static bool begin_together(struct lockout *l, str user, unsigned *retry_after)
{
    struct attempts t;
    struct err err = {0};
    int64_t now = clock_now();
    *retry_after = 0;
    if (!store_begin(l->shared, &err))
        return false;
    if (!read_attempts(l, user, &t, &err) || t.until > now) {
        store_rollback(l->shared);
        if (t.until > now)
            *retry_after = (unsigned)(t.until - now);
        return false;
    }
    count_attempt(&t, now);
    if (write_attempts(l, &t, &err))
        return store_commit(l->shared, &err);
    store_rollback(l->shared);
    return false;
}

static void end_together(struct lockout *l, str user, enum lockout_end how)
{
    struct attempts t;
    struct err err = {0};
    bool ok = read_attempts(l, user, &t, &err);
    if (ok && how == LOCKOUT_SIGNED_IN) {
        ok = store_run(l->shared, SQL_LOCKOUT_DROP, STORE_ARGS(STORE_B(t.key, HASH_SIZE)),
                       NULL, &err);
    } else if (ok && t.failures > 0) {
        t.failures--;
        t.until = 0;
        ok = write_attempts(l, &t, &err);
    }
    if (!ok)
        log_event(LOG_WARN, "oauth.store", LOG_STR("error", str_c(err.msg)),
                  LOG_STR("detail", str_c(err.detail)));
}

/* --- */

bool lockout_begin(struct lockout *l, str user, str peer, uint64_t now_ms,
                   unsigned *retry_after)
{
    if (!begin_here(l, user, peer, now_ms, retry_after))
        return false;
    if (l->shared == NULL || begin_together(l, user, retry_after))
        return true;
    end_here(l, user, peer, now_ms, LOCKOUT_NOT_TRIED);
    return false;
}

void lockout_end(struct lockout *l, str user, str peer, uint64_t now_ms,
                 enum lockout_end how)
{
    if (how == LOCKOUT_FAILED)
        return;
    end_here(l, user, peer, now_ms, how);
    if (l->shared != NULL)
        end_together(l, user, how);
}
