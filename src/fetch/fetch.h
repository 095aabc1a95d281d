/*
 * fetch - one request to another server, with libcurl, which is loaded when first needed.
 *
 * https unless stated otherwise, certificates verified, no redirects, one deadline for
 * the whole request including the look-up of the name, which happens once (resolve.h).
 * Never call it on the loop.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"

struct fetch {
    str url;
    str body;                       /* sent by POST as a form, unless p is NULL */
    str bearer;                     /* Authorization: Bearer, or empty */
    str basic_user, basic_password; /* or empty */
    size_t max;                     /* bytes of the response; more is an error */
    unsigned ms;                    /* for the whole request */
    const char *method;             /* NULL: GET, or POST with a body */
    const str *headers;             /* "Name: value" each; they override our own */
    size_t n_headers;
    const char *ca_file; /* PEM file of trusted CAs instead of the system's, or NULL */
    size_t enough;    /* bytes of an endless response after which to close; 0: read all */
    bool http1;       /* no HTTP/2 */
    bool public_only; /* every address of the host must be global (SEC-25) */
    bool loopback_http; /* allow http to loopback, for development and tests */
    bool private_http;  /* allow http to loopback and the own network (global.h) */
    bool any_http;      /* allow http to any host: only if nothing secret is sent */
};

struct fetched_header {
    str name, value;
};

struct fetched {
    int status;
    str content_type; /* without parameters */
    str body;
    int64_t max_age; /* seconds according to the headers; -1: not given */
    const struct fetched_header *headers;
    size_t n_headers;
};

/* The value of the first header of that name, ignoring case; p is NULL if there is
 * none. */
str fetched_header(const struct fetched *f, str name);

/* Whether the environment names a proxy, through which requests go unless stated
 * otherwise. */
bool fetch_has_proxy(void);

/* Whether this program can make requests at all: a static one cannot load libcurl. The
 * error message says what to use instead. */
MUST_CHECK bool fetch_is_possible(struct err *err);

/* The process is about to end: requests that are going on, and all later ones, fail
 * within a second. From any thread. */
void fetch_stop(void);

/* The error message names host and cause, never a secret; the error name is DNS, CONNECT,
 * TLS or TIMEOUT where known. */
MUST_CHECK bool fetch_url(struct arena *a, const struct fetch *f, struct fetched *out,
                          struct err *err);
