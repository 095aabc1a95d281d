#include <errno.h>
#include <unistd.h>

#include "base/os/file.h"

bool file_sync(int fd, enum file_sync what)
{
    switch (what) {
    case FILE_SYNC_BYTES:
        return fdatasync(fd) == 0;
    case FILE_SYNC_FILE:
        return fsync(fd) == 0;
    case FILE_SYNC_NAMES:
        return fsync(fd) == 0 || errno == EINVAL;
    case FILE_SYNC_ALL:
        break;
    }
    return syncfs(fd) == 0;
}
