#include <errno.h>

#include "base/os/file.h"

bool file_find_path(int fd, char *out, size_t size)
{
    (void)fd, (void)out, (void)size;
    errno = ENOTSUP;
    return false;
}
