/* openat2() keeps a path beneath a root; O_PATH looks without touching. */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/os/folder.h"

enum { AGAIN_MAX = 128 }; /* openat2 fails with EAGAIN during concurrent renames */

/* A symlink anywhere in the path is ELOOP, even where O_DIRECTORY would give ENOTDIR. */
static int call_openat2(int dir, const char *path, int flags)
{
    struct open_how how = {
        .flags = (unsigned)(flags | O_CLOEXEC),
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_SYMLINKS,
    };
    int fd = -1;
    for (int i = 0; i < AGAIN_MAX; i++) {
        fd = (int)syscall(SYS_openat2, dir, path, &how, sizeof(how));
        if (fd >= 0 || (errno != EAGAIN && errno != EINTR))
            break;
    }
    return fd;
}

bool file_beneath(int root, const char *path, enum file_want want, int *fd,
                  struct file_stat *out)
{
    static const int flags[] = {
        [FILE_LOOK] = O_PATH,
        [FILE_READ] = O_RDONLY | O_NONBLOCK | O_NOCTTY,
        [FILE_LIST] = O_RDONLY | O_DIRECTORY,
    };
    AUTO_CLOSE int found = call_openat2(root, path, flags[want]);
    if (found < 0 || (want != FILE_LIST && !file_stat(found, out)))
        return false;
    if (want != FILE_LOOK)
        *fd = TAKE(found);
    return true;
}

int folder_enter(int dir, const char *name)
{
    return openat(dir, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}
