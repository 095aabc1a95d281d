/*
 * A library for LD_PRELOAD that shifts the wall clock by SHIFT_SECONDS and leaves monotonic clocks alone, so that timers
 * of the program keep their pace. The kernel's own times, such as those of files, are not shifted. faketime shifts the clocks
 * of conditions and timers, too, and breaks programs on any day.
 */
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *out);
int gettimeofday(struct timeval *restrict out, void *restrict zone);
time_t time(time_t *out);
int timespec_get(struct timespec *out, int base);

static time_t shift;

__attribute__((constructor)) static void shift_read(void)
{
    const char *told = getenv("SHIFT_SECONDS");
    shift = told != NULL ? (time_t)strtoll(told, NULL, 10) : 0;
}

int clock_gettime(clockid_t clock, struct timespec *out)
{
    int failed = (int)syscall(SYS_clock_gettime, clock, out);
    if (failed == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
        out->tv_sec += shift;
    return failed;
}

int gettimeofday(struct timeval *restrict out, void *restrict zone)
{
    struct timespec now;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &now);
    *out = (struct timeval){now.tv_sec, now.tv_nsec / 1000};
    return 0;
}

time_t time(time_t *out)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (out != NULL)
        *out = now.tv_sec;
    return now.tv_sec;
}

int timespec_get(struct timespec *out, int base)
{
    return base == TIME_UTC && clock_gettime(CLOCK_REALTIME, out) == 0 ? base : 0;
}
