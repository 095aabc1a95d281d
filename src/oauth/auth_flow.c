#include "oauth/auth_flow.h"

#include "base/hash.h"
#include "base/lock.h"
#include "oauth/auth_flow_store.h"
#include "oauth/proof/seal.h"
#include "oauth/proof/secret.h"

struct auth_flows {
    struct store *shared; /* or NULL; then nothing below is used */
    struct lock lock;
    struct auth_flow *newest; /* linked from newest to oldest */
    size_t n;
};

struct auth_flows *auth_flows_create(struct store *shared)
{
    struct auth_flows *t = mem_zero(sizeof(*t));
    t->shared = shared;
    lock_init(&t->lock, LOCK_LEAF);
    return t;
}

void auth_flow_free(struct auth_flow *x)
{
    if (x == NULL)
        return;
    arena_release(&x->arena);
    free(x);
}

void auth_flows_free(struct auth_flows *t)
{
    if (t == NULL)
        return;
    while (t->newest != NULL) {
        struct auth_flow *x = t->newest;
        t->newest = x->next;
        auth_flow_free(x);
    }
    lock_release(&t->lock);
    free(t);
}

struct auth_flow *auth_flow_new(str browser_cookie, str peer, int64_t now)
{
    struct auth_flow *x = mem_zero(sizeof(*x));
    x->handle = secret_new(&x->arena, STR(""));
    x->created = now;
    x->peer = hash_table(peer);
    auth_flow_bind(x, browser_cookie);
    auth_flow_renew(x);
    return x;
}

void auth_flow_bind(struct auth_flow *x, str browser_cookie)
{
    hash_sha256(browser_cookie, x->browser);
    seal_key(browser_cookie, STR("visit"), x->seal);
}

void auth_flow_renew(struct auth_flow *x)
{
    x->ticket = secret_new(&x->arena, STR(""));
}

/* --- the table: a list, newest first --- */

static bool auth_flow_is_over(const struct auth_flow *x, int64_t now)
{
    return now - x->created >= AUTH_FLOW_TTL_S;
}

static void drop_at(struct auth_flows *t, struct auth_flow **at)
{
    struct auth_flow *x = *at;
    *at = x->next;
    t->n--;
    auth_flow_free(x);
}

static void drop_over(struct auth_flows *t, int64_t now)
{
    struct auth_flow **at = &t->newest;
    while (*at != NULL)
        if (auth_flow_is_over(*at, now))
            drop_at(t, at);
        else
            at = &(*at)->next;
}

/* Drop the oldest auth flow of this address if it has more than its share, else the
 * oldest of all. */
static void auth_flow_make_room(struct auth_flows *t, uint64_t peer)
{
    struct auth_flow **oldest = NULL, **own = NULL;
    size_t n_own = 0;
    for (struct auth_flow **at = &t->newest; *at != NULL; at = &(*at)->next) {
        oldest = at;
        if ((*at)->peer == peer) {
            own = at;
            n_own++;
        }
    }
    if (oldest != NULL)
        drop_at(t, n_own > AUTH_FLOWS_PER_PEER ? own : oldest);
}

void auth_flows_put(struct auth_flows *t, struct auth_flow *x)
{
    if (t->shared != NULL) {
        auth_flow_store_put(t->shared, x);
        return;
    }
    lock_take(&t->lock);
    if (t->n >= AUTH_FLOWS_MAX)
        drop_over(t, x->created);
    if (t->n >= AUTH_FLOWS_MAX)
        auth_flow_make_room(t, x->peer);
    x->next = t->newest;
    t->newest = x;
    t->n++;
    lock_drop(&t->lock);
}

static bool auth_flow_is_of(const struct auth_flow *x, const uint8_t browser[HASH_SIZE])
{
    return hash_equal((str){(const char *)x->browser, HASH_SIZE},
                      (str){(const char *)browser, HASH_SIZE});
}

static str auth_flow_key_of(const struct auth_flow *x, enum auth_flow_key kind)
{
    switch (kind) {
    case BY_TICKET:
        return x->ticket;
    case BY_HANDLE:
        return x->handle;
    case BY_STATE:
        return x->sign_in.state;
    }
    return STR("");
}

struct auth_flow *auth_flows_take(struct auth_flows *t, enum auth_flow_key kind, str key,
                                  str browser_cookie, enum auth_flow_stage stage,
                                  int64_t now)
{
    uint8_t browser[HASH_SIZE];
    struct auth_flow *found = NULL;
    if (key.n == 0 || browser_cookie.n == 0)
        return NULL;
    if (t->shared != NULL)
        return auth_flow_store_take(t->shared, kind, key, browser_cookie, stage, now);
    hash_sha256(browser_cookie, browser);
    lock_take(&t->lock);
    drop_over(t, now);
    for (struct auth_flow **at = &t->newest; *at != NULL; at = &(*at)->next) {
        struct auth_flow *x = *at;
        if (x->stage == stage && hash_equal(auth_flow_key_of(x, kind), key) &&
            auth_flow_is_of(x, browser)) {
            *at = x->next;
            t->n--;
            found = x;
            break;
        }
    }
    lock_drop(&t->lock);
    return found;
}

bool auth_flows_know(struct auth_flows *t, str browser_cookie, int64_t now)
{
    uint8_t browser[HASH_SIZE];
    bool known = false;
    if (t->shared != NULL)
        return auth_flow_store_knows(t->shared, browser_cookie, now);
    hash_sha256(browser_cookie, browser);
    lock_take(&t->lock);
    for (const struct auth_flow *x = t->newest; x != NULL && !known; x = x->next)
        known = !auth_flow_is_over(x, now) && auth_flow_is_of(x, browser);
    lock_drop(&t->lock);
    return known;
}

void auth_flows_move(struct auth_flows *t, str from_cookie, str to_cookie)
{
    uint8_t from[HASH_SIZE], to[HASH_SIZE];
    if (t->shared != NULL) {
        auth_flow_store_move(t->shared, from_cookie, to_cookie);
        return;
    }
    hash_sha256(from_cookie, from);
    hash_sha256(to_cookie, to);
    lock_take(&t->lock);
    for (struct auth_flow *x = t->newest; x != NULL; x = x->next)
        if (auth_flow_is_of(x, from))
            memcpy(x->browser, to, sizeof(to));
    lock_drop(&t->lock);
}

size_t auth_flows_count(struct auth_flows *t)
{
    if (t->shared != NULL)
        return auth_flow_store_count(t->shared);
    lock_take(&t->lock);
    size_t n = t->n;
    lock_drop(&t->lock);
    return n;
}
