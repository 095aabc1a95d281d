/*
 * address - where to listen, as written in settings, and what limits per address count.
 */
#pragma once

#include "base/err.h"
#include "base/os/net.h"

/* "host:port", ":port", "[v6]:port", "unix:/path"; host is an IP address or "localhost".
 */
MUST_CHECK bool http_address_parse(str text, struct net_address *out, struct err *err);

/*
 * Whom a limit per address counts: the printed address, or for IPv6 its network
 * ("2001:db8:1:2::/64"), because the holder of one address has all 2^64. Text that is
 * not an IPv6 address stays as it is.
 */
str http_address_network(str address, char out[NET_TEXT_SIZE]);

/* The network of a whole site: an IPv6 /48 or an IPv4 /24, of which one machine may well
 * have many addresses. */
str http_address_site(str address, char out[NET_TEXT_SIZE]);
