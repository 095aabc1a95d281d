#include "app/web/rates.h"

#include "base/clock.h"
#include "http/address.h"
#include "http/response.h"
#include "http/server.h"
#include "oauth/limiter.h"

enum { WINDOW_MS = 60000 };

struct rates {
    struct limiter *addresses, *calls, *changes; /* NULL: no limit */
};

static struct limiter *per_minute(int64_t limit)
{
    if (limit == 0)
        return NULL;
    struct limiter_rule rule = {.limit = (unsigned)limit, .window_ms = WINDOW_MS};
    return limiter_create(&rule);
}

struct rates *rates_create(const struct settings *s)
{
    struct rates *r = mem_zero(sizeof(*r));
    r->addresses = per_minute(s->rate_address);
    r->calls = per_minute(s->rate_calls);
    r->changes = per_minute(s->rate_writes);
    return r;
}

void rates_free(struct rates *r)
{
    if (r == NULL)
        return;
    limiter_free(r->addresses);
    limiter_free(r->calls);
    limiter_free(r->changes);
    free(r);
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
    uint64_t seconds = (wait_ms + 999) / 1000;
    http_add_header(&r, STR("Retry-After"),
                    arena_printf(&a, "%llu", (unsigned long long)seconds));
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

bool rates_address(struct rates *r, struct http_exchange *x)
{
    const struct http_request *h = http_request_of(x);
    char room[HTTP_PEER_SIZE];
    return h->peer_is_local ||
           rates_take(r->addresses, http_address_network(h->peer, room), x,
                      "requests from one address");
}

static str rates_key_of(const int64_t *grant)
{
    return (str){(const char *)grant, sizeof(*grant)};
}

bool rates_call(struct rates *r, struct http_exchange *x, int64_t grant)
{
    return rates_take(r->calls, rates_key_of(&grant), x, "requests");
}

bool rates_changes(struct rates *r, struct http_exchange *x, int64_t grant, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!rates_take(r->changes, rates_key_of(&grant), x, "changes"))
            return false;
    return true;
}
