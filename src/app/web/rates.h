/*
 * rates - how many requests one connection, and one address, may make per minute
 * (SEC-52).
 *
 * A connection is a grant or an API key; without sign-in there are none. Its requests
 * wait for their turn; if that would take too long, they fail with a sentence that says
 * when to try again, because clients report a 429 as a broken server. Only a flood,
 * several times the limit, is answered with 429 before it is read; with a profile of
 * another server, every request above the limit is.
 *
 * An address has a limit for requests without a valid token. Over it, they are answered
 * with 429 and Retry-After. IPv6 addresses count by their /64 network. Addresses of this
 * machine are not limited, unless a trusted proxy names another one.
 *
 * Replicas (replica/replica.h) share their counts: each one counts locally, without
 * waiting, and broadcasts its counts twice a second. So until then, all of them together
 * may let through more than the limit, each at most its own; after that, the limit holds
 * for all. While the database does not answer, each one counts alone.
 */
#pragma once

#include "app/setup/settings.h"
#include "http/server.h"
#include "replica/replica.h"

enum {
    RATES_FLOOD = 4,       /* times the limit of a connection */
    RATES_TELL_MAX = 1000, /* keys in one broadcast; more wait for the next */
};

struct rates;

struct rates *rates_create(const struct settings *s);
void rates_free(struct rates *r); /* NULL is allowed */

/* Count together with the other replicas, if there are any. Before the first request. */
void rates_join(struct rates *r, struct replica *replica);

/* Broadcast what was counted since the last time. Does not wait. */
void rates_tell(struct rates *r);

/* Each call counts one; false: the limit is exceeded, and the request has been
 * answered. */
MUST_CHECK bool rates_address(struct rates *r, struct http_exchange *x);
MUST_CHECK bool rates_flood(struct rates *r, struct http_exchange *x, int64_t grant);

/* The request of rates_address() has a valid token: it does not count. */
void rates_known(struct rates *r, struct http_exchange *x);

/*
 * Counts a request of a connection, or a change. True: it may be made in *wait_ms, which
 * is at most most_ms. False: it was not counted, and err (RATE_LIMITED) says when to try
 * again. From any thread.
 */
MUST_CHECK bool rates_turn(struct rates *r, int64_t grant, bool changes, uint64_t most_ms,
                           uint64_t *wait_ms, struct err *err);

/* The connection's requests cost as much as n more. From any thread. */
void rates_charge(struct rates *r, int64_t grant, unsigned n);
