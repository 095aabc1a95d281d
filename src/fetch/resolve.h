/*
 * resolve - the addresses of a host, within a deadline.
 *
 * net_look_up() has no deadline: a silent name server makes it wait for half a minute or
 * more. So it runs on a separate thread, which is abandoned when the time is over and
 * ends by itself later. At most RESOLVE_AT_ONCE such threads exist, abandoned ones
 * included; for names from untrusted parties, at most RESOLVE_STRANGERS, so that they
 * cannot keep others from their look-ups. Safe from any thread except the loop's.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "base/os/net.h"

enum {
    RESOLVE_AT_ONCE = 8,
    RESOLVE_STRANGERS = 5,
    RESOLVE_MAX = 16 /* addresses of a host; more are ignored */
};

struct resolved {
    struct net_address addresses[RESOLVE_MAX];
    size_t n;
    bool numeric; /* the host was an address in the first place */
};

/* As net_look_up(), for tests. */
typedef bool resolve_fn(const char *host, bool numeric, struct net_address *out,
                        size_t max, size_t *n);

/*
 * host: a name, or an address without brackets. look_up NULL: net_look_up(). Fails with
 * E_FETCH_DNS if there is no address, E_FETCH_TIMEOUT after ms, and ERR_BUSY if too many
 * look-ups are going on, or after resolve_stop(). stranger: an untrusted party chose it.
 */
MUST_CHECK bool resolve_host(str host, unsigned ms, bool stranger, resolve_fn *look_up,
                             struct resolved *out, struct err *err);

/* Shutdown: waiting calls return at once. From any thread. */
void resolve_stop(void);
