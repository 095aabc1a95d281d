/*
 * duty - work that only one of the processes with the same database does at a time, such
 * as publishing, or removing what has expired.
 *
 * A process has a duty until it leaves it, or its connection to the database is lost: then
 * the database gives it to the next one that asks, without knowing whether the first one
 * has noticed. So whatever the work changes elsewhere should be given the fence, a number
 * that grows with each new holder, and refuse smaller ones; duty_holds() before each step
 * makes the time short in which two believe that they have it.
 *
 * In a file or in memory there is nobody else: the duty can always be taken.
 */
#pragma once

#include "state/store.h"

enum { DUTY_NAME_MAX = 100 };

/* Try to have the duty called name; if we have it already, the fence is the same. False:
 * another process has it, or the database does not answer. */
MUST_CHECK bool duty_take(struct store *s, str name, uint64_t *fence);

/* Asks the database. False when unsure. */
bool duty_holds(struct store *s, str name, uint64_t fence);

void duty_leave(struct store *s, str name);
