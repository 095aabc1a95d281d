#include <errno.h>
#include <stdio.h>

#include "base/os/file.h"
#include "base/os/posix/at.h"

bool file_rename(int from_dir, const char *from, int to_dir, const char *to,
                 enum file_rename how)
{
    static const unsigned flags[] = {
        [FILE_NOREPLACE] = RENAME_EXCL, [FILE_EXCHANGE] = RENAME_SWAP};
    if (renameatx_np(at(from_dir), from, at(to_dir), to, flags[how]) == 0)
        return true;
    if (how != FILE_REPLACE && (errno == EINVAL || errno == EOPNOTSUPP))
        errno = ENOTSUP;
    return false;
}
