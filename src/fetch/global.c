#include "fetch/global.h"

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

static const struct net4 private4[] = {
    NET4(10, 0, 0, 0, 8),     NET4(100, 64, 0, 0, 10), NET4(127, 0, 0, 0, 8),
    NET4(169, 254, 0, 0, 16), NET4(172, 16, 0, 0, 12), NET4(192, 168, 0, 0, 16),
};

static const struct net6 private6[] = {
    {{[15] = 1}, 128},  /* loopback */
    {{0xfc}, 7},        /* unique local */
    {{0xfe, 0x80}, 10}, /* link-local */
};

static bool within4(uint32_t ip, const struct net4 *nets, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if ((ip ^ nets[i].net) >> (32 - nets[i].bits) == 0)
            return true;
    return false;
}

static bool is_global4(uint32_t ip)
{
    return !within4(ip, special4, COUNT_OF(special4));
}

static bool is_private4(uint32_t ip)
{
    return within4(ip, private4, COUNT_OF(private4));
}

static bool is_in6(const uint8_t ip[16], const struct net6 *n)
{
    size_t whole = n->bits / 8;
    unsigned rest = n->bits % 8;
    if (memcmp(ip, n->net, whole) != 0)
        return false;
    return rest == 0 || (ip[whole] ^ n->net[whole]) >> (8 - rest) == 0;
}

static bool within6(const uint8_t ip[16], const struct net6 *nets, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (is_in6(ip, &nets[i]))
            return true;
    return false;
}

static bool is_global6(const uint8_t ip[16])
{
    return ip[0] >> 5 == 1 && !within6(ip, special6, COUNT_OF(special6));
}

static bool is_private6(const uint8_t ip[16])
{
    return within6(ip, private6, COUNT_OF(private6));
}

/* IPv4 within IPv6 is judged as IPv4. */
static bool judge(const struct net_address *a, bool (*four)(uint32_t ip),
                  bool (*six)(const uint8_t ip[16]))
{
    struct net_address plain = *a;
    net_unmap(&plain);
    const uint8_t *ip = plain.ip;
    if (plain.kind == NET_IP4)
        return four((uint32_t)ip[0] << 24 | (uint32_t)ip[1] << 16 | (uint32_t)ip[2] << 8 |
                    ip[3]);
    return plain.kind == NET_IP6 && six(ip);
}

bool address_is_global(const struct net_address *a)
{
    return judge(a, is_global4, is_global6);
}

bool address_is_private(const struct net_address *a)
{
    return judge(a, is_private4, is_private6);
}
