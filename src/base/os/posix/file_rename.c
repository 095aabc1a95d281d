#include <errno.h>
#include <stdio.h>

#include "base/os/file.h"
#include "base/os/posix/at.h"

bool file_rename(int from_dir, const char *from, int to_dir, const char *to,
                 enum file_rename how)
{
    if (how == FILE_REPLACE)
        return renameat(at(from_dir), from, at(to_dir), to) == 0;
    errno = ENOTSUP;
    return false;
}
