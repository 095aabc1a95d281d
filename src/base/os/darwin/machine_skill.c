/* The table that __builtin_cpu_supports() reads is not in every compiler's library for this
 * system, whose kernel knows it as well: also for a program that Rosetta translates. */
#include <stdatomic.h>
#include <sys/sysctl.h>

#include "base/os/machine.h"

bool machine_can(enum machine_skill skill)
{
    static const char *const names[] = {
        [MACHINE_SSSE3] = "hw.optional.supplementalsse3",
        [MACHINE_AVX2] = "hw.optional.avx2_0",
        [MACHINE_FMA] = "hw.optional.fma",
    };
    enum { UNKNOWN, NO, YES };
    static atomic_int known[sizeof(names) / sizeof(*names)];
    int found = atomic_load_explicit(&known[skill], memory_order_relaxed);
    if (found == UNKNOWN) {
        int value = 0;
        size_t size = sizeof(value);
        bool can = sysctlbyname(names[skill], &value, &size, NULL, 0) == 0 && value != 0;
        atomic_store_explicit(&known[skill], found = can ? YES : NO,
                              memory_order_relaxed);
    }
    return found == YES;
}
