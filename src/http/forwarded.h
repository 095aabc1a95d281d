/*
 * forwarded - who is really asking, when a proxy stands in front of us.
 *
 * X-Forwarded-For and Forwarded (RFC 7239) are believed only from addresses the operator
 * named (SEC-10), read from the right: each proxy adds what it saw itself, so the first
 * address that is not a trusted proxy's is the last one somebody trusted vouches for.
 */
#pragma once

#include <sys/socket.h>

#include "base/err.h"
#include "http/request.h"

/* A network: "10.0.0.0/8", "::1", "fd00::/8". */
struct http_network {
    bool v6;
    uint8_t address[16];
    unsigned bits;
};

struct http_proxies {
    struct http_network *networks;
    size_t n;
    bool unix_sockets; /* whoever reaches our unix socket is one */
};

/* From the words of a setting; "unix" stands for unix sockets. Lives in the arena. */
MUST_CHECK bool http_proxies_parse(struct arena *a, const str *words, size_t n,
                                   struct http_proxies *out, struct err *err);

/* peer as http_request.peer has it. */
bool http_proxies_trust(const struct http_proxies *p, str peer);

/* The address of the client, in the arena: peer itself unless that is a trusted proxy
 * that names another. */
str http_forwarded_peer(const struct http_proxies *p, struct arena *a,
                        const struct http_request *r, str peer);
