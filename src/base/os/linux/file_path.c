#include <stdio.h>

#include "base/os/file.h"

bool file_find_path(int fd, char *out, size_t size)
{
    char name[32];
    str target;
    snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
    if (!file_read_symlink(FILE_CWD, name, out, size - 1, &target))
        return false;
    out[target.n] = '\0';
    return true;
}
