#include "base/os/uv/watcher_own.h"

#include "base/os/file.h"
#include "base/os/watcher.h"
#include "base/os/windows/fd.h"

const char *watcher_name(void)
{
    return "ReadDirectoryChangesW";
}

/* Shares have paths of their own, but a drive may be one, too. */
bool watcher_is_local(int fd)
{
    const struct fd *f = fd_find(fd);
    FILE_REMOTE_PROTOCOL_INFO remote;
    return f != NULL && !GetFileInformationByHandleEx(f->handle, FileRemoteProtocolInfo,
                                                      &remote, sizeof(remote));
}

void watcher_clean(char *path)
{
    for (; *path != '\0'; path++)
        *path = *path == '\\' ? '/' : *path;
}
