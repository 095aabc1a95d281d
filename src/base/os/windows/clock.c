#include "base/clock.h"

#include "base/os/windows/base.h"

enum { SECOND = 1000000000, TICK = 100 };          /* nanoseconds */
static const int64_t EPOCH = 116444736000000000LL; /* 1970, in ticks since 1601 */

static int64_t ticks_of(FILETIME t)
{
    return (int64_t)((uint64_t)t.dwHighDateTime << 32 | t.dwLowDateTime);
}

uint64_t clock_ns(void)
{
    LARGE_INTEGER now, rate;
    QueryPerformanceFrequency(&rate);
    QueryPerformanceCounter(&now);
    uint64_t n = (uint64_t)now.QuadPart, per = (uint64_t)rate.QuadPart;
    return n / per * SECOND + n % per * SECOND / per;
}

uint64_t clock_thread_ns(void)
{
    FILETIME born, ended, kernel, user;
    if (!GetThreadTimes(GetCurrentThread(), &born, &ended, &kernel, &user))
        return 0;
    return (uint64_t)(ticks_of(kernel) + ticks_of(user)) * TICK;
}

uint64_t clock_boot_ms(void)
{
    return GetTickCount64(); /* counts while the machine sleeps */
}

int64_t clock_wall_ns(void)
{
    FILETIME now;
    GetSystemTimePreciseAsFileTime(&now);
    return (ticks_of(now) - EPOCH) * TICK;
}

/* By the rules of the date's year; Wine has only the call that takes those of this year. */
static BOOL local_time(const SYSTEMTIME *utc, SYSTEMTIME *out)
{
#if VAULTD_WINE
    return SystemTimeToTzSpecificLocalTime(NULL, utc, out);
#else
    return SystemTimeToTzSpecificLocalTimeEx(NULL, utc, out);
#endif
}

/* Windows knows the years 1601 to 30827: others are like one of these, which has the same
 * calendar every 400 years. */
int clock_utc_offset(int64_t seconds)
{
    static const int64_t cycle = 146097LL * 86400, first = -11644473600,
                         last = 900000000000;
    if (seconds < first + cycle)
        seconds = first + cycle + ((seconds - first) % cycle + cycle) % cycle;
    if (seconds > last)
        seconds = last - cycle + (seconds - last) % cycle;
    int64_t utc = seconds * (SECOND / TICK) + EPOCH;
    FILETIME time = {(DWORD)utc, (DWORD)((uint64_t)utc >> 32)}, there;
    SYSTEMTIME date, local;
    if (!FileTimeToSystemTime(&time, &date) || !local_time(&date, &local) ||
        !SystemTimeToFileTime(&local, &there))
        return 0;
    return (int)((ticks_of(there) - utc) / (SECOND / TICK));
}
