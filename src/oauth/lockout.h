/*
 * lockout - limits attempts to guess a password (SEC-52).
 *
 * Three limits apply: per user name (whether it exists or not), per client address (IPv6:
 * its /64 network) and in total. An attempt counts as a failure as soon as it starts, so
 * that parallel attempts gain nothing; if it succeeds, that is taken back. Safe from any
 * thread; time as in limiter.h.
 *
 * Servers that share a database count all three together, in the database; each of them
 * also counts for itself, first.
 */
#pragma once

#include "base/str.h"

enum {
    LOCKOUT_USER_FAILURES = 5, /* in the window, then locked out */
    LOCKOUT_PEER_FAILURES = 20,
    LOCKOUT_WINDOW_S = 15 * 60,
    LOCKOUT_FIRST_S = 30, /* doubles with each further failure */
    LOCKOUT_LONGEST_S = 15 * 60,
    LOCKOUT_ALL_PER_MINUTE = 100,
};

struct lockout;
struct store;

struct lockout *lockout_create(void);
void lockout_free(struct lockout *l); /* NULL is allowed */

/* Count in a store that others use, too (store_is_shared()); before the first attempt. */
void lockout_share(struct lockout *l, struct store *s);

/* False: locked out for *retry_after seconds; 0: the shared store does not answer. */
bool lockout_begin(struct lockout *l, str user, str peer, uint64_t now_ms,
                   unsigned *retry_after);

enum lockout_end {
    LOCKOUT_FAILED,
    LOCKOUT_SIGNED_IN, /* clears the user */
    LOCKOUT_NOT_TRIED, /* the password was not checked */
};
void lockout_end(struct lockout *l, str user, str peer, uint64_t now_ms,
                 enum lockout_end how);
