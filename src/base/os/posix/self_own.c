#include <unistd.h>

#include "base/os/self.h"

void self_hide_memory(void)
{
}

void parent_watch(struct parent *p)
{
    *p = (struct parent){.fd = -1, .pid = getppid()};
}
