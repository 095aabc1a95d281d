#include <errno.h>
#include <unistd.h>

#include "base/os/file.h"

bool file_sync(int fd, enum file_sync what)
{
    if (what == FILE_SYNC_ALL)
        sync();
    return fsync(fd) == 0 || (what == FILE_SYNC_NAMES && errno == EINVAL);
}
