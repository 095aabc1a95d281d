/*
 * guard - who may talk to us, judged by Host and Origin alone.
 *
 * A web page the user visits can send requests to loopback; a name it controls
 * can be made to resolve there (DNS rebinding). So every request of every kind
 * must name a host that is ours, and an Origin, if there is one, that we know.
 */
#pragma once

#include "http/request.h"

struct http_guard {
    const str *hosts; /* host names without port that are ours besides loopback */
    size_t n_hosts;
    bool any_host;      /* listening beyond loopback without a known name */
    const str *origins; /* scheme://host[:port] allowed besides loopback and our own */
    size_t n_origins;
};

enum http_verdict { HTTP_WELCOME, HTTP_FOREIGN_HOST, HTTP_FOREIGN_ORIGIN };

/*
 * localhost, 127.0.0.1 and [::1] with any port are always ours, as host and as origin;
 * so are hosts. HTTP/1.0 without Host passes: no browser sends that.
 */
enum http_verdict http_guard_check(const struct http_guard *g,
                                   const struct http_request *r);
