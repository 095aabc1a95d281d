/*
 * fetch - one request to another server, with libcurl, which is loaded when first needed.
 *
 * https only, certificates checked, no redirects, one deadline for everything. Never on
 * the loop.
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
    bool public_only;   /* every address of the host must be a global one (SEC-25) */
    bool loopback_http; /* http to loopback is fine: development, tests, stand-ins */
};

struct fetched {
    int status;
    str content_type; /* without parameters */
    str body;
    int64_t max_age; /* seconds by its headers; -1: they say nothing */
};

/* ERR_IO with a sentence that names host and cause, never a secret. */
MUST_CHECK bool fetch_url(struct arena *a, const struct fetch *f, struct fetched *out,
                          struct err *err);
