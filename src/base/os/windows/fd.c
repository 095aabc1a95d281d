#include "base/os/windows/fd.h"

#include <errno.h>

#include "base/os/file.h"
#include "base/os/windows/pump.h"

static SRWLOCK fd_lock = SRWLOCK_INIT; /* of which numbers are taken */
static struct fd fd_table[FD_MAX];

enum fd_kind fd_kind_of(HANDLE handle)
{
    DWORD mode;
    switch (GetFileType(handle)) {
    case FILE_TYPE_DISK:
        return FD_FILE;
    case FILE_TYPE_PIPE:
        return FD_PIPE;
    case FILE_TYPE_CHAR:
        return GetConsoleMode(handle, &mode) ? FD_CONSOLE : FD_DEVICE;
    default:
        return FD_NONE;
    }
}

static BOOL CALLBACK fd_inherit(INIT_ONCE *once, void *arg, void **context)
{
    static const DWORD names[] = {STD_INPUT_HANDLE, STD_OUTPUT_HANDLE, STD_ERROR_HANDLE};
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        HANDLE handle = GetStdHandle(names[i]);
        bool any = handle != NULL && handle != INVALID_HANDLE_VALUE;
        fd_table[i] = (struct fd){.kind = any ? fd_kind_of(handle) : FD_NONE,
                                  .handle = handle,
                                  .inherited = true};
        if (any) /* only what child_start() names is inherited */
            SetHandleInformation(handle, HANDLE_FLAG_INHERIT, 0);
    }
    return TRUE;
}

static void fd_begin(void)
{
    static INIT_ONCE once = INIT_ONCE_STATIC_INIT;
    InitOnceExecuteOnce(&once, fd_inherit, NULL, NULL);
}

int fd_add(enum fd_kind kind, HANDLE handle)
{
    fd_begin();
    AcquireSRWLockExclusive(&fd_lock);
    int number = FILE_STDERR + 1;
    while (number < FD_MAX && fd_table[number].kind != FD_NONE)
        number++;
    if (number < FD_MAX)
        fd_table[number] = (struct fd){.kind = kind, .handle = handle};
    ReleaseSRWLockExclusive(&fd_lock);
    if (number < FD_MAX)
        return number;
    fd_end(&(struct fd){.kind = kind, .handle = handle});
    errno = EMFILE;
    return -1;
}

struct fd *fd_find(int fd)
{
    fd_begin();
    if (fd >= 0 && fd < FD_MAX && fd_table[fd].kind != FD_NONE)
        return &fd_table[fd];
    errno = EBADF;
    return NULL;
}

struct fd fd_replace(int number, const struct fd *entry)
{
    fd_begin();
    AcquireSRWLockExclusive(&fd_lock);
    struct fd before = fd_table[number];
    fd_table[number] = *entry;
    ReleaseSRWLockExclusive(&fd_lock);
    return before;
}

bool fd_take(int fd, struct fd *out)
{
    if (fd_find(fd) == NULL)
        return false;
    *out = fd_replace(fd, &(struct fd){0});
    return true;
}

void fd_end(struct fd *entry)
{
    if (entry->unsaved)
        FlushFileBuffers(entry->handle);
    if (entry->lock != NULL)
        CloseHandle(entry->lock);
    if (entry->pump != NULL)
        pump_leave(entry->pump); /* has the handle */
    else if (entry->kind == FD_SOCKET)
        closesocket((SOCKET)entry->handle);
    else if (entry->kind != FD_NONE)
        CloseHandle(entry->handle);
}

size_t fd_count(void)
{
    size_t n = 0;
    fd_begin();
    for (int i = 0; i < FD_MAX; i++)
        n += fd_table[i].kind != FD_NONE;
    return n;
}
