/*
 * uri - the parts of scheme://user@host:port/rest.
 *
 * Only where the parts begin and end is decided here, in one place, so that no two readers
 * of a URL see different hosts. What is allowed in them is up to the caller: oauth/uri.h is
 * strict, fetch/url.h takes http and https.
 */
#pragma once

#include "base/str.h"

struct uri_parts {
    str scheme;
    str origin;    /* the URI up to rest */
    str authority; /* user, host and port */
    str user;      /* before the last '@' of the authority; may be empty */
    bool has_user; /* it has an '@' */
    str host;      /* as written; an IPv6 address is in brackets */
    str name;      /* the same without brackets */
    str port;      /* after the ':'; may be empty */
    bool has_port; /* it has that ':' */
    str place;     /* host and port, without the user */
    str rest;      /* from the first '/', '?' or '#' on; may be empty */
};

/* Views into text. False if there is no "://", or a bracket is not closed: then *out has no
 * parts, except that place is text. */
bool uri_split(str text, struct uri_parts *out);
