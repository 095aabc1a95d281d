#include <libproc.h>
#include <mach/mach.h>
#include <unistd.h>

#include "base/os/machine.h"

uint64_t machine_memory(void)
{
    struct mach_task_basic_info info;
    mach_msg_type_number_t n = MACH_TASK_BASIC_INFO_COUNT;
    return task_info(mach_task_self(), MACH_TASK_BASIC_INFO, (task_info_t)&info, &n) ==
                   KERN_SUCCESS
               ? info.resident_size
               : 0;
}

/* At most 1024: more are not counted. */
size_t machine_descriptors(void)
{
    struct proc_fdinfo open[1024];
    int size = proc_pidinfo(getpid(), PROC_PIDLISTFDS, 0, open, sizeof(open));
    return size > 0 ? (size_t)size / sizeof(*open) : 0;
}
