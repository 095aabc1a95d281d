#include "base/clock.h"

#include <time.h>

static uint64_t clock_read(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint64_t clock_ns(void)
{
    return clock_read(CLOCK_MONOTONIC);
}

uint64_t clock_thread_ns(void)
{
    return clock_read(CLOCK_THREAD_CPUTIME_ID);
}

int64_t clock_wall_ns(void)
{
    return (int64_t)clock_read(CLOCK_REALTIME);
}

int clock_utc_offset(int64_t seconds)
{
    time_t t = (time_t)seconds;
    struct tm local;
    return localtime_r(&t, &local) != NULL ? (int)local.tm_gmtoff : 0;
}
