#include "base/os/posix/at.h"
#include "base/os/posix/stat.h"

bool file_stat(int fd, struct file_stat *out)
{
    struct stat st;
    if (fstat(fd, &st) != 0)
        return false;
    stat_convert(&st, out);
    return true;
}

bool file_stat_at(int dir, const char *path, enum file_end end, struct file_stat *out)
{
    struct stat st;
    if (fstatat(at(dir), path, &st, end == FILE_NO_LINK ? AT_SYMLINK_NOFOLLOW : 0) != 0)
        return false;
    stat_convert(&st, out);
    return true;
}
