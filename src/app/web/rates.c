#include "app/web/rates.h"

#include <limits.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/sbuf.h"
#include "http/address.h"
#include "http/response.h"
#include "http/server.h"
#include "replica/limiter.h"
#include "replica/pubsub.h"
#include "replica/replica.h"

enum { WINDOW_MS = 60000 };

#define RATES_TOPIC "rates"

/* In messages, a limiter is known by its number. Others are told in this order: strangers
 * can have any number of addresses, but not of grants. */
enum rates_kind { RATES_FLOODS, RATES_CALLS, RATES_CHANGES, RATES_ADDRESSES, RATES_N };

struct rates {
    struct limiter *by[RATES_N]; /* NULL: no limit */
    struct replica *replica;     /* NULL: no others count */
};

static struct limiter *per_minute(int64_t limit, bool steady)
{
    if (limit == 0)
        return NULL;
    struct limiter_rule rule = {
        .limit = (unsigned)limit, .window_ms = WINDOW_MS, .steady = steady};
    return limiter_create(&rule);
}

struct rates *rates_create(const struct settings *s)
{
    struct rates *r = mem_zero(sizeof(*r));
    bool foreign = s->profile != 0; /* those servers refuse at the limit (S4-46) */
    r->by[RATES_ADDRESSES] = per_minute(s->rate_address, false);
    r->by[RATES_FLOODS] = per_minute(s->rate_calls * (foreign ? 1 : RATES_FLOOD), false);
    r->by[RATES_CALLS] = per_minute(s->rate_calls, true);
    r->by[RATES_CHANGES] = per_minute(s->rate_writes, true);
    return r;
}

void rates_free(struct rates *r)
{
    if (r == NULL)
        return;
    if (r->replica != NULL)
        replica_subscribe(r->replica, RATES_TOPIC, NULL, NULL);
    for (size_t i = 0; i < RATES_N; i++)
        limiter_free(r->by[i]);
    free(r);
}

/* --- together with other replicas --- */

/* A line for each key: the limiter, the key, and how many. */
static void rates_print(struct sbuf *out, size_t limiter, const struct limiter_news *news)
{
    sbuf_printf(out, "%zu %lld %d\n", limiter, (long long)news->key, news->n);
}

static bool rates_read(str line, size_t *limiter, struct limiter_news *out)
{
    str number, key;
    int64_t which, hash, n;
    if (!str_next(&line, ' ', &number) || !str_next(&line, ' ', &key) ||
        !str_to_int(number, &which) || which < 0 || which >= RATES_N ||
        !str_to_int(key, &hash) || !str_to_int(line, &n) || n < INT_MIN || n > INT_MAX)
        return false;
    *limiter = (size_t)which;
    *out = (struct limiter_news){(uint64_t)hash, (int)n};
    return true;
}

static void rates_heard(void *arg, str text)
{
    const struct rates *r = arg;
    struct limiter_news news;
    size_t limiter;
    str line;
    while (str_next(&text, '\n', &line))
        if (rates_read(line, &limiter, &news) && r->by[limiter] != NULL)
            limiter_heard(r->by[limiter], &news, clock_ms());
}

/* In as many messages as it takes. */
static void rates_say(const struct rates *r, size_t limiter,
                      const struct limiter_news *news, size_t n)
{
    enum { TELL_LINE = 48 };
    struct arena a = {0};
    struct sbuf out = SBUF_ON(&a);
    for (size_t i = 0; i < n; i++) {
        rates_print(&out, limiter, &news[i]);
        if (i + 1 < n && out.n + TELL_LINE <= PUBSUB_TEXT_MAX)
            continue;
        replica_publish(r->replica, RATES_TOPIC, sbuf_str(&out));
        out.n = 0;
    }
    arena_release(&a);
}

void rates_tell(struct rates *r)
{
    struct limiter_news news[RATES_TELL_MAX];
    size_t told = 0;
    for (size_t i = 0; i < RATES_N && r->replica != NULL; i++) {
        size_t most = RATES_TELL_MAX - told;
        size_t n = r->by[i] != NULL ? limiter_news(r->by[i], news, most) : 0;
        rates_say(r, i, news, n);
        told += n;
    }
}

/* Keys are hashed with a secret, so that clients cannot choose two that collide. */
static struct hash_key rates_secret(const struct replica *s)
{
    uint8_t mac[HASH_SIZE];
    struct hash_key key;
    hash_hmac((str){(const char *)s->key, sizeof(s->key)}, STR("rates"), mac);
    memcpy(&key, mac, sizeof(key));
    key.seed[1] |= 1;
    key.seed[2] |= 1;
    return key;
}

void rates_join(struct rates *r, struct replica *replica)
{
    if (!replica_is_shared(replica))
        return;
    struct hash_key key = rates_secret(replica);
    for (size_t i = 0; i < RATES_N; i++)
        if (r->by[i] != NULL)
            limiter_share(r->by[i], &key);
    r->replica = replica;
    replica_subscribe(replica, RATES_TOPIC, rates_heard, r);
}

/* --- */

static unsigned long long rates_seconds(uint64_t ms)
{
    return (ms + 999) / 1000;
}

static void rates_refuse(struct http_exchange *x, uint64_t wait_ms, const char *what)
{
    struct arena a = {0};
    struct http_response r = {
        .status = 429,
        .content_type = STR("application/json"),
        .body = arena_printf(&a,
                             "{\"error\":\"rate_limited\",\"error_description\":\"Too "
                             "many %s within a minute: wait and try again\"}",
                             what)};
    http_add_header(&r, STR("Retry-After"),
                    arena_printf(&a, "%llu", rates_seconds(wait_ms)));
    http_add_header(&r, STR("Cache-Control"), STR("no-store"));
    http_reply(x, &r);
    arena_release(&a);
}

static bool rates_take(struct rates *r, enum rates_kind kind, str key,
                       struct http_exchange *x, const char *what)
{
    uint64_t wait_ms;
    if (r->by[kind] == NULL || limiter_take(r->by[kind], key, clock_ms(), &wait_ms))
        return true;
    rates_refuse(x, wait_ms, what);
    return false;
}

static str rates_network(const struct http_request *h, char room[NET_TEXT_SIZE])
{
    return http_address_network(h->peer, room);
}

bool rates_address(struct rates *r, struct http_exchange *x)
{
    const struct http_request *h = http_request_of(x);
    char room[NET_TEXT_SIZE];
    return h->peer_is_local || rates_take(r, RATES_ADDRESSES, rates_network(h, room), x,
                                          "requests from one address");
}

void rates_known(struct rates *r, struct http_exchange *x)
{
    const struct http_request *h = http_request_of(x);
    char room[NET_TEXT_SIZE];
    if (r->by[RATES_ADDRESSES] != NULL && !h->peer_is_local)
        limiter_give_back(r->by[RATES_ADDRESSES], rates_network(h, room), clock_ms());
}

static str rates_key_of(const int64_t *grant)
{
    return (str){(const char *)grant, sizeof(*grant)};
}

bool rates_flood(struct rates *r, struct http_exchange *x, int64_t grant)
{
    return rates_take(r, RATES_FLOODS, rates_key_of(&grant), x, "requests");
}

/* As limiter_book(), and the longer of two waits. */
static bool rates_book(struct rates *r, enum rates_kind kind, str key, uint64_t most_ms,
                       uint64_t *wait_ms, const char *what, struct err *err)
{
    uint64_t ms;
    if (r->by[kind] == NULL)
        return true;
    if (!limiter_book(r->by[kind], key, clock_ms(), most_ms, &ms))
        return err_named(
            err, E_RATE_LIMITED,
            "too many %s within a minute, nothing was done: try again in %llu "
            "seconds",
            what, rates_seconds(ms));
    *wait_ms = ms > *wait_ms ? ms : *wait_ms;
    return true;
}

bool rates_turn(struct rates *r, int64_t grant, bool changes, uint64_t most_ms,
                uint64_t *wait_ms, struct err *err)
{
    str key = rates_key_of(&grant);
    *wait_ms = 0;
    if (!rates_book(r, RATES_CALLS, key, most_ms, wait_ms, "requests", err))
        return false;
    if (!changes || rates_book(r, RATES_CHANGES, key, most_ms, wait_ms, "changes", err))
        return true;
    if (r->by[RATES_CALLS] != NULL)
        limiter_give_back(r->by[RATES_CALLS], key, clock_ms());
    return false;
}

void rates_charge(struct rates *r, int64_t grant, unsigned n)
{
    if (n > 0 && r->by[RATES_CALLS] != NULL)
        limiter_charge(r->by[RATES_CALLS], rates_key_of(&grant), clock_ms(), n);
}
