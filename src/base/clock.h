/*
 * clock - time: monotonic for durations, wall clock for people.
 */
#pragma once

#include "base/str.h"

/* Never goes backwards; unrelated to the date. */
uint64_t clock_ns(void);
uint64_t clock_ms(void);

/* Processor time of the calling thread, in nanoseconds. */
uint64_t clock_thread_ns(void);

/* The same, but it also counts while the machine sleeps. */
uint64_t clock_boot_ms(void);

/* Seconds since 1970, UTC. */
int64_t clock_now(void);

/* The same in nanoseconds. */
int64_t clock_wall_ns(void);

/* The offset of local time from UTC at that time, in seconds. */
int clock_utc_offset(int64_t seconds);

enum { CLOCK_ISO_SIZE = 32 };

/* Write "2026-11-15T09:30:00Z" to out, CLOCK_ISO_SIZE bytes. Times are clamped to the
 * years 0000 to 9999. */
str clock_iso(int64_t seconds, char *out);
