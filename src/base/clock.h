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

/* --- the calendar --- */

/* A date of the Gregorian calendar, extended to all years, and a time of the day. */
struct clock_date {
    int64_t year;
    int month, day; /* from 1 on */
    int hour, minute, second;
};

/* Days since 1970-01-01, for any day (also one beyond the end of its month), and back: the
 * time of the day stays as it is. */
int64_t clock_days(int64_t year, int month, int day);
void clock_from_days(int64_t days, struct clock_date *out);

int clock_weekday(int64_t days); /* 0: Sunday */

struct clock_date clock_utc(int64_t seconds);
struct clock_date clock_local(int64_t seconds);

/* Back to seconds since 1970. Of a local time that there is twice, the later one; one that is
 * skipped is that much later. */
int64_t clock_from_utc(const struct clock_date *date);
int64_t clock_from_local(const struct clock_date *date);

enum { CLOCK_ISO_SIZE = 32 };

/* Write "2026-11-15T09:30:00Z" to out, CLOCK_ISO_SIZE bytes. Times are clamped to the
 * years 0000 to 9999. */
str clock_iso(int64_t seconds, char *out);

/* The other way round; fractions of a second are ignored. False: it is not such a time. */
MUST_CHECK bool clock_read_iso(str text, int64_t *seconds);
