/*
 * route - the row of the table for a request, and the answer to OPTIONS.
 */
#pragma once

#include "http/server.h"

/* Whether a path is that of a row (http_route.path). */
bool http_route_fits(const char *route, str path);

/* The first row that matches; NULL if there is none. */
const struct http_route *http_route_find(const struct http_route *routes, str path);

/* Whether the row accepts the method; GET implies HEAD. Not for OPTIONS. */
bool http_route_takes(const struct http_route *route, enum http_method method);

/* "GET, HEAD, OPTIONS": the value of Allow, in the arena. NULL: all known methods. */
str http_route_allow(struct arena *a, const struct http_route *route);

/*
 * The answer to OPTIONS: 204 with Allow, and on a cors route the answer to a browser's
 * preflight request. The guard has already accepted the origin.
 */
void http_route_options(struct arena *a, const struct http_route *route,
                        const struct http_request *r, struct http_response *out);
