/*
 * lockout - when somebody may try a password (SEC-52).
 *
 * Three limits at once: for the name that is tried (whether it exists or not), for the
 * address it comes from (IPv6: its network of 64 bits) and for all together. A try counts
 * as a failure as soon as it begins, so that many at a time gain nothing; the end takes
 * that back when it was none. Safe from any thread; time as in limiter.h.
 */
#pragma once

#include "base/str.h"

enum {
    LOCKOUT_USER_FAILURES = 5, /* in the window, then shut out */
    LOCKOUT_PEER_FAILURES = 20,
    LOCKOUT_WINDOW_S = 15 * 60,
    LOCKOUT_FIRST_S = 30, /* doubles with each further failure */
    LOCKOUT_LONGEST_S = 15 * 60,
    LOCKOUT_ALL_PER_MINUTE = 100,
};

struct lockout;

struct lockout *lockout_create(void);
void lockout_free(struct lockout *l); /* NULL is fine */

/* False: not now, but in *retry_after seconds. */
bool lockout_begin(struct lockout *l, str user, str peer, uint64_t now_ms,
                   unsigned *retry_after);

enum lockout_end {
    LOCKOUT_FAILED,
    LOCKOUT_SIGNED_IN, /* clears the user */
    LOCKOUT_NOT_TRIED, /* there was no time to look */
};
void lockout_end(struct lockout *l, str user, str peer, uint64_t now_ms,
                 enum lockout_end how);
