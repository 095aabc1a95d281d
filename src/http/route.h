/*
 * route - which row of the table a request is for, and what OPTIONS says about it.
 */
#pragma once

#include "http/server.h"

/* The first row that fits; NULL when there is none. */
const struct http_route *http_route_find(const struct http_route *routes, str path);

/* Whether the row takes the method; GET brings HEAD. OPTIONS is not asked here. */
bool http_route_takes(const struct http_route *route, enum http_method method);

/* "GET, HEAD, OPTIONS": the value of Allow, in the arena. NULL: everything we know. */
str http_route_allow(struct arena *a, const struct http_route *route);

/*
 * The answer to OPTIONS: 204 with Allow, and on a cors route what a browser asks before
 * it sends the real request. The guard has let the origin pass already.
 */
void http_route_options(struct arena *a, const struct http_route *route,
                        const struct http_request *r, struct http_response *out);
