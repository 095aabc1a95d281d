#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>

#include "base/os/file.h"

bool file_find_path(int fd, char *out, size_t size)
{
    char path[PATH_MAX];
    if (fcntl(fd, F_GETPATH, path) != 0)
        return false;
    if ((size_t)snprintf(out, size, "%s", path) < size)
        return true;
    errno = ENAMETOOLONG;
    return false;
}
