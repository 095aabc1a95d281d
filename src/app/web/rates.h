/*
 * rates - how many requests one connection, and one address, may make per minute
 * (SEC-52).
 *
 * A connection is a grant or an API key; without sign-in there are none. IPv6 addresses
 * count by their /64 network. Addresses of this machine are not limited, unless a trusted
 * proxy names another one. Requests over the limit are answered with 429 and Retry-After.
 */
#pragma once

#include "app/setup/settings.h"
#include "http/server.h"

struct rates;

struct rates *rates_create(const struct settings *s);
void rates_free(struct rates *r); /* NULL is allowed */

/* Each call counts one; false: the limit is exceeded, and the request has been
 * answered. */
MUST_CHECK bool rates_address(struct rates *r, struct http_exchange *x);
MUST_CHECK bool rates_call(struct rates *r, struct http_exchange *x, int64_t grant);
MUST_CHECK bool rates_changes(struct rates *r, struct http_exchange *x, int64_t grant,
                              size_t n);
