#include "base/os/file.h"

#include <errno.h>

#include "base/os/windows/failure.h"
#include "base/os/windows/fd.h"
#include "base/os/windows/file_parts.h"
#include "base/os/windows/net_parts.h"
#include "base/os/windows/pump.h"

enum { PART_MAX = 1 << 30 }; /* bytes of one call */

/* --- descriptors --- */

void file_close(int fd)
{
    int saved = errno;
    struct fd entry;
    if (fd >= 0 && fd_take(fd, &entry))
        fd_end(&entry);
    errno = saved;
}

void file_auto_close(int *fd)
{
    file_close(*fd);
}

int file_take(int *fd)
{
    int taken = *fd;
    *fd = -1;
    return taken;
}

bool file_renumber(int fd, int number)
{
    const struct fd *from = fd_find(fd);
    HANDLE self = GetCurrentProcess(), copy;
    if (from == NULL || fd == number)
        return from != NULL;
    if (from->pump != NULL || from->kind == FD_SOCKET) {
        errno = EINVAL; /* what is being read or written by a thread has one number */
        return false;
    }
    if (!DuplicateHandle(self, from->handle, self, &copy, 0, FALSE,
                         DUPLICATE_SAME_ACCESS))
        return failure();
    struct fd entry = *from;
    entry.handle = copy;
    entry.lock = NULL;
    struct fd before = fd_replace(number, &entry);
    fd_end(&before);
    return true;
}

/* --- opening --- */

int file_keep(const struct nt_file *f)
{
    bool is_folder = (f->attributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
    enum fd_kind kind = is_folder ? FD_FOLDER : fd_kind_of(f->handle);
    return fd_add(kind != FD_NONE ? kind : FD_DEVICE, f->handle);
}

static int file_refuse(const struct nt_file *f, int number)
{
    CloseHandle(f->handle);
    errno = number;
    return -1;
}

/* A placeholder of a cloud drive is reopened as the file itself. */
static bool file_fetch(struct nt_file *f, ACCESS_MASK access)
{
    HANDLE whole = nt_reopen(f->handle, access, 0);
    CloseHandle(f->handle);
    f->handle = whole;
    return whole != NULL;
}

int file_open_as(int dir, const char *path, const struct nt_how *how, enum file_end end)
{
    struct nt_how all = *how;
    struct nt_file f;
    if (end == FILE_NO_LINK)
        all.options |= FILE_OPEN_REPARSE_POINT;
    if (!nt_open(dir, path, &all, &f))
        return -1;
    if (end == FILE_NO_LINK && nt_is_link(f.tag))
        return file_refuse(&f, ELOOP);
    if (end == FILE_NO_LINK && f.tag != 0 && !file_fetch(&f, how->access))
        return -1;
    return file_keep(&f);
}

int file_open(int dir, const char *path, enum file_end end)
{
    const struct nt_how how = {.access = GENERIC_READ, .disposition = FILE_OPEN};
    return file_open_as(dir, path, &how, end);
}

int file_guard(int dir, const char *name)
{
    const struct nt_how how = {.access = GENERIC_READ,
                               .refused = FILE_SHARE_WRITE,
                               .disposition = FILE_OPEN,
                               .options = FILE_NON_DIRECTORY_FILE};
    return file_open_as(dir, name, &how, FILE_NO_LINK);
}

int file_open_stream(const char *path)
{
    return file_open(FILE_CWD, path, FILE_FOLLOW);
}

int file_open_null(void)
{
    HANDLE handle =
        CreateFileW(L"NUL", GENERIC_READ | GENERIC_WRITE,
                    FILE_SHARE_READ | FILE_SHARE_WRITE, NULL, OPEN_EXISTING, 0, NULL);
    if (handle != INVALID_HANDLE_VALUE)
        return fd_add(FD_DEVICE, handle);
    failure();
    return -1;
}

int file_create(int dir, const char *path, unsigned mode)
{
    const struct nt_how how = {.access = GENERIC_READ | GENERIC_WRITE | WRITE_DAC,
                               .disposition = FILE_CREATE,
                               .options = FILE_NON_DIRECTORY_FILE,
                               .attributes = FILE_ATTRIBUTE_NORMAL,
                               .secret = (mode & 077) == 0};
    int fd = file_open_as(dir, path, &how, FILE_NO_LINK);
    if (fd >= 0)
        fd_find(fd)->unsaved = true;
    return fd;
}

int file_open_own(int dir, const char *path, enum file_own how)
{
    static const ULONG dispositions[] = {[FILE_OLD] = FILE_OPEN,
                                         [FILE_KEPT] = FILE_OPEN_IF,
                                         [FILE_EMPTIED] = FILE_OPEN_IF};
    const struct nt_how open = {.access = GENERIC_READ | GENERIC_WRITE,
                                .disposition = dispositions[how],
                                .options = FILE_NON_DIRECTORY_FILE,
                                .attributes = FILE_ATTRIBUTE_NORMAL,
                                .secret = true};
    int fd = file_open_as(dir, path, &open, FILE_NO_LINK);
    if (fd < 0 || how != FILE_EMPTIED || file_resize(fd, 0))
        return fd;
    file_close(fd);
    return -1;
}

int file_open_end(const char *path)
{
    const struct nt_how how = {.access = FILE_APPEND_DATA,
                               .disposition = FILE_OPEN_IF,
                               .options = FILE_NON_DIRECTORY_FILE,
                               .attributes = FILE_ATTRIBUTE_NORMAL,
                               .secret = true};
    int fd = file_open_as(FILE_CWD, path, &how, FILE_FOLLOW);
    if (fd >= 0)
        fd_find(fd)->append = true;
    return fd;
}

/* --- content --- */

static OVERLAPPED file_at(uint64_t where)
{
    return (OVERLAPPED){.Offset = (DWORD)where, .OffsetHigh = (DWORD)(where >> 32)};
}

static DWORD file_part(size_t size)
{
    return size < PART_MAX ? (DWORD)size : PART_MAX;
}

/* One call; where is NULL for what has no positions. The end is no error. */
static bool file_get(HANDLE handle, void *out, size_t size, const uint64_t *where,
                     size_t *got)
{
    OVERLAPPED at = file_at(where != NULL ? *where : 0);
    DWORD n = 0;
    bool ok = ReadFile(handle, out, file_part(size), &n, where != NULL ? &at : NULL);
    DWORD error = ok ? 0 : GetLastError();
    *got = n;
    return ok || error == ERROR_HANDLE_EOF || error == ERROR_BROKEN_PIPE || failure();
}

static bool file_put(HANDLE handle, str bytes, const uint64_t *where, size_t *put)
{
    OVERLAPPED at = file_at(where != NULL ? *where : 0);
    DWORD n = 0;
    bool ok =
        WriteFile(handle, bytes.p, file_part(bytes.n), &n, where != NULL ? &at : NULL);
    *put = n;
    return ok || failure();
}

bool file_read(int fd, void *out, size_t size, size_t *got)
{
    struct fd *f = fd_find(fd);
    *got = 0;
    if (f == NULL)
        return false;
    if (f->kind == FD_SOCKET)
        return net_receive(fd, out, size, got);
    if (f->kind == FD_FOLDER) {
        errno = EISDIR;
        return false;
    }
    if (f->kind == FD_PIPE || f->kind == FD_CONSOLE)
        return pipe_read(f, out, size, got);
    bool ours = f->kind == FD_FILE && !f->inherited;
    bool ok = file_get(f->handle, out, size, ours ? &f->at : NULL, got);
    f->at += *got;
    return ok;
}

size_t file_read_at(int fd, void *out, size_t size, uint64_t where)
{
    const struct fd *f = fd_find(fd);
    size_t done = 0, n = 1;
    while (f != NULL && done < size && n > 0) {
        uint64_t next = where + done;
        if (!file_get(f->handle, (char *)out + done, size - done, &next, &n))
            break;
        done += n;
    }
    return done;
}

bool file_put_some(struct fd *f, str bytes, size_t *put)
{
    const uint64_t end = UINT64_MAX; /* wherever it is at that moment */
    bool ours = f->kind == FD_FILE && !f->inherited;
    bool ok = file_put(f->handle, bytes, !ours ? NULL : f->append ? &end : &f->at, put);
    f->at += *put;
    return ok;
}

bool file_write(int fd, str bytes)
{
    size_t put;
    for (; bytes.n > 0; bytes = str_skip(bytes, put)) {
        struct fd *f = fd_find(fd);
        if (f == NULL || !(f->kind == FD_SOCKET ? net_put_some(f, bytes, &put)
                           : f->pump != NULL    ? pump_write(f->pump, bytes, true, &put)
                                                : file_put_some(f, bytes, &put)))
            return false;
    }
    const struct fd *f = fd_find(fd);
    return f != NULL && (f->pump == NULL || pump_flush(f->pump));
}

bool file_write_at(int fd, str bytes, uint64_t where)
{
    const struct fd *f = fd_find(fd);
    size_t put = 0;
    if (f == NULL)
        return false;
    for (; bytes.n > 0; bytes = str_skip(bytes, put), where += put)
        if (!file_put(f->handle, bytes, &where, &put))
            return false;
    return true;
}

bool file_resize(int fd, uint64_t size)
{
    struct fd *f = fd_find(fd);
    FILE_END_OF_FILE_INFO end = {.EndOfFile.QuadPart = (LONGLONG)size};
    if (f == NULL)
        return false;
    if (!SetFileInformationByHandle(f->handle, FileEndOfFileInfo, &end, sizeof(end)))
        return failure();
    f->at = size;
    return true;
}
