/*
 * url - the parts of a URL that decide where a request goes.
 */
#pragma once

#include "base/err.h"
#include "base/str.h"

struct url {
    bool https;
    str host;      /* as written; an IPv6 address is in brackets */
    str name;      /* the same without brackets */
    uint16_t port; /* given, or that of the scheme */
    str rest;      /* from the first '/', '?' or '#'; may be empty */
};

/* Views into text. Fails with ERR_INVALID if it is not http or https, has no host, or names
 * a user, which another parser might take for the host. */
MUST_CHECK bool url_split(str text, struct url *out, struct err *err);

/* Whether the host is this machine by its name or address: localhost, 127.*, [::1]. */
bool url_is_loopback(const struct url *u);
