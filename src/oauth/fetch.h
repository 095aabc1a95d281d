/*
 * fetch - one request to another server, with libcurl, which is loaded when first needed.
 *
 * https unless said otherwise, certificates checked, no redirects, one deadline for
 * everything. Never on the loop.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"

struct fetch {
    str url;
    str body;                       /* POST it as a form, unless p is NULL */
    str bearer;                     /* Authorization: Bearer, or empty */
    str basic_user, basic_password; /* or empty */
    size_t max;                     /* bytes of the answer; more is an error */
    unsigned ms;                    /* in all */
    const char *method;             /* NULL: GET, or POST with a body */
    const str *headers;             /* "Name: value" each; they win over our own */
    size_t n_headers;
    const char *ca_file; /* PEM of who is trusted instead of the system's; or NULL */
    size_t enough;    /* bytes of an answer without end after which to hang up; 0: all */
    bool http1;       /* no HTTP/2 */
    bool public_only; /* every address of the host must be a global one (SEC-25) */
    bool loopback_http; /* http to loopback is fine: development, tests, stand-ins */
    bool any_http;      /* http to everybody: for who sends nothing secret */
};

struct fetched_header {
    str name, value;
};

struct fetched {
    int status;
    str content_type; /* without parameters */
    str body;
    int64_t max_age; /* seconds by its headers; -1: they say nothing */
    const struct fetched_header *headers;
    size_t n_headers;
};

/* The value of the first header of that name, any case; p is NULL when there is none. */
str fetched_header(const struct fetched *f, str name);

/* A failure has a sentence that names host and cause, never a secret; its name is DNS,
 * CONNECT, TLS or TIMEOUT where that is known. */
MUST_CHECK bool fetch_url(struct arena *a, const struct fetch *f, struct fetched *out,
                          struct err *err);
