#include "base/clock.h"

#include <stdio.h>
#include <time.h>

/* Years 0000 to 9999: other years do not fit an ISO 8601 date of 20 bytes. */
static const int64_t ISO_FIRST = -62167219200, ISO_LAST = 253402300799;

uint64_t clock_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint64_t clock_thread_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint64_t clock_ms(void)
{
    return clock_ns() / 1000000u;
}

int64_t clock_wall_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return t.tv_sec * 1000000000 + t.tv_nsec;
}

int64_t clock_now(void)
{
    return clock_wall_ns() / 1000000000;
}

int clock_utc_offset(int64_t seconds)
{
    time_t t = (time_t)seconds;
    struct tm local;
    return localtime_r(&t, &local) != NULL ? (int)local.tm_gmtoff : 0;
}

str clock_iso(int64_t seconds, char *out)
{
    if (seconds < ISO_FIRST)
        seconds = ISO_FIRST;
    if (seconds > ISO_LAST)
        seconds = ISO_LAST;
    time_t t = (time_t)seconds;
    struct tm utc;
    gmtime_r(&t, &utc);
    int n = snprintf(out, CLOCK_ISO_SIZE, "%04d-%02d-%02dT%02d:%02d:%02dZ",
                     utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday, utc.tm_hour,
                     utc.tm_min, utc.tm_sec);
    return (str){out, (size_t)n};
}
