/*
 * lockout - limits attempts to guess a password (SEC-52), without locking its owner out.
 *
 * A browser in which a user has signed in before has a device cookie (device.c). Its
 * attempts count for it alone, so no one else can lock it out. All others are strangers,
 * and their attempts count four times: for the name and network together, which are
 * locked out after a few; for the network (IPv6: /64), for its site (/48, IPv4 /24), for
 * the name (whether it exists or not), and in all. When others have used up what a name
 * may have, or all names together, a site without failures still has a slow lane, the
 * reserve: so the right password is accepted from a new place, and guessing is
 * rate-limited, whatever addresses it comes from.
 *
 * An attempt counts as a failure as soon as it starts, so that parallel attempts gain
 * nothing; if it succeeds, that is undone. Safe from any thread; time as in limiter.h.
 *
 * Servers that share a database count together, in the database; each of them also counts
 * for itself, first.
 */
#pragma once

#include "base/str.h"

enum {
    LOCKOUT_USER_FAILURES = 5, /* of a name in a network, or a browser; then locked out */
    LOCKOUT_PEER_FAILURES = 20,
    LOCKOUT_SITE_FAILURES = 60,
    LOCKOUT_NAME_FAILURES = 50,
    LOCKOUT_WINDOW_S = 15 * 60, /* for all of these */
    LOCKOUT_FIRST_S = 30,       /* doubles with each further failure */
    LOCKOUT_LONGEST_S = 15 * 60,
    LOCKOUT_ALL_PER_MINUTE = 100,
    LOCKOUT_NAME_RESERVE_S =
        30,                   /* one attempt for a name, from a site without failures */
    LOCKOUT_ALL_RESERVE = 20, /* per minute, the same in all */
};

struct lockout;
struct store;

struct lockout *lockout_create(void);
void lockout_free(struct lockout *l); /* NULL is allowed */

/* Count in a store that others use, too (store_is_shared()); before the first attempt. */
void lockout_share(struct lockout *l, struct store *s);

struct lockout_try {
    str user, peer;
    str device; /* of a browser in which the user has signed in before; else empty */

    /* Private: what was counted, here and in the shared store. */
    unsigned taken, taken_together;
};

/* False: locked out for *retry_after seconds; 0: the shared store does not answer. */
bool lockout_begin(struct lockout *l, struct lockout_try *t, uint64_t now_ms,
                   unsigned *retry_after);

enum lockout_end {
    LOCKOUT_FAILED,
    LOCKOUT_SIGNED_IN, /* clears the user there */
    LOCKOUT_NOT_TRIED, /* the password was not checked */
};
void lockout_end(struct lockout *l, struct lockout_try *t, uint64_t now_ms,
                 enum lockout_end how);
