/*
 * A small private file that is created at first use. It is outside any root.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/os/rand.h"

enum { SECRET_MAX = 256 };

static bool fail_secret(struct err *err, const char *what, const char *folder,
                        const char *name)
{
    const char *why = strerrordesc_np(errno);
    err_sys(err, "the private file '%s' cannot be %s", name, what);
    snprintf(err->detail, sizeof(err->detail), "%s: %s/%s", why, folder, name);
    return false;
}

/* Open the folder; create it and its parents if they are missing. */
static int make_folder(const char *path)
{
    AUTO_CLOSE int dir = open(path[0] == '/' ? "/" : ".", O_PATH | O_CLOEXEC);
    str rest = str_c(path), part;
    while (dir >= 0 && str_next(&rest, '/', &part)) {
        if (part.n == 0)
            continue;
        char *name = mem_str(part);
        if (mkdirat(dir, name, 0700) == 0)
            fs_sync_folder(dir);
        int next = openat(dir, name, O_PATH | O_DIRECTORY | O_CLOEXEC);
        free(name);
        fs_auto_close(&dir);
        dir = next;
    }
    return dir >= 0 ? openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
}

bool fs_make_folder(const char *path, struct err *err)
{
    AUTO_CLOSE int dir = make_folder(path);
    if (dir >= 0)
        return true;
    err_sys(err, "the folder cannot be created");
    return err_at(err, path);
}

/* Rename temp to its final name, unless another process was first, which is fine. */
static bool place_secret(int dir, const char *temp, const char *name)
{
    if (renameat2(dir, temp, dir, name, RENAME_NOREPLACE) == 0 || errno == EEXIST)
        return true;
    if (errno != EINVAL && errno != ENOSYS)
        return false;
    return linkat(dir, temp, dir, name, 0) == 0 || errno == EEXIST;
}

static bool create_secret(int dir, const char *name, size_t size)
{
    uint64_t tag;
    uint8_t bytes[SECRET_MAX];
    char temp[NAME_MAX + 1];
    rand_bytes(&tag, sizeof(tag));
    snprintf(temp, sizeof(temp), ".%s.%016llx", name, (unsigned long long)tag);
    AUTO_CLOSE int fd = openat(dir, temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return false;
    rand_bytes(bytes, size);
    bool ok = fs_write_all(fd, (str){(const char *)bytes, size}) && fsync(fd) == 0 &&
              place_secret(dir, temp, name);
    explicit_bzero(bytes, sizeof(bytes));
    int saved = errno;
    unlinkat(dir, temp, 0); /* gone already if it was renamed */
    fs_sync_folder(dir);
    errno = saved;
    return ok;
}

/* 1: read; 0: it has another size, stored in *found; -1: see errno. */
static int read_secret(int dir, const char *name, void *out, size_t size, int64_t *found)
{
    AUTO_CLOSE int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat st;
    if (fd < 0 || fstat(fd, &st) < 0)
        return -1;
    *found = st.st_size;
    if (!S_ISREG(st.st_mode) || st.st_size != (off_t)size)
        return 0;
    if ((st.st_mode & 077) != 0)
        fchmod(fd,
               0600); /* it may have been copied: make it private again, if we own it */
    uint8_t bytes[SECRET_MAX];
    ssize_t got = read(fd, bytes, size);
    if (got == (ssize_t)size)
        memcpy(out, bytes, size);
    explicit_bzero(bytes, sizeof(bytes));
    return got < 0 ? -1 : got == (ssize_t)size;
}

bool fs_secret_file(const char *folder, const char *name, void *out, size_t size,
                    struct err *err)
{
    if (size > SECRET_MAX)
        BUG("a secret of %zu bytes", size);
    AUTO_CLOSE int dir = make_folder(folder);
    if (dir < 0)
        return fail_secret(err, "reached, because its folder cannot be created", folder,
                           name);
    int64_t found = 0;
    int got = read_secret(dir, name, out, size, &found);
    if (got < 0 && errno == ENOENT) {
        if (!create_secret(dir, name, size))
            return fail_secret(err, "created", folder, name);
        got = read_secret(dir, name, out, size, &found);
    }
    if (got < 0)
        return fail_secret(err, "read", folder, name);
    if (got == 0) {
        err_set(
            err, ERR_INVALID,
            "the private file '%s' has %lld bytes instead of %zu: restore it, or remove "
            "it to have a new one created",
            name, (long long)found, size);
        snprintf(err->detail, sizeof(err->detail), "%s/%s", folder, name);
        return false;
    }
    return true;
}
