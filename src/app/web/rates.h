/*
 * rates - how much one connection, and one address, may ask in a minute (SEC-52).
 *
 * A connection is a grant or an API key; without sign-in there are none. Addresses of
 * this machine are not limited, unless a trusted proxy vouches for another one. Whoever
 * asks too much is answered with 429 and told when to come back.
 */
#pragma once

#include "app/setup/settings.h"
#include "http/server.h"

struct rates;

struct rates *rates_create(const struct settings *s);
void rates_free(struct rates *r); /* NULL is fine */

/* Each counts; false: it was too much, and the request was answered. */
MUST_CHECK bool rates_address(struct rates *r, struct http_exchange *x);
MUST_CHECK bool rates_call(struct rates *r, struct http_exchange *x, int64_t grant);
MUST_CHECK bool rates_changes(struct rates *r, struct http_exchange *x, int64_t grant,
                              size_t n);
