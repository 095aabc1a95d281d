/*
 * until - tests wait for a condition, not for a time. The bound only turns a hang into a failure, so it is generous:
 * the machine may be busy. What an operation costs is measured in processor time, which others do not use up.
 */
#pragma once

#include <stdint.h>
#include <time.h>

#include "check.h"

enum { UNTIL_S = 300, UNTIL_MS = UNTIL_S * 1000 };

static inline uint64_t until_now_ms(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static inline uint64_t cpu_ms(void)
{
    return until_now_ms(CLOCK_PROCESS_CPUTIME_ID);
}

#define UNTIL(condition)                                                                 \
    do {                                                                                 \
        uint64_t end_ = until_now_ms(CLOCK_MONOTONIC) + UNTIL_MS;                        \
        while (!(condition)) {                                                           \
            if (until_now_ms(CLOCK_MONOTONIC) > end_)                                    \
                fail_msg("waited in vain for %s", #condition);                           \
            nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);                     \
        }                                                                                \
    } while (0)
