#include "base/os/net_types.h"

#include <stdio.h>

/* --- addresses --- */

enum { MAPPED = 12 }; /* where IPv4 begins within IPv6 */

int net_family(enum net_kind kind)
{
    return kind == NET_IP4 ? AF_INET : kind == NET_IP6 ? AF_INET6 : AF_UNIX;
}

socklen_t net_to_system(const struct net_address *a, union net_sa *out)
{
    *out = (union net_sa){.any.sa_family = (unsigned char)net_family(a->kind)};
    if (a->kind == NET_IP4) {
        out->in4.sin_port = htons(a->port);
        memcpy(&out->in4.sin_addr, a->ip, sizeof(out->in4.sin_addr));
        return sizeof(out->in4);
    }
    if (a->kind == NET_IP6) {
        out->in6.sin6_port = htons(a->port);
        memcpy(&out->in6.sin6_addr, a->ip, sizeof(out->in6.sin6_addr));
        return sizeof(out->in6);
    }
    size_t n = strnlen(a->path, NET_PATH_MAX - 1);
    if (n >= sizeof(out->un.sun_path))
        n = 0; /* no room on this system: binding and connecting fail */
    memcpy(out->un.sun_path, a->path, n);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n + 1);
}

void net_from_system(const union net_sa *sa, struct net_address *out)
{
    *out = (struct net_address){0};
    if (sa->any.sa_family == AF_INET) {
        out->kind = NET_IP4;
        out->port = ntohs(sa->in4.sin_port);
        memcpy(out->ip, &sa->in4.sin_addr, sizeof(sa->in4.sin_addr));
    } else if (sa->any.sa_family == AF_INET6) {
        out->kind = NET_IP6;
        out->port = ntohs(sa->in6.sin6_port);
        memcpy(out->ip, &sa->in6.sin6_addr, sizeof(sa->in6.sin6_addr));
    } else if (sa->any.sa_family == AF_UNIX) {
        out->kind = NET_UNIX;
    }
}

bool net_read_ip(str text, struct net_address *out)
{
    char c[INET6_ADDRSTRLEN];
    *out = (struct net_address){0};
    if (text.n == 0 || text.n >= sizeof(c) || str_find_char(text, '\0') != STR_NONE)
        return false;
    memcpy(c, text.p, text.n);
    c[text.n] = '\0';
    out->kind = inet_pton(AF_INET, c, out->ip) == 1 ? NET_IP4 : NET_IP6;
    return out->kind == NET_IP4 || inet_pton(AF_INET6, c, out->ip) == 1;
}

static bool is_mapped(const struct net_address *a)
{
    static const uint8_t prefix[MAPPED] = {[10] = 0xFF, [11] = 0xFF};
    return a->kind == NET_IP6 && memcmp(a->ip, prefix, MAPPED) == 0;
}

void net_unmap(struct net_address *a)
{
    if (!is_mapped(a))
        return;
    a->kind = NET_IP4;
    memmove(a->ip, a->ip + MAPPED, sizeof(struct in_addr));
    memset(a->ip + sizeof(struct in_addr), 0, MAPPED);
}

str net_print(const struct net_address *a, char out[NET_TEXT_SIZE])
{
    struct net_address plain = *a;
    net_unmap(&plain);
    if (plain.kind == NET_IP4 || plain.kind == NET_IP6)
        inet_ntop(net_family(plain.kind), plain.ip, out, NET_TEXT_SIZE);
    else
        snprintf(out, NET_TEXT_SIZE, "unix");
    return str_c(out);
}

bool net_is_local(const struct net_address *a)
{
    static const uint8_t loopback[16] = {[15] = 1};
    struct net_address plain = *a;
    net_unmap(&plain);
    if (plain.kind == NET_IP4)
        return plain.ip[0] == 127;
    if (plain.kind == NET_IP6)
        return memcmp(plain.ip, loopback, sizeof(loopback)) == 0;
    return plain.kind == NET_UNIX; /* who can reach another kind is not known */
}

/* --- names --- */

bool net_look_up(const char *host, bool numeric, struct net_address *out, size_t max,
                 size_t *n)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM,
                             .ai_flags = numeric ? AI_NUMERICHOST : 0};
    struct addrinfo *found = NULL;
    *n = 0;
    if (getaddrinfo(host, NULL, &hints, &found) != 0)
        return false;
    for (const struct addrinfo *at = found; at != NULL && *n < max; at = at->ai_next)
        net_read_system(at->ai_addr, at->ai_addrlen, &out[(*n)++]);
    freeaddrinfo(found);
    return *n > 0;
}

void net_read_system(const void *sockaddr, size_t size, struct net_address *out)
{
    union net_sa sa = {0};
    memcpy(&sa, sockaddr, size < sizeof(sa) ? size : sizeof(sa));
    net_from_system(&sa, out);
}
