/*
 * A small private file that is created at first use. It is outside any root.
 */
#include <errno.h>
#include <stdio.h>

#include "base/fs.h"
#include "base/lock.h"
#include "base/os/bytes.h"
#include "base/os/error_text.h"
#include "base/os/folder.h"
#include "base/os/rand.h"

enum { SECRET_MAX = 256 };

static bool fail_secret(struct err *err, const char *what, const char *folder,
                        const char *name)
{
    const char *why = error_text(errno);
    err_sys(err, "the private file '%s' cannot be %s", name, what);
    snprintf(err->detail, sizeof(err->detail), "%s: %s/%s", why, folder, name);
    return false;
}

/* Open the folder; create it and its parents if they are missing. */
static int fs_secret_make_folder(const char *path)
{
    lock_check_slow();
    struct arena a = {0};
    str all = str_c(path);
    for (size_t i = 1; i <= all.n; i++) {
        if ((i < all.n && path[i] != '/') || path[i - 1] == '/')
            continue;
        if (!folder_make(FILE_CWD, arena_str(&a, str_slice(all, 0, i)).p, 0700))
            continue;
        AUTO_CLOSE int parent = folder_open(
            FILE_CWD, arena_printf(&a, STR_FMT "/..", STR_ARG(str_slice(all, 0, i))).p);
        if (parent >= 0)
            (void)!file_sync(parent, FILE_SYNC_NAMES);
    }
    int dir = folder_open(FILE_CWD, path);
    arena_release(&a);
    return dir;
}

bool fs_make_folder(const char *path, struct err *err)
{
    AUTO_CLOSE int dir = fs_secret_make_folder(path);
    if (dir >= 0)
        return true;
    err_sys(err, "the folder cannot be created");
    return err_at(err, path);
}

/* Rename temp to its final name, unless another process was first, which is fine. */
static bool place_secret(int dir, const char *temp, const char *name)
{
    if (file_rename(dir, temp, dir, name, FILE_NOREPLACE) || errno == EEXIST)
        return true;
    return errno == ENOTSUP && (file_add_name(dir, temp, name) || errno == EEXIST);
}

static bool create_secret(int dir, const char *name, size_t size)
{
    uint64_t tag;
    uint8_t bytes[SECRET_MAX];
    char temp[FILE_NAME_MAX + 1];
    rand_bytes(&tag, sizeof(tag));
    snprintf(temp, sizeof(temp), ".%s.%016llx", name, (unsigned long long)tag);
    AUTO_CLOSE int fd = file_create(dir, temp, 0600);
    if (fd < 0)
        return false;
    rand_bytes(bytes, size);
    bool ok = file_write(fd, (str){(const char *)bytes, size}) &&
              file_sync(fd, FILE_SYNC_FILE) && place_secret(dir, temp, name);
    bytes_wipe(bytes, sizeof(bytes));
    int saved = errno;
    file_remove(dir, temp); /* gone already if it was renamed */
    fs_sync_folder(dir);
    errno = saved;
    return ok;
}

/* 1: read; 0: it has another size, stored in *found; -1: see errno. */
static int read_secret(int dir, const char *name, void *out, size_t size, int64_t *found)
{
    AUTO_CLOSE int fd = file_open(dir, name, FILE_NO_LINK);
    struct file_stat st;
    if (fd < 0 || !file_stat(fd, &st))
        return -1;
    *found = st.size;
    if (st.type != FILE_REGULAR || st.size != (int64_t)size)
        return 0;
    if ((st.mode & 077) !=
        0) /* it may have been copied: make it private, if it is ours */
        (void)!file_set_mode(fd, 0600);
    uint8_t bytes[SECRET_MAX];
    size_t got = 0;
    bool ok = file_read(fd, bytes, size, &got);
    if (got == size)
        memcpy(out, bytes, size);
    bytes_wipe(bytes, sizeof(bytes));
    return !ok ? -1 : got == size;
}

bool fs_secret_file(const char *folder, const char *name, void *out, size_t size,
                    struct err *err)
{
    if (size > SECRET_MAX)
        BUG("a secret of %zu bytes", size);
    AUTO_CLOSE int dir = fs_secret_make_folder(folder);
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
