/*
 * global - whether an address belongs to a machine out on the internet.
 *
 * A stranger may name a URL that we fetch (SEC-25); it must not make us talk to this
 * machine, its network, or a cloud's metadata service. Special-purpose addresses
 * (RFC 6890 and later registrations) are not global, nor are IPv6 addresses that carry
 * such an IPv4 address.
 */
#pragma once

#include <stdbool.h>
#include <sys/socket.h>

bool address_is_global(const struct sockaddr *sa);
