/*
 * clock - time: monotonic for durations, wall clock for people.
 */
#pragma once

#include "base/str.h"

/* Never goes back; unrelated to the date. */
uint64_t clock_ns(void);
uint64_t clock_ms(void);

/* Seconds since 1970, UTC. */
int64_t clock_now(void);

/* The same in nanoseconds. */
int64_t clock_wall_ns(void);

/* Seconds that the clock people read here is ahead of UTC at that time. */
int clock_utc_offset(int64_t seconds);

enum { CLOCK_ISO_SIZE = 32 };

/* "2026-11-15T09:30:00Z" into out, CLOCK_ISO_SIZE bytes. Stays within the years 0000 to
 * 9999. */
str clock_iso(int64_t seconds, char *out);
