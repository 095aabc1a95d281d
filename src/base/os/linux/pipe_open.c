#include <fcntl.h>
#include <unistd.h>

#include "base/os/pipe.h"

bool pipe_open(int ends[2])
{
    return pipe2(ends, O_CLOEXEC) == 0;
}
