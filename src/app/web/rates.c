#include "app/web/rates.h"

#include "base/clock.h"
#include "http/address.h"
#include "http/response.h"
#include "http/server.h"
#include "oauth/limiter.h"

enum { WINDOW_MS = 60000 };

struct rates {
    struct limiter *addresses, *floods, *calls, *changes; /* NULL: no limit */
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
    r->addresses = per_minute(s->rate_address, false);
    r->floods = per_minute(s->rate_calls * (foreign ? 1 : RATES_FLOOD), false);
    r->calls = per_minute(s->rate_calls, true);
    r->changes = per_minute(s->rate_writes, true);
    return r;
}

void rates_free(struct rates *r)
{
    if (r == NULL)
        return;
    limiter_free(r->addresses);
    limiter_free(r->floods);
    limiter_free(r->calls);
    limiter_free(r->changes);
    free(r);
}

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

static bool rates_take(struct limiter *t, str key, struct http_exchange *x,
                       const char *what)
{
    uint64_t wait_ms;
    if (t == NULL || limiter_take(t, key, clock_ms(), &wait_ms))
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
    return h->peer_is_local || rates_take(r->addresses, rates_network(h, room), x,
                                          "requests from one address");
}

void rates_known(struct rates *r, struct http_exchange *x)
{
    const struct http_request *h = http_request_of(x);
    char room[NET_TEXT_SIZE];
    if (r->addresses != NULL && !h->peer_is_local)
        limiter_give_back(r->addresses, rates_network(h, room), clock_ms());
}

static str rates_key_of(const int64_t *grant)
{
    return (str){(const char *)grant, sizeof(*grant)};
}

bool rates_flood(struct rates *r, struct http_exchange *x, int64_t grant)
{
    return rates_take(r->floods, rates_key_of(&grant), x, "requests");
}

/* As limiter_book(), and the longer of two waits. */
static bool rates_book(struct limiter *t, str key, uint64_t most_ms, uint64_t *wait_ms,
                       const char *what, struct err *err)
{
    uint64_t ms;
    if (t == NULL)
        return true;
    if (!limiter_book(t, key, clock_ms(), most_ms, &ms))
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
    if (!rates_book(r->calls, key, most_ms, wait_ms, "requests", err))
        return false;
    if (!changes || rates_book(r->changes, key, most_ms, wait_ms, "changes", err))
        return true;
    if (r->calls != NULL)
        limiter_give_back(r->calls, key, clock_ms());
    return false;
}
