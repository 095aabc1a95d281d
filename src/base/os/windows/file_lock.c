/*
 * Locks of Windows forbid others to read and write the bytes: so those that are locked are
 * far beyond the end of any file, one for each kind of lock. Folders have no bytes: there, a
 * kernel object exists while one is locked.
 */
#include <errno.h>
#include <stdio.h>

#include "base/os/windows/failure.h"
#include "base/os/windows/file_parts.h"

enum lock_kind { LOCK_KIND_FILE, LOCK_KIND_BYTES };

static OVERLAPPED lock_place(enum lock_kind kind)
{
    return (OVERLAPPED){.Offset = 0xFFFFFFF0u + (DWORD)kind, .OffsetHigh = 0x7FFFFFFF};
}

static bool lock_place_of(struct fd *f, enum lock_kind kind)
{
    OVERLAPPED at = lock_place(kind);
    if (f->locked[kind] ||
        LockFileEx(f->handle, LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY, 0, 1,
                   0, &at)) {
        f->locked[kind] = true;
        return true;
    }
    DWORD error = GetLastError();
    bool taken = error == ERROR_IO_PENDING || error == ERROR_LOCK_VIOLATION;
    errno = !taken                   ? failure_number(error)
            : kind == LOCK_KIND_FILE ? EWOULDBLOCK
                                     : EAGAIN; /* as these calls say it elsewhere */
    return false;
}

static void unlock_place(int fd, enum lock_kind kind)
{
    struct fd *f = fd_find(fd);
    OVERLAPPED at = lock_place(kind);
    if (f == NULL || !f->locked[kind])
        return;
    UnlockFileEx(f->handle, 0, 1, 0, &at);
    f->locked[kind] = false;
}

/* Whoever creates the object has the lock. It is gone with the last handle, also when the
 * process ends; a mutex that is taken would belong to one thread. */
static bool lock_folder(struct fd *f)
{
    wchar_t name[64];
    struct file_stat st;
    if (f->lock != NULL)
        return true;
    if (!file_stat_of(&(struct nt_file){.handle = f->handle}, &st))
        return false;
    swprintf(name, COUNT_OF(name), L"Local\\vaultd-%llx-%llx",
             (unsigned long long)st.device, (unsigned long long)st.inode);
    HANDLE object = CreateMutexW(NULL, FALSE, name);
    DWORD error = GetLastError();
    if (object != NULL && error != ERROR_ALREADY_EXISTS) {
        f->lock = object;
        return true;
    }
    if (object != NULL)
        CloseHandle(object);
    errno = EWOULDBLOCK; /* also if that of another user may not be opened */
    return false;
}

bool file_lock(int fd)
{
    struct fd *f = fd_find(fd);
    if (f == NULL)
        return false;
    return f->kind == FD_FOLDER ? lock_folder(f) : lock_place_of(f, LOCK_KIND_FILE);
}

void file_unlock(int fd)
{
    struct fd *f = fd_find(fd);
    if (f != NULL && f->lock != NULL) {
        CloseHandle(f->lock);
        f->lock = NULL;
    } else {
        unlock_place(fd, LOCK_KIND_FILE);
    }
}

bool file_lock_bytes(int fd)
{
    struct fd *f = fd_find(fd);
    return f != NULL && lock_place_of(f, LOCK_KIND_BYTES);
}

void file_unlock_bytes(int fd)
{
    unlock_place(fd, LOCK_KIND_BYTES);
}
