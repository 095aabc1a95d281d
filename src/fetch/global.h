/*
 * global - whether an address is on the public internet.
 *
 * A stranger may choose a URL that we fetch (SEC-25); it must not make us connect to this
 * machine, its network or a cloud metadata service. Special-purpose addresses (RFC 6890
 * and later registrations) are not global, nor are IPv6 addresses that carry such an IPv4
 * address.
 */
#pragma once

#include <stdbool.h>
#include <sys/socket.h>

bool address_is_global(const struct sockaddr *sa);
