#include <fcntl.h>
#include <unistd.h>

#include "base/os/pipe.h"

bool pipe_open(int ends[2])
{
    if (pipe(ends) != 0)
        return false;
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    return true;
}
