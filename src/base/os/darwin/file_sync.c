#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/os/file.h"

/* fsync() leaves bytes in the cache of the disk. Not every file system can do more. */
bool file_sync(int fd, enum file_sync what)
{
    if (what == FILE_SYNC_ALL)
        sync();
    return fcntl(fd, F_FULLFSYNC) == 0 || fsync(fd) == 0 ||
           (what == FILE_SYNC_NAMES && errno == EINVAL);
}
