/*
 * lease - which of the processes with the same database are alive.
 *
 * A process whose store is kept (store_keep()) sends a heartbeat every PG_BEAT_MS, by the
 * clock of the database. One without a heartbeat for LEASE_MS is gone: killed, hung, or
 * cut off from the database. The latter two may continue later: a process that is gone
 * may still change something.
 *
 * A store in a file or in memory has no other processes.
 */
#pragma once

#include "state/store.h"

enum { LEASE_MS = 5 * 2000 }; /* five beats: PG_BEAT_MS */

/* The name of this process, another one after each start; empty: the store is not
 * shared. */
str lease_own(struct store *s);

/*
 * Whether the process of that name is gone. False when unsure: the database does not
 * answer, or has answered us for less than LEASE_MS, because after an outage others need
 * that time, too. Waits for the database.
 */
bool lease_is_gone(struct store *s, str process);
