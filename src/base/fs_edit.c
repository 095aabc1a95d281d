/*
 * Replacing is RENAME_EXCHANGE where the file system can: what comes out is looked at,
 * and if it is not what was expected, it goes back. So even somebody who saves between
 * our last look and the rename loses nothing. Elsewhere the window stays, as short as it
 * can be.
 */
#include "base/fs_edit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/path.h"

enum { LINKS_MAX = 16, XATTR_MAX = 64 << 10, READ_CHUNK = 64 << 10 };

/* What errno means for a change of name. */
static bool fail(struct err *err, const char *name)
{
    static const struct {
        int number;
        enum err_code code;
        const char *name, *says;
    } known[] = {
        {ENOSPC, ERR_LIMIT, "NO_SPACE", "the disk is full"},
        {EDQUOT, ERR_LIMIT, "NO_SPACE", "the disk quota is used up"},
        {EFBIG, ERR_LIMIT, "NO_SPACE", "the file system takes no file so large"},
        {EROFS, ERR_DENIED, "READ_ONLY", "the file system is read-only"},
        {EACCES, ERR_DENIED, "FORBIDDEN", "this server may not write there"},
        {EPERM, ERR_DENIED, "FORBIDDEN", "this server may not write there"},
        {EEXIST, ERR_EXISTS, "FILE_EXISTS", "there is a file or folder of that name"},
        {ENOTEMPTY, ERR_CONFLICT, "CONFLICT", "the folder is not empty"},
        {ENOENT, ERR_NOT_FOUND, "FILE_NOT_FOUND", "it is not there"},
        {ENOTDIR, ERR_INVALID, "PATH_NOT_ALLOWED", "a file is where a folder should be"},
        {EISDIR, ERR_INVALID, "PATH_NOT_ALLOWED", "a folder is where a file should be"},
        {ELOOP, ERR_DENIED, "PATH_NOT_ALLOWED", "a symbolic link is in the way"},
        {EXDEV, ERR_DENIED, "PATH_NOT_ALLOWED", "it is on another file system"},
    };
    for (size_t i = 0; i < COUNT_OF(known); i++)
        if (known[i].number == errno)
            return err_named(err, known[i].code, known[i].name,
                             "'%s' was not changed: %s", name, known[i].says);
    err_sys(err, "'%s' was not changed", name);
    err->name = "IO_ERROR";
    return false;
}

/* --- places --- */

void fs_place_close(struct fs_place *p)
{
    fs_auto_close(&p->dir);
    p->dir = -1;
}

static bool set_name(struct fs_place *p, str name, struct err *err)
{
    if (name.n == 0 || name.n > FS_NAME_MAX)
        return err_named(err, ERR_INVALID, "PATH_NOT_ALLOWED",
                         "a file name has 1 to %d bytes", FS_NAME_MAX);
    memcpy(p->name, name.p, name.n);
    p->name[name.n] = '\0';
    return true;
}

/* Where target leads from folder, by its text: ".." is one folder up. */
static bool walk_dots(struct arena *a, str folder, str target, str *out, struct err *err)
{
    str at = folder, part;
    bool outside = str_starts(target, STR("/"));
    while (!outside && str_next(&target, '/', &part)) {
        if (str_eq(part, STR(".."))) {
            outside = at.n == 0;
            at = path_folder(at);
        } else if (part.n > 0 && !str_eq(part, STR("."))) {
            at = path_join(a, at, arena_str(a, part));
        }
    }
    *out = at;
    return !outside || err_named(err, ERR_DENIED, "PATH_NOT_ALLOWED",
                                 "a symbolic link leads outside of the root folder");
}

/* A symlink's target from its own folder, beneath the root. */
static bool follow(const struct fs_root *root, struct arena *a, str *path, bool *link,
                   struct err *err)
{
    int fd;
    char target[PATH_MAX_BYTES];
    if (!fs_open_folder(root, path_folder(*path), true, &fd, err)) {
        *link = false;
        return err->code == ERR_NOT_FOUND;
    }
    AUTO_CLOSE int dir = fd;
    str name = arena_str(a, path_name(*path));
    ssize_t n = readlinkat(dir, name.p, target, sizeof(target));
    *link = n > 0;
    if (n <= 0)
        return true;
    return walk_dots(a, path_folder(*path), (str){target, (size_t)n}, path, err);
}

bool fs_place_open(const struct fs_root *root, struct arena *a, str path,
                   struct fs_place *out, struct err *err)
{
    *out = (struct fs_place){.dir = -1};
    bool link = true;
    for (int i = 0; link; i++) {
        if (i > LINKS_MAX)
            return err_named(err, ERR_DENIED, "PATH_NOT_ALLOWED",
                             "'" STR_FMT "' is a symbolic link that goes in circles",
                             STR_ARG(path));
        if (!follow(root, a, &path, &link, err))
            return false;
    }
    return fs_place_open_named(root, a, path, out, err);
}

bool fs_place_open_named(const struct fs_root *root, struct arena *a, str path,
                         struct fs_place *out, struct err *err)
{
    *out = (struct fs_place){.dir = -1};
    return set_name(out, path_name(path), err) &&
           fs_open_folder(root, path_folder(path), true, &out->dir, err);
}

/* --- looking --- */

static bool read_whole(int fd, size_t max, str *text, struct arena *a)
{
    size_t n = 0, cap = READ_CHUNK;
    char *p = arena_alloc(a, cap);
    for (;;) {
        ssize_t got = read(fd, p + n, cap - n);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return false;
        if (got == 0)
            break;
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

static bool look_at(int dir, const char *name, size_t max, struct fs_seen *out, str *text,
                    struct arena *a, struct err *err)
{
    *out = (struct fs_seen){0};
    *text = (str){0};
    AUTO_CLOSE int fd =
        openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    struct stat st;
    if (fd < 0 && errno == ENOENT)
        return true;
    if (fd < 0 || fstat(fd, &st) < 0)
        return fail(err, name);
    if (!S_ISREG(st.st_mode))
        return err_named(err, ERR_INVALID, "PATH_NOT_ALLOWED", "'%s' is not a file",
                         name);
    if (!read_whole(fd, max, text, a))
        return fail(err, name);
    out->exists = true;
    out->hash = hash_content(*text);
    fs_info_of(&st, &out->info);
    return true;
}

bool fs_place_look(const struct fs_place *p, size_t max, struct fs_seen *out, str *text,
                   struct arena *a, struct err *err)
{
    return look_at(p->dir, p->name, max, out, text, a, err);
}

/* Whether the file of that name is (still) what was seen. */
static bool is_still(int dir, const char *name, const struct fs_seen *was,
                     struct err *err)
{
    struct arena a = {0};
    struct fs_seen now;
    str text;
    bool ok = look_at(dir, name, SIZE_MAX / 2, &now, &text, &a, err);
    bool same = ok && now.exists == was->exists &&
                (!now.exists || hash_same(now.hash, was->hash));
    arena_release(&a);
    if (!ok || same)
        return same;
    return !was->exists
               ? err_named(err, ERR_EXISTS, "FILE_EXISTS", "'%s' exists already", name)
               : err_named(err, ERR_CONFLICT, "CONFLICT",
                           "'%s' was changed by somebody else meanwhile: read it "
                           "again",
                           name);
}

/* --- temp files --- */

static bool write_whole(int fd, str text)
{
    while (text.n > 0) {
        ssize_t n = write(fd, text.p, text.n);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        text = str_skip(text, (size_t)n);
    }
    return true;
}

static void copy_attributes(int from, int to)
{
    char *names = mem_alloc(XATTR_MAX), *value = mem_alloc(XATTR_MAX);
    ssize_t n = flistxattr(from, names, XATTR_MAX);
    for (ssize_t i = 0; i < n; i += (ssize_t)strlen(names + i) + 1) {
        ssize_t size = fgetxattr(from, names + i, value, XATTR_MAX);
        if (size >= 0)
            (void)fsetxattr(to, names + i, value, (size_t)size, 0); /* what may be kept */
    }
    free(names);
    free(value);
}

/* As the file it replaces: mode, and owner and attributes as far as we may. */
static void make_alike(const struct fs_place *p, int fd)
{
    enum { NOT_EXECUTABLE_NOR_WORLD_WRITABLE = 0664 };
    struct stat st;
    AUTO_CLOSE int old =
        openat(p->dir, p->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (old < 0 || fstat(old, &st) < 0)
        return;
    (void)!fchown(fd, st.st_uid, st.st_gid);
    (void)!fchmod(fd, st.st_mode & NOT_EXECUTABLE_NOR_WORLD_WRITABLE);
    copy_attributes(old, fd);
}

bool fs_temp_write(const struct fs_place *p, const char *temp, str text, struct err *err)
{
    AUTO_CLOSE int fd =
        openat(p->dir, temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0664);
    if (fd < 0)
        return fail(err, p->name);
    if (!write_whole(fd, text)) {
        fail(err, p->name);
        fs_temp_drop(p, temp);
        return false;
    }
    make_alike(p, fd);
    return true;
}

bool fs_temp_sync(const struct fs_place *p, const char *temp, struct err *err)
{
    AUTO_CLOSE int fd = openat(p->dir, temp, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    return (fd >= 0 && fsync(fd) == 0) || fail(err, p->name);
}

void fs_temp_drop(const struct fs_place *p, const char *temp)
{
    unlinkat(p->dir, temp, 0);
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
        return fail(err, p->name);
    return is_still(p->dir, p->name, was, err) &&
           (renameat(p->dir, temp, p->dir, p->name) == 0 || fail(err, p->name));
}

bool fs_put(const struct fs_place *p, const char *temp, const struct fs_seen *was,
            struct err *err)
{
    if (!was->exists)
        return put_new(p, temp, was, err);
    if (!is_still(p->dir, p->name, was, err))
        return false;
    if (renameat2(p->dir, temp, p->dir, p->name, RENAME_EXCHANGE) < 0) {
        if (!cannot(errno))
            return fail(err, p->name);
        return renameat(p->dir, temp, p->dir, p->name) == 0 || fail(err, p->name);
    }
    if (!is_still(p->dir, temp, was, err)) {
        renameat2(p->dir, temp, p->dir, p->name, RENAME_EXCHANGE);
        return false;
    }
    unlinkat(p->dir, temp, 0); /* what is left is cleaned up at the next start */
    return true;
}

bool fs_move(const struct fs_place *from, const struct fs_place *to, struct err *err)
{
    if (renameat2(from->dir, from->name, to->dir, to->name, RENAME_NOREPLACE) == 0)
        return true;
    if (!cannot(errno))
        return fail(err, to->name);
    struct stat st;
    if (fstatat(to->dir, to->name, &st, AT_SYMLINK_NOFOLLOW) == 0) {
        errno = EEXIST;
        return fail(err, to->name);
    }
    return renameat(from->dir, from->name, to->dir, to->name) == 0 || fail(err, to->name);
}

bool fs_remove(const struct fs_place *p, const struct fs_seen *was, struct err *err)
{
    return is_still(p->dir, p->name, was, err) &&
           (unlinkat(p->dir, p->name, 0) == 0 || fail(err, p->name));
}

bool fs_make(const struct fs_place *p, struct err *err)
{
    return mkdirat(p->dir, p->name, 0777) == 0 || fail(err, p->name);
}

bool fs_remove_folder(const struct fs_place *p, struct err *err)
{
    return unlinkat(p->dir, p->name, AT_REMOVEDIR) == 0 || fail(err, p->name);
}

bool fs_place_sync(const struct fs_place *p, struct err *err)
{
    return fsync(p->dir) == 0 || errno == EINVAL || fail(err, p->name);
}

bool fs_sync_all(const struct fs_root *root, struct err *err)
{
    return syncfs(root->fd) == 0 || fail(err, "the vault");
}
