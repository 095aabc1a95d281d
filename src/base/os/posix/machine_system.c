#include "base/os/machine.h"

enum machine_system machine_system(void)
{
    return MACHINE_LINUX;
}
