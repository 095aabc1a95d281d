#include "base/clock.h"

/* On macOS the monotonic clock counts while the machine sleeps. */
uint64_t clock_boot_ms(void)
{
    return clock_ms();
}
