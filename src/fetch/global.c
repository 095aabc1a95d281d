#include "fetch/global.h"

#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct net4 {
    uint32_t net;
    unsigned bits;
};

struct net6 {
    uint8_t net[16];
    unsigned bits;
};

#define NET4(a, b, c, d, bits)                                                           \
    {                                                                                    \
        (uint32_t)(a) << 24 | (uint32_t)(b) << 16 | (uint32_t)(c) << 8 | (d), bits       \
    }

static const struct net4 special4[] = {
    NET4(0, 0, 0, 0, 8),       /* this network */
    NET4(10, 0, 0, 0, 8),      /* private */
    NET4(100, 64, 0, 0, 10),   /* carrier-grade NAT */
    NET4(127, 0, 0, 0, 8),     /* loopback */
    NET4(169, 254, 0, 0, 16),  /* link-local, cloud metadata */
    NET4(172, 16, 0, 0, 12),   /* private */
    NET4(192, 0, 0, 0, 24),    /* protocol assignments */
    NET4(192, 0, 2, 0, 24),    /* documentation */
    NET4(192, 88, 99, 0, 24),  /* 6to4 relays */
    NET4(192, 168, 0, 0, 16),  /* private */
    NET4(198, 18, 0, 0, 15),   /* benchmarks */
    NET4(198, 51, 100, 0, 24), /* documentation */
    NET4(203, 0, 113, 0, 24),  /* documentation */
    NET4(224, 0, 0, 0, 3),     /* multicast, reserved, broadcast */
};

/* Global unicast is 2000::/3; these are exceptions within it. */
static const struct net6 special6[] = {
    {{0x20, 0x01}, 23},             /* protocol assignments, Teredo, ORCHID */
    {{0x20, 0x01, 0x0d, 0xb8}, 32}, /* documentation */
    {{0x20, 0x02}, 16},             /* 6to4: carries an IPv4 address */
    {{0x3f, 0xff}, 20},             /* documentation */
};

static bool is_global4(uint32_t ip)
{
    for (size_t i = 0; i < sizeof(special4) / sizeof(special4[0]); i++)
        if ((ip ^ special4[i].net) >> (32 - special4[i].bits) == 0)
            return false;
    return true;
}

static bool within6(const uint8_t ip[16], const struct net6 *n)
{
    size_t whole = n->bits / 8;
    unsigned rest = n->bits % 8;
    if (memcmp(ip, n->net, whole) != 0)
        return false;
    return rest == 0 || (ip[whole] ^ n->net[whole]) >> (8 - rest) == 0;
}

static bool is_global6(const uint8_t ip[16])
{
    static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};
    if (memcmp(ip, mapped, sizeof(mapped)) == 0)
        return is_global4((uint32_t)ip[12] << 24 | (uint32_t)ip[13] << 16 |
                          (uint32_t)ip[14] << 8 | ip[15]);
    if (ip[0] >> 5 != 1)
        return false;
    for (size_t i = 0; i < sizeof(special6) / sizeof(special6[0]); i++)
        if (within6(ip, &special6[i]))
            return false;
    return true;
}

bool address_is_global(const struct sockaddr *sa)
{
    if (sa->sa_family == AF_INET) {
        struct sockaddr_in in;
        memcpy(&in, sa, sizeof(in));
        return is_global4(ntohl(in.sin_addr.s_addr));
    }
    if (sa->sa_family == AF_INET6) {
        struct sockaddr_in6 in;
        memcpy(&in, sa, sizeof(in));
        return is_global6(in.sin6_addr.s6_addr);
    }
    return false;
}
