#include "oauth/lockout.h"

#include <arpa/inet.h>

#include "base/arena.h"
#include "oauth/limiter.h"

enum { IPV6_NETWORK = 8 /* bytes */ };

static const struct limiter_rule user_rule = {
    .limit = LOCKOUT_USER_FAILURES,
    .window_ms = LOCKOUT_WINDOW_S * 1000ULL,
    .penalty_ms = LOCKOUT_FIRST_S * 1000ULL,
    .penalty_max_ms = LOCKOUT_LONGEST_S * 1000ULL,
};
static const struct limiter_rule peer_rule = {
    .limit = LOCKOUT_PEER_FAILURES,
    .window_ms = LOCKOUT_WINDOW_S * 1000ULL,
};
static const struct limiter_rule all_rule = {
    .limit = LOCKOUT_ALL_PER_MINUTE,
    .window_ms = 60 * 1000ULL,
};

struct lockout {
    struct limiter *users, *peers, *all;
};

struct lockout *lockout_create(void)
{
    struct lockout *l = mem_zero(sizeof(*l));
    l->users = limiter_create(&user_rule);
    l->peers = limiter_create(&peer_rule);
    l->all = limiter_create(&all_rule);
    return l;
}

void lockout_free(struct lockout *l)
{
    if (l == NULL)
        return;
    limiter_free(l->users);
    limiter_free(l->peers);
    limiter_free(l->all);
    free(l);
}

/* Anyone with an IPv6 address usually has 2^64 of them, so count the network. */
static str network_of(str peer, struct in6_addr *room)
{
    char text[INET6_ADDRSTRLEN];
    if (peer.n >= sizeof(text))
        return peer;
    memcpy(text, peer.p, peer.n);
    text[peer.n] = '\0';
    if (inet_pton(AF_INET6, text, room) != 1 || IN6_IS_ADDR_V4MAPPED(room))
        return peer;
    return (str){(const char *)room, IPV6_NETWORK};
}

bool lockout_begin(struct lockout *l, str user, str peer, uint64_t now_ms,
                   unsigned *retry_after)
{
    struct in6_addr room;
    str network = network_of(peer, &room);
    uint64_t wait = 0;
    bool ok = limiter_take(l->all, STR(""), now_ms, &wait);
    if (ok && !limiter_take(l->peers, network, now_ms, &wait)) {
        limiter_give_back(l->all, STR(""), now_ms);
        ok = false;
    }
    if (ok && !limiter_take(l->users, user, now_ms, &wait)) {
        limiter_give_back(l->all, STR(""), now_ms);
        limiter_give_back(l->peers, network, now_ms);
        ok = false;
    }
    if (!ok)
        *retry_after = (unsigned)((wait + 999) / 1000);
    return ok;
}

void lockout_end(struct lockout *l, str user, str peer, uint64_t now_ms,
                 enum lockout_end how)
{
    struct in6_addr room;
    if (how == LOCKOUT_FAILED)
        return;
    limiter_give_back(l->all, STR(""), now_ms);
    limiter_give_back(l->peers, network_of(peer, &room), now_ms);
    if (how == LOCKOUT_SIGNED_IN)
        limiter_clear(l->users, user);
    else
        limiter_give_back(l->users, user, now_ms);
}
