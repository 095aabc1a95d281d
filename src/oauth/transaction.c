#include "oauth/transaction.h"

#include "base/hash.h"
#include "base/os/thread.h"
#include "oauth/proof/seal.h"
#include "oauth/proof/secret.h"
#include "oauth/transaction_store.h"

struct transactions {
    struct store *shared; /* or NULL; then nothing below is used */
    struct mutex lock;
    struct transaction *newest; /* linked from newest to oldest */
    size_t n;
};

struct transactions *transactions_create(struct store *shared)
{
    struct transactions *t = mem_zero(sizeof(*t));
    t->shared = shared;
    mutex_init(&t->lock);
    return t;
}

void transaction_free(struct transaction *x)
{
    if (x == NULL)
        return;
    arena_release(&x->arena);
    free(x);
}

void transactions_free(struct transactions *t)
{
    if (t == NULL)
        return;
    while (t->newest != NULL) {
        struct transaction *x = t->newest;
        t->newest = x->next;
        transaction_free(x);
    }
    mutex_destroy(&t->lock);
    free(t);
}

struct transaction *transaction_new(str browser_cookie, str peer, int64_t now)
{
    struct transaction *x = mem_zero(sizeof(*x));
    x->handle = secret_new(&x->arena, STR(""));
    x->created = now;
    x->peer = hash_table(peer);
    transaction_bind(x, browser_cookie);
    transaction_renew(x);
    return x;
}

void transaction_bind(struct transaction *x, str browser_cookie)
{
    hash_sha256(browser_cookie, x->browser);
    seal_key(browser_cookie, STR("visit"), x->seal);
}

void transaction_renew(struct transaction *x)
{
    x->ticket = secret_new(&x->arena, STR(""));
}

/* --- the table: a list, newest first --- */

static bool is_over(const struct transaction *x, int64_t now)
{
    return now - x->created >= TRANSACTION_TTL_S;
}

static void drop_at(struct transactions *t, struct transaction **at)
{
    struct transaction *x = *at;
    *at = x->next;
    t->n--;
    transaction_free(x);
}

static void drop_over(struct transactions *t, int64_t now)
{
    struct transaction **at = &t->newest;
    while (*at != NULL)
        if (is_over(*at, now))
            drop_at(t, at);
        else
            at = &(*at)->next;
}

/* Drop the oldest transaction of this address if it has more than its share, else the
 * oldest of all. */
static void transaction_make_room(struct transactions *t, uint64_t peer)
{
    struct transaction **oldest = NULL, **own = NULL;
    size_t n_own = 0;
    for (struct transaction **at = &t->newest; *at != NULL; at = &(*at)->next) {
        oldest = at;
        if ((*at)->peer == peer) {
            own = at;
            n_own++;
        }
    }
    if (oldest != NULL)
        drop_at(t, n_own > TRANSACTIONS_PER_PEER ? own : oldest);
}

void transactions_put(struct transactions *t, struct transaction *x)
{
    if (t->shared != NULL) {
        transaction_store_put(t->shared, x);
        return;
    }
    mutex_lock(&t->lock);
    if (t->n >= TRANSACTIONS_MAX)
        drop_over(t, x->created);
    if (t->n >= TRANSACTIONS_MAX)
        transaction_make_room(t, x->peer);
    x->next = t->newest;
    t->newest = x;
    t->n++;
    mutex_unlock(&t->lock);
}

static bool is_of(const struct transaction *x, const uint8_t browser[HASH_SIZE])
{
    return hash_equal((str){(const char *)x->browser, HASH_SIZE},
                      (str){(const char *)browser, HASH_SIZE});
}

static str transaction_key_of(const struct transaction *x, enum transaction_key kind)
{
    switch (kind) {
    case BY_TICKET:
        return x->ticket;
    case BY_HANDLE:
        return x->handle;
    case BY_STATE:
        return x->trip.state;
    }
    return STR("");
}

struct transaction *transactions_take(struct transactions *t, enum transaction_key kind,
                                      str key, str browser_cookie,
                                      enum transaction_stage stage, int64_t now)
{
    uint8_t browser[HASH_SIZE];
    struct transaction *found = NULL;
    if (key.n == 0 || browser_cookie.n == 0)
        return NULL;
    if (t->shared != NULL)
        return transaction_store_take(t->shared, kind, key, browser_cookie, stage, now);
    hash_sha256(browser_cookie, browser);
    mutex_lock(&t->lock);
    drop_over(t, now);
    for (struct transaction **at = &t->newest; *at != NULL; at = &(*at)->next) {
        struct transaction *x = *at;
        if (x->stage == stage && hash_equal(transaction_key_of(x, kind), key) &&
            is_of(x, browser)) {
            *at = x->next;
            t->n--;
            found = x;
            break;
        }
    }
    mutex_unlock(&t->lock);
    return found;
}

bool transactions_know(struct transactions *t, str browser_cookie, int64_t now)
{
    uint8_t browser[HASH_SIZE];
    bool known = false;
    if (t->shared != NULL)
        return transaction_store_knows(t->shared, browser_cookie, now);
    hash_sha256(browser_cookie, browser);
    mutex_lock(&t->lock);
    for (const struct transaction *x = t->newest; x != NULL && !known; x = x->next)
        known = !is_over(x, now) && is_of(x, browser);
    mutex_unlock(&t->lock);
    return known;
}

void transactions_move(struct transactions *t, str from_cookie, str to_cookie)
{
    uint8_t from[HASH_SIZE], to[HASH_SIZE];
    if (t->shared != NULL) {
        transaction_store_move(t->shared, from_cookie, to_cookie);
        return;
    }
    hash_sha256(from_cookie, from);
    hash_sha256(to_cookie, to);
    mutex_lock(&t->lock);
    for (struct transaction *x = t->newest; x != NULL; x = x->next)
        if (is_of(x, from))
            memcpy(x->browser, to, sizeof(to));
    mutex_unlock(&t->lock);
}

size_t transactions_count(struct transactions *t)
{
    if (t->shared != NULL)
        return transaction_store_count(t->shared);
    mutex_lock(&t->lock);
    size_t n = t->n;
    mutex_unlock(&t->lock);
    return n;
}
