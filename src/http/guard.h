/*
 * guard - refuse requests by their Host and Origin.
 *
 * A web page that the user visits can send requests to loopback, and its domain can
 * be made to resolve there (DNS rebinding). So every request must have one of our
 * hosts, and its Origin, if there is one, must be allowed.
 */
#pragma once

#include "http/request.h"

struct http_guard {
    const str *hosts; /* our host names, without port, besides loopback */
    size_t n_hosts;
    bool any_host;      /* listening beyond loopback without a known name */
    const str *origins; /* scheme://host[:port] allowed besides loopback and our hosts */
    size_t n_origins;
};

enum http_verdict { HTTP_WELCOME, HTTP_FOREIGN_HOST, HTTP_FOREIGN_ORIGIN };

/*
 * localhost, 127.0.0.1 and [::1] with any port are always ours, as host and as origin;
 * so are hosts. HTTP/1.0 without Host is accepted: no browser sends that.
 */
enum http_verdict http_guard_check(const struct http_guard *g,
                                   const struct http_request *r);

/*
 * Whether a page of ours sent the request, as far as the browser says: Origin and
 * Sec-Fetch-Site, if they are there, must name origin, scheme://host[:port] (SEC-49).
 */
bool http_is_same_origin(const struct http_request *r, str origin);

/* Whether "host" or "host:port" is a name of this machine for itself. */
bool http_host_is_loopback(str authority);
