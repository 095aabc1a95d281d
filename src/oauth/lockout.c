#include "oauth/lockout.h"

#include "base/arena.h"
#include "http/address.h"
#include "oauth/limiter.h"

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

bool lockout_begin(struct lockout *l, str user, str peer, uint64_t now_ms,
                   unsigned *retry_after)
{
    char room[NET_TEXT_SIZE];
    str network = http_address_network(peer, room);
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
    char room[NET_TEXT_SIZE];
    if (how == LOCKOUT_FAILED)
        return;
    limiter_give_back(l->all, STR(""), now_ms);
    limiter_give_back(l->peers, http_address_network(peer, room), now_ms);
    if (how == LOCKOUT_SIGNED_IN)
        limiter_clear(l->users, user);
    else
        limiter_give_back(l->users, user, now_ms);
}
