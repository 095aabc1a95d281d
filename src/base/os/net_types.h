/*
 * net_types - addresses as systems have them. Private to base/os.
 */
#pragma once

#ifdef _WIN32
#include "base/os/windows/base.h"

#include <afunix.h>
#else
#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#endif

#include "base/os/net.h"

union net_sa {
    struct sockaddr any;
    struct sockaddr_in in4;
    struct sockaddr_in6 in6;
    struct sockaddr_un un;
    struct sockaddr_storage room;
};

/* AF_INET and so on. */
int net_family(enum net_kind kind);

/* Returns how many bytes of out are used. */
socklen_t net_to_system(const struct net_address *a, union net_sa *out);
void net_from_system(const union net_sa *sa, struct net_address *out);
