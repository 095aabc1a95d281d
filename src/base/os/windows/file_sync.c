#include <errno.h>

#include "base/os/windows/failure.h"
#include "base/os/windows/file_parts.h"

/* To flush needs the right to write, which a descriptor for reading does not have. */
static bool sync_again(HANDLE handle)
{
    HANDLE writer = nt_reopen(handle, FILE_WRITE_DATA, 0);
    if (writer == NULL)
        return false;
    bool ok = FlushFileBuffers(writer) || failure();
    CloseHandle(writer);
    return ok;
}

/* file_set_mode() has flushed what cannot be written to any more. */
static bool sync_is_fixed(HANDLE handle)
{
    FILE_BASIC_INFO basic;
    return GetFileInformationByHandleEx(handle, FileBasicInfo, &basic, sizeof(basic)) &&
           (basic.FileAttributes & FILE_ATTRIBUTE_READONLY) != 0;
}

/*
 * Only an administrator can flush a whole volume. So files that file_create() made are
 * flushed when they are closed (fd.h), and nothing is left to be done for all.
 */
bool file_sync(int fd, enum file_sync what)
{
    struct fd *f = fd_find(fd);
    if (f == NULL)
        return false;
    if (FlushFileBuffers(f->handle)) {
        f->unsaved = false;
        return true;
    }
    if (GetLastError() != ERROR_ACCESS_DENIED && f->kind != FD_FOLDER)
        return failure();
    return sync_again(f->handle) || f->kind == FD_FOLDER || sync_is_fixed(f->handle);
}
