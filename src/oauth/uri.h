/*
 * uri - URLs that decide where secrets go: redirect URIs and resources.
 *
 * Only strict RFC 3986 syntax is accepted, none of what browsers tolerate: printable
 * ASCII, scheme://host[:port][/path][?query], complete escapes, no userinfo, no fragment,
 * no dot segments.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"

struct uri {
    str scheme, host; /* as written; host with the brackets of an IPv6 address */
    str port;         /* digits, or empty */
    str rest;         /* path and query, may be empty */
};

MUST_CHECK bool uri_parse(str text, struct uri *out);

/* localhost, 127.0.0.1 or [::1], spelled exactly like that. */
bool uri_is_loopback(const struct uri *u);

/* Whether a client may register it (SEC-21); the message says why not, without quoting
 * it. */
MUST_CHECK bool uri_check_redirect(str text, struct err *err);

/* Whether only the owner of a host gets what is sent there: https, and not loopback.
 * Any program of a computer may listen on loopback or take over a private scheme. */
bool uri_is_owned(str text);

/* How to display the target of a redirect URI: the host, after the scheme unless that is
 * http or https. Empty if it is not a URI. */
str uri_place(struct arena *a, str text);

/* The same URI, or the same except for the port of a loopback address (SEC-40). */
bool uri_same_redirect(str given, str registered);

/*
 * Whether given names the server at url, or path below it, each with or without a
 * trailing slash (SEC-08). Scheme and host in any case; a default port counts as none.
 */
bool uri_is_resource(str given, str url, str path);
