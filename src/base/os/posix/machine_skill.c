#include "base/os/machine.h"

bool machine_can(enum machine_skill skill)
{
#ifdef __x86_64__
    switch (skill) {
    case MACHINE_SSSE3:
        return __builtin_cpu_supports("ssse3");
    case MACHINE_AVX2:
        return __builtin_cpu_supports("avx2");
    case MACHINE_FMA:
        return __builtin_cpu_supports("fma");
    }
#endif
    return false;
}
