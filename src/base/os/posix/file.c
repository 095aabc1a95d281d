#include "base/os/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/os/posix/at.h"

/* --- descriptors --- */

void file_close(int fd)
{
    int saved = errno;
    if (fd >= 0)
        close(fd);
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

/* --- what there is --- */

bool file_is_same(const struct file_stat *a, const struct file_stat *b)
{
    return a->inode == b->inode && a->device == b->device;
}

bool file_exists(const char *path)
{
    return access(path, F_OK) == 0;
}

bool file_is_read_only(int fd)
{
    struct statvfs st;
    return fstatvfs(fd, &st) == 0 && (st.f_flag & ST_RDONLY) != 0;
}

bool file_allows(int dir, const char *path, unsigned rights)
{
    int mode = ((rights & FILE_MAY_READ) != 0 ? R_OK : 0) |
               ((rights & FILE_MAY_WRITE) != 0 ? W_OK : 0) |
               ((rights & FILE_MAY_RUN) != 0 ? X_OK : 0);
    return faccessat(at(dir), path, mode, AT_EACCESS) == 0;
}

char *file_real_path(const char *path)
{
    return realpath(path, NULL);
}

/* --- opening --- */

int file_open(int dir, const char *path, enum file_end end)
{
    int no_link = end == FILE_NO_LINK ? O_NOFOLLOW : 0;
    return openat(at(dir), path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | no_link);
}

int file_guard(int dir, const char *name)
{
    (void)dir, (void)name;
    errno = ENOTSUP;
    return -1;
}

int file_open_stream(const char *path)
{
    return open(path, O_RDONLY | O_NOCTTY | O_CLOEXEC);
}

int file_open_null(void)
{
    return open("/dev/null", O_RDWR | O_CLOEXEC);
}

int file_create(int dir, const char *path, unsigned mode)
{
    return openat(at(dir), path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                  mode);
}

int file_open_own(int dir, const char *path, enum file_own how)
{
    int made = how == FILE_OLD ? 0 : how == FILE_KEPT ? O_CREAT : O_CREAT | O_TRUNC;
    return openat(at(dir), path, O_RDWR | O_NOFOLLOW | O_CLOEXEC | made, 0600);
}

int file_open_end(const char *path)
{
    return open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY, 0600);
}

/* --- content --- */

bool file_read(int fd, void *out, size_t size, size_t *got)
{
    ssize_t n;
    do
        n = read(fd, out, size);
    while (n < 0 && errno == EINTR);
    *got = n > 0 ? (size_t)n : 0;
    return n >= 0;
}

size_t file_read_at(int fd, void *out, size_t size, uint64_t where)
{
    size_t done = 0;
    while (done < size) {
        ssize_t n = pread(fd, (char *)out + done, size - done, (off_t)(where + done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        done += (size_t)n;
    }
    return done;
}

bool file_write(int fd, str bytes)
{
    while (bytes.n > 0) {
        ssize_t n = write(fd, bytes.p, bytes.n);
        if (n < 0 && errno != EINTR)
            return false;
        bytes = str_skip(bytes, n > 0 ? (size_t)n : 0);
    }
    return true;
}

bool file_write_at(int fd, str bytes, uint64_t where)
{
    while (bytes.n > 0) {
        ssize_t n = pwrite(fd, bytes.p, bytes.n, (off_t)where);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        bytes = str_skip(bytes, (size_t)n);
        where += (size_t)n;
    }
    return true;
}

bool file_resize(int fd, uint64_t size)
{
    return ftruncate(fd, (off_t)size) == 0 && lseek(fd, (off_t)size, SEEK_SET) >= 0;
}

bool file_lock(int fd)
{
    return flock(fd, LOCK_EX | LOCK_NB) == 0;
}

void file_unlock(int fd)
{
    flock(fd, LOCK_UN);
}

#ifdef F_OFD_SETLK
static bool set_lock(int fd, short type)
{
    struct flock lock = {.l_type = type, .l_whence = SEEK_SET};
    return fcntl(fd, F_OFD_SETLK, &lock) == 0;
}

bool file_lock_bytes(int fd)
{
    return set_lock(fd, F_WRLCK);
}

void file_unlock_bytes(int fd)
{
    (void)set_lock(fd, F_UNLCK);
}
#else
bool file_lock_bytes(int fd)
{
    return file_lock(fd);
}

void file_unlock_bytes(int fd)
{
    file_unlock(fd);
}
#endif

/* --- attributes --- */

bool file_set_mode(int fd, unsigned mode)
{
    return fchmod(fd, (mode_t)mode) == 0;
}

void file_set_owner(int fd, const struct file_stat *like)
{
    if (fchown(fd, like->owner, like->group) != 0)
        (void)!fchown(fd, (uid_t)-1, like->group);
}

/* --- names --- */

bool file_add_name(int dir, const char *name, const char *added)
{
    return linkat(at(dir), name, at(dir), added, 0) == 0;
}

bool file_remove(int dir, const char *path)
{
    return unlinkat(at(dir), path, 0) == 0;
}

bool file_read_symlink(int dir, const char *path, char *out, size_t size, str *target)
{
    ssize_t n = readlinkat(at(dir), path, out, size);
    if (n < 0)
        return false;
    *target = (str){out, (size_t)n};
    return true;
}

bool file_make_symlink(const char *target, int dir, const char *path)
{
    return symlinkat(target, at(dir), path) == 0;
}
