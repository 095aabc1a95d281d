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

enum { HTTP_PEER_SIZE = 64 };

/* The IP address of a peer without port, or "unix"; out has HTTP_PEER_SIZE bytes. */
str http_address_print(const struct sockaddr *sa, char *out, size_t size);

/*
 * Whom a limit per address counts: the printed address, or for IPv6 its network
 * ("2001:db8:1:2::/64"), because whoever has one address there has all 2^64. Text that is
 * not an IPv6 address stays as it is. out has HTTP_PEER_SIZE bytes.
 */
str http_address_network(str address, char out[HTTP_PEER_SIZE]);

bool http_address_is_local(const struct sockaddr *sa);
