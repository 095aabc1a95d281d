#include "base/os/uv/watcher_own.h"

#include <sys/mount.h>

#include "base/os/watcher.h"

const char *watcher_name(void)
{
    return "FSEvents";
}

bool watcher_is_local(int fd)
{
    struct statfs system;
    return fstatfs(fd, &system) == 0 && (system.f_flags & MNT_LOCAL) != 0;
}

void watcher_clean(char *path)
{
    (void)path;
}
