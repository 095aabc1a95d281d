/*
 * Files are replaced with RENAME_EXCHANGE if the file system supports it: the old file is
 * then checked, and exchanged back if it is not the expected one. So nothing is lost even
 * if another program saves between our last check and the rename. On other file systems a
 * short window remains.
 */
#include "base/fs_edit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

enum { XATTR_MAX = 64 << 10, READ_CHUNK = 64 << 10, MODE_BITS = 07777 };

/* Explain errno after a failed change of the file called name. */
static bool fs_edit_fail(struct err *err, const char *name)
{
    static const struct {
        int number;
        enum err_name name;
        const char *says;
    } known[] = {
        {ENOSPC, E_NO_SPACE, "the disk is full"},
        {EDQUOT, E_NO_SPACE, "the disk quota is exceeded"},
        {EFBIG, E_NO_SPACE, "the file is too large for the file system"},
        {EROFS, E_READ_ONLY, "the file system is read-only"},
        {EACCES, E_FORBIDDEN, "this server has no write permission there"},
        {EPERM, E_FORBIDDEN, "this server has no write permission there"},
        {EEXIST, E_FILE_EXISTS, "a file or folder with that name exists"},
        {ENOTEMPTY, E_CONFLICT, "the folder is not empty"},
        {ENOENT, E_FILE_NOT_FOUND, "it does not exist"},
        {ENOTDIR, E_PATH_INVALID, "there is a file where a folder should be"},
        {EISDIR, E_PATH_INVALID, "there is a folder where a file should be"},
        {ELOOP, E_PATH_NOT_ALLOWED, "a symbolic link is in the way"},
        {EXDEV, E_PATH_NOT_ALLOWED, "it is on another file system"},
        {ENXIO, E_PATH_INVALID, "it is not a file"},
        {ENAMETOOLONG, E_PATH_TOO_LONG, "its name is too long"},
    };
    for (size_t i = 0; i < COUNT_OF(known); i++)
        if (known[i].number == errno)
            return err_named(err, known[i].name, "'%s' was not changed: %s", name,
                             known[i].says);
    err_sys(err, "'%s' was not changed", name);
    err->name = E_IO_ERROR; /* the code still comes from errno */
    return false;
}

bool fs_may_change(const struct fs_root *root, struct err *err)
{
    if (faccessat(root->fd, ".", W_OK | X_OK, AT_EACCESS) == 0)
        return true;
    if (errno == EROFS)
        return err_named(err, E_READ_ONLY,
                         "the folder is on a file system that is mounted read-only");
    err_sys(err, "this server has no permission to write in the folder");
    return err_rename(err, E_FORBIDDEN);
}

/* --- reading --- */

static bool read_whole(int fd, size_t max, str *text, struct arena *a)
{
    size_t n = 0, cap = READ_CHUNK;
    char *p = arena_alloc(a, cap);
    for (ssize_t got; (got = read(fd, p + n, cap - n)) != 0;) {
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return false;
        n += (size_t)got;
        if (n > max) {
            errno = EFBIG;
            return false;
        }
        if (n == cap) {
            p = arena_grow(a, p, cap, cap * 2);
            cap *= 2;
        }
    }
    *text = (str){p, n};
    return true;
}

static bool fs_edit_look_at(int dir, const char *name, size_t max, struct fs_seen *out,
                            str *text, struct arena *a, struct err *err)
{
    *out = (struct fs_seen){0};
    *text = (str){0};
    AUTO_CLOSE int fd =
        openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    struct stat st;
    if (fd < 0 && errno == ENOENT)
        return true;
    if (fd < 0 || fstat(fd, &st) < 0)
        return fs_edit_fail(err, name);
    if (!S_ISREG(st.st_mode))
        return err_named(err, E_PATH_INVALID, "'%s' is not a file", name);
    bool fits = (uint64_t)st.st_size <= max;
    if (!fits || !read_whole(fd, max, text, a))
        return !fits || errno == EFBIG
                   ? err_named(err, E_FILE_TOO_LARGE,
                               "'%s' is larger than the %zu bytes that can be changed",
                               name, max)
                   : fs_edit_fail(err, name);
    out->exists = true;
    out->mode = st.st_mode & MODE_BITS;
    out->hash = hash_content(*text);
    fs_info_of(&st, &out->info);
    return true;
}

bool fs_place_look(const struct fs_place *p, size_t max, struct fs_seen *out, str *text,
                   struct arena *a, struct err *err)
{
    return fs_edit_look_at(p->dir, p->name, max, out, text, a, err);
}

/* Whether the file with that name, p's own or its temp file, is unchanged. */
static bool is_still(const struct fs_place *p, const char *name,
                     const struct fs_seen *was, struct err *err)
{
    struct arena a = {0};
    struct fs_seen now;
    str text;
    bool ok = fs_edit_look_at(p->dir, name, FS_EDIT_MAX, &now, &text, &a, err);
    bool same = ok && now.exists == was->exists &&
                (!now.exists || hash_same(now.hash, was->hash));
    arena_release(&a);
    if (!ok || same)
        return same;
    return !was->exists
               ? err_named(err, E_FILE_EXISTS, "'%s' already exists", p->name)
               : err_named(err, E_CONFLICT,
                           "'%s' has been changed in the meantime: read it again",
                           p->name);
}

/* --- temp files --- */

static void copy_attributes(int from, int to)
{
    char *names = mem_alloc(XATTR_MAX), *value = mem_alloc(XATTR_MAX);
    ssize_t n = flistxattr(from, names, XATTR_MAX);
    for (ssize_t i = 0; i < n; i += (ssize_t)strlen(names + i) + 1) {
        ssize_t size = fgetxattr(from, names + i, value, XATTR_MAX);
        if (size >= 0)
            (void)fsetxattr(to, names + i, value, (size_t)size,
                            0); /* as far as permitted */
    }
    free(names);
    free(value);
}

/* Copy owner and attributes of the file it replaces as far as permitted, and the mode:
 * last, since changing the owner or the access list changes the mode. */
static void make_alike(int old, int fd, unsigned mode)
{
    enum { NOT_EXECUTABLE_NOR_WORLD_WRITABLE = 0664 };
    struct stat st;
    if (old >= 0 && fstat(old, &st) == 0) {
        if (fchown(fd, st.st_uid, st.st_gid) < 0)
            (void)!fchown(fd, (uid_t)-1, st.st_gid);
        copy_attributes(old, fd);
        mode = st.st_mode;
    }
    if (mode != 0)
        (void)!fchmod(fd, mode & NOT_EXECUTABLE_NOR_WORLD_WRITABLE);
}

bool fs_temp_write(const struct fs_place *p, const char *temp, str text, unsigned mode,
                   struct err *err)
{
    AUTO_CLOSE int old =
        openat(p->dir, p->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (old < 0 && errno != ENOENT)
        return fs_edit_fail(err, p->name);
    bool usual = old < 0 && mode == 0; /* otherwise private until it is complete */
    AUTO_CLOSE int fd =
        openat(p->dir, temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
               usual ? 0664 : 0600);
    if (fd < 0 && errno == EEXIST)
        return err_named(err, E_BUSY,
                         "'%s' was not changed: another program is changing it", p->name);
    if (fd < 0)
        return fs_edit_fail(err, p->name);
    if (!fs_write_all(fd, text)) {
        fs_edit_fail(err, p->name);
        fs_temp_drop(p, temp);
        return false;
    }
    make_alike(old, fd, mode);
    return true;
}

bool fs_temp_sync(const struct fs_place *p, const char *temp, struct err *err)
{
    AUTO_CLOSE int fd = openat(p->dir, temp, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    return (fd >= 0 && fsync(fd) == 0) || fs_edit_fail(err, p->name);
}

void fs_temp_drop(const struct fs_place *p, const char *temp)
{
    if (unlinkat(p->dir, temp, 0) < 0 && errno != ENOENT)
        unlinkat(p->dir, temp, 0); /* it would block later changes: try again */
}

/* --- putting --- */

static bool cannot(int error)
{
    return error == EINVAL || error == ENOSYS || error == EOPNOTSUPP;
}

static bool put_new(const struct fs_place *p, const char *temp, const struct fs_seen *was,
                    struct err *err)
{
    if (renameat2(p->dir, temp, p->dir, p->name, RENAME_NOREPLACE) == 0)
        return true;
    if (!cannot(errno))
        return fs_edit_fail(err, p->name);
    return is_still(p, p->name, was, err) &&
           (renameat(p->dir, temp, p->dir, p->name) == 0 || fs_edit_fail(err, p->name));
}

static ino_t inode_of(const struct fs_place *p, const char *name)
{
    struct stat st;
    return fstatat(p->dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 ? st.st_ino : 0;
}

/* The old file was not the expected one: put it back. If another program has replaced
 * ours in the meantime, put that one back, too. */
static void put_back(const struct fs_place *p, const char *temp, ino_t ours)
{
    for (int i = 0; i < 2 && inode_of(p, temp) != ours; i++)
        if (renameat2(p->dir, temp, p->dir, p->name, RENAME_EXCHANGE) < 0)
            (void)!renameat(p->dir, temp, p->dir, p->name);
}

bool fs_put(const struct fs_place *p, const char *temp, const struct fs_seen *was,
            struct err *err)
{
    if (!was->exists)
        return put_new(p, temp, was, err);
    ino_t ours = inode_of(p, temp);
    if (!is_still(p, p->name, was, err))
        return false;
    if (renameat2(p->dir, temp, p->dir, p->name, RENAME_EXCHANGE) < 0) {
        if (!cannot(errno))
            return fs_edit_fail(err, p->name);
        return renameat(p->dir, temp, p->dir, p->name) == 0 || fs_edit_fail(err, p->name);
    }
    if (!is_still(p, temp, was, err)) {
        put_back(p, temp, ours);
        return false;
    }
    fs_temp_drop(p, temp);
    return true;
}

bool fs_move(const struct fs_place *from, const struct fs_place *to, struct err *err)
{
    if (renameat2(from->dir, from->name, to->dir, to->name, RENAME_NOREPLACE) == 0)
        return true;
    if (errno == ENOENT)
        return fs_edit_fail(err, from->name);
    if (!cannot(errno))
        return fs_edit_fail(err, to->name);
    struct stat st;
    if (fstatat(to->dir, to->name, &st, AT_SYMLINK_NOFOLLOW) == 0) {
        errno = EEXIST;
        return fs_edit_fail(err, to->name);
    }
    if (renameat(from->dir, from->name, to->dir, to->name) == 0)
        return true;
    return errno == EINVAL ? err_named(err, E_PATH_INVALID,
                                       "'%s' cannot be moved into itself", from->name)
                           : fs_edit_fail(err, to->name);
}

bool fs_remove(const struct fs_place *p, const char *temp, const struct fs_seen *was,
               struct err *err)
{
    if (!is_still(p, p->name, was, err))
        return false;
    if (renameat2(p->dir, p->name, p->dir, temp, RENAME_NOREPLACE) < 0) {
        if (!cannot(errno))
            return fs_edit_fail(err, p->name);
        return unlinkat(p->dir, p->name, 0) == 0 || fs_edit_fail(err, p->name);
    }
    if (!is_still(p, temp, was, err)) {
        renameat2(p->dir, temp, p->dir, p->name, RENAME_NOREPLACE);
        return false;
    }
    fs_temp_drop(p, temp);
    return true;
}

bool fs_place_mode(const struct fs_place *p, unsigned *mode, struct err *err)
{
    struct stat st;
    *mode = 0;
    if (fstatat(p->dir, p->name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return errno == ENOENT || fs_edit_fail(err, p->name);
    *mode = st.st_mode;
    return true;
}

bool fs_make(const struct fs_place *p, unsigned mode, struct err *err)
{
    if (mkdirat(p->dir, p->name, mode != 0 ? mode & 0777 : 0777) < 0)
        return fs_edit_fail(err, p->name);
    if (mode != 0) /* mkdir() applies the umask */
        (void)!fchmodat(p->dir, p->name, mode & MODE_BITS, AT_SYMLINK_NOFOLLOW);
    return true;
}

bool fs_remove_folder(const struct fs_place *p, struct err *err)
{
    return unlinkat(p->dir, p->name, AT_REMOVEDIR) == 0 || fs_edit_fail(err, p->name);
}

bool fs_place_sync(const struct fs_place *p, struct err *err)
{
    return fsync(p->dir) == 0 || errno == EINVAL || fs_edit_fail(err, p->name);
}

bool fs_sync_all(const struct fs_root *root, struct err *err)
{
    return syncfs(root->fd) == 0 || fs_edit_fail(err, "the vault");
}
