/*
 * forwarded - the address of the real client if requests come through a proxy.
 *
 * X-Forwarded-For and Forwarded (RFC 7239) are trusted only if they come from addresses
 * that the operator configured (SEC-10). They are read from the right: each proxy appends
 * the address it saw, so the first address that is not a trusted proxy is the last one
 * that a trusted proxy reported.
 */
#pragma once

#include "base/err.h"
#include "base/os/net.h"
#include "http/request.h"

/* A network: "10.0.0.0/8", "::1", "fd00::/8". */
struct http_network {
    struct net_address address;
    unsigned bits;
};

struct http_proxies {
    struct http_network *networks;
    size_t n;
    bool unix_sockets; /* peers on our unix socket are trusted */
};

/* Parse the words of a setting; "unix" means unix sockets. In the arena. */
MUST_CHECK bool http_proxies_parse(struct arena *a, const str *words, size_t n,
                                   struct http_proxies *out, struct err *err);

/* peer has the form of http_request.peer. */
bool http_proxies_trust(const struct http_proxies *p, str peer);

/* The address of the client, in the arena: peer itself, unless that is a trusted proxy
 * that reports another. */
str http_forwarded_peer(const struct http_proxies *p, struct arena *a,
                        const struct http_request *r, str peer);

/* Whether the request says that a proxy passed it on, trusted or not. */
bool http_is_forwarded(const struct http_request *r);
