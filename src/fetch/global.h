/*
 * global - whether an address is on the public internet, or on the own network.
 *
 * An attacker may choose a URL that we fetch (SEC-25); it must not make us connect to
 * this machine, its network or a cloud metadata service. Special-purpose addresses (RFC
 * 6890 and later registrations) are not global, nor are IPv6 addresses that carry such an
 * IPv4 address.
 */
#pragma once

#include "base/os/net.h"

bool address_is_global(const struct net_address *a);

/*
 * Whether it belongs to this machine or to a network of its owner: loopback, RFC 1918,
 * carrier-grade NAT (also overlay networks such as Tailscale), link-local, unique local.
 * Many addresses are neither global nor private, and are no place for either kind of
 * request.
 */
bool address_is_private(const struct net_address *a);
