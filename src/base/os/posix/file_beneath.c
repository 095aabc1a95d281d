#include <errno.h>
#include <fcntl.h>

#include "base/os/folder.h"

#ifndef O_SEARCH
#define O_SEARCH O_RDONLY
#endif

bool file_beneath(int root, const char *path, enum file_want want, int *fd,
                  struct file_stat *out)
{
    (void)root, (void)path, (void)want, (void)fd, (void)out;
    errno = ENOSYS;
    return false;
}

int folder_enter(int dir, const char *name)
{
    return openat(dir, name, O_SEARCH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}
