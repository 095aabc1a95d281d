/*
 * address - where to listen, as written in settings.
 */
#pragma once

#include <sys/socket.h>
#include <sys/un.h>

#include "base/err.h"
#include "base/str.h"

struct http_address {
    struct sockaddr_storage sa;
    socklen_t len;
    bool local; /* loopback or unix: other machines cannot connect */
};

/* "host:port", ":port", "[v6]:port", "unix:/path"; host is an IP address or "localhost".
 */
MUST_CHECK bool http_address_parse(str text, struct http_address *out, struct err *err);

/* The IP address of a peer without port, or "unix"; out is at least 64 bytes. */
str http_address_print(const struct sockaddr *sa, char *out, size_t size);

bool http_address_is_local(const struct sockaddr *sa);
