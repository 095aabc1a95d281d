/*
 * leader - work that only one of the processes with the same database does at a time,
 * such as publishing, or removing what has expired: leader election by an advisory lock.
 *
 * A process leads until it resigns, or its connection to the database is lost: then the
 * database elects the next one that asks, without knowing whether the first one has
 * noticed. So whatever the work changes elsewhere should get the fencing token, a number
 * that grows with each new leader, and refuse smaller ones; leader_holds() before each
 * step keeps the time short in which two processes believe that they lead.
 *
 * Without a database (NULL), in a file or in memory there are no other processes: it
 * always leads.
 */
#pragma once

#include "state/store.h"

enum { LEADER_NAME_MAX = 100 };

/* Try to lead the work called name; if we do already, the fence is the same. False:
 * another process leads, or the database does not answer. */
MUST_CHECK bool leader_take(struct store *s, str name, uint64_t *fence);

/* Asks the database. False when unsure. */
bool leader_holds(struct store *s, str name, uint64_t fence);

void leader_leave(struct store *s, str name);
