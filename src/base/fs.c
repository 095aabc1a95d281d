/*
 * Two layers: open_beneath() opens a path beneath the root, with openat2 if it has no
 * symlink, else with the walk of fs_walk.c; fs_look() and the calls above it check what
 * was opened.
 *
 * A file is checked through O_PATH first, which has no effect on devices and FIFOs, and
 * again after it was opened for reading: it may have been replaced in between.
 */
#include "base/fs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/array.h"
#include "base/fs_walk.h"
#include "base/path.h"
#include "base/utf8.h"

enum { READ_FLAGS = O_RDONLY | O_NONBLOCK | O_NOCTTY };
enum { AGAIN_MAX = 128 }; /* openat2 fails with EAGAIN during concurrent renames */

void fs_auto_close(int *fd)
{
    int saved = errno;
    if (*fd >= 0)
        close(*fd);
    errno = saved;
}

int fs_take(int *fd)
{
    int taken = *fd;
    *fd = -1;
    return taken;
}

/* A symlink anywhere in the path is ELOOP, even where O_DIRECTORY would give ENOTDIR. */
static int call_openat2(int dir, const char *path, int flags)
{
    struct open_how how = {
        .flags = (unsigned)((flags & ~O_NOFOLLOW) | O_CLOEXEC),
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_SYMLINKS,
    };
    int fd = -1;
    for (int i = 0; i < AGAIN_MAX; i++) {
        fd = (int)syscall(SYS_openat2, dir, path, &how, sizeof(how));
        if (fd >= 0 || (errno != EAGAIN && errno != EINTR))
            break;
    }
    return fd;
}

/* The resolver: everything beneath a root is opened here. O_NOFOLLOW is stricter than in
 * open(): no symlink anywhere in the path. */
static int open_at(const struct fs_root *root, str path, int flags, struct fs_real *real)
{
    char name[PATH_MAX_BYTES + 1];
    if (path.n >= sizeof(name) || str_find_char(path, '\0') != STR_NONE) {
        errno = path.n >= sizeof(name) ? ENAMETOOLONG : EINVAL;
        return -1;
    }
    if (path.n > 0)
        memcpy(name, path.p, path.n);
    name[path.n] = '\0';
    if (root->no_links)
        flags |= O_NOFOLLOW;
    int fd = -1;
    bool walks = root->no_openat2 || real->linked;
    if (!walks) {
        fd = call_openat2(root->fd, path.n > 0 ? name : ".", flags);
        walks = fd < 0 && errno == ELOOP && (flags & O_NOFOLLOW) == 0;
        real->n = path.n;
        memcpy(real->path, name, path.n);
    }
    if (walks)
        fd = fs_walk_open(root->fd, name, flags, real);
    if (fd < 0 && errno == ELOOP && root->no_links)
        errno = ENOENT;
    return fd;
}

static int open_beneath(const struct fs_root *root, str path, int flags)
{
    struct fs_real real;
    real.linked = false;
    return open_at(root, path, flags, &real);
}

bool fs_root_open(struct fs_root *root, const char *path, struct err *err)
{
    AUTO_CLOSE int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) {
        err_sys(err, "the folder cannot be opened");
        return err_at(err, path);
    }
    AUTO_CLOSE int probe = call_openat2(fd, ".", O_PATH);
    *root = (struct fs_root){.no_openat2 = probe < 0};
    root->fd = TAKE(fd);
    return true;
}

void fs_root_close(struct fs_root *root)
{
    fs_auto_close(&root->fd);
    root->fd = -1;
}

/* What errno means for path, which is beneath the root. */
static bool fail_at(struct err *err, str path)
{
    switch (errno) {
    case ENOENT:
    case ENOTDIR:
        return err_named(err, E_FILE_NOT_FOUND, "File not found: " STR_FMT,
                         STR_ARG(path));
    case EXDEV:
    case ELOOP:
        return err_named(err, E_PATH_NOT_ALLOWED,
                         "'" STR_FMT "' goes through a symbolic link that leads outside "
                         "the root folder, to a hidden name or in a circle",
                         STR_ARG(path));
    case EACCES:
    case EPERM:
        err_sys(err, "'" STR_FMT "' cannot be read: this server has no permission",
                STR_ARG(path));
        return err_rename(err, E_FORBIDDEN);
    default:
        err_sys(err, "'" STR_FMT "' cannot be read", STR_ARG(path));
        return err->code == ERR_INTERNAL && err_rename(err, E_IO_ERROR);
    }
}

static int64_t to_ns(const struct timespec *t)
{
    int64_t ns;
    bool fits = !__builtin_mul_overflow((int64_t)t->tv_sec, 1000000000, &ns) &&
                !__builtin_add_overflow(ns, t->tv_nsec, &ns);
    return fits ? ns : 0; /* before 1677 or after 2262 */
}

bool fs_info_of(const struct stat *st, struct fs_info *info)
{
    if (!S_ISREG(st->st_mode) && !S_ISDIR(st->st_mode))
        return false;
    *info = (struct fs_info){
        .type = S_ISREG(st->st_mode) ? FS_FILE : FS_FOLDER,
        .size = st->st_size,
        .mtime = st->st_mtim.tv_sec,
        .modified_ns = to_ns(&st->st_mtim),
        .changed_ns = to_ns(&st->st_ctim),
        .inode = st->st_ino,
    };
    return true;
}

bool fs_same(const struct fs_info *a, const struct fs_info *b)
{
    return a->type == b->type && a->size == b->size && a->modified_ns == b->modified_ns &&
           a->changed_ns == b->changed_ns && a->inode == b->inode;
}

static bool fs_look(int fd, str path, struct fs_info *info, struct err *err)
{
    struct stat st;
    if (fstat(fd, &st) < 0)
        return fail_at(err, path);
    if (!fs_info_of(&st, info))
        return err_set(err, ERR_INVALID, "'" STR_FMT "' is neither a file nor a folder",
                       STR_ARG(path));
    return true;
}

bool fs_stat(const struct fs_root *root, str path, struct fs_info *info, struct err *err)
{
    AUTO_CLOSE int fd = open_beneath(root, path, O_PATH);
    return fd >= 0 ? fs_look(fd, path, info, err) : fail_at(err, path);
}

static bool open_as_file(const struct fs_root *root, str path, int flags, int *fd,
                         struct fs_info *info, struct err *err)
{
    AUTO_CLOSE int file = open_beneath(root, path, flags);
    struct fs_info seen = {0};
    if (file < 0)
        return fail_at(err, path);
    if (!fs_look(file, path, &seen, err))
        return false;
    if (seen.type != FS_FILE)
        return err_set(err, ERR_INVALID, "'" STR_FMT "' is a folder, not a file",
                       STR_ARG(path));
    *info = seen;
    *fd = TAKE(file);
    return true;
}

bool fs_open_file(const struct fs_root *root, str path, int *fd, struct fs_info *info,
                  struct err *err)
{
    AUTO_CLOSE int seen = -1;
    struct fs_info before;
    return open_as_file(root, path, O_PATH, &seen, &before, err) &&
           open_as_file(root, path, READ_FLAGS, fd, info, err);
}

/*
 * Read to the end, whatever fstat said: the file may grow or shrink in the meantime.
 * A short read that ends exactly at the known size is the end, which saves a call.
 * EFBIG if there is more than max.
 */
static bool fs_read_all(int fd, struct arena *a, size_t size, size_t max, str *out)
{
    size_t cap = size + 1, n = 0;
    char *p = arena_alloc(a, cap);
    for (;;) {
        ssize_t got = read(fd, p + n, cap - n);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return false;
        n += (size_t)got;
        if (got == 0 || (n == size && n < cap))
            break;
        if (n < cap)
            continue;
        if (n > max) {
            errno = EFBIG;
            return false;
        }
        size_t grown = cap < max / 2 ? cap * 2 : max + 1;
        p = arena_grow(a, p, cap, grown);
        cap = grown;
    }
    *out = (str){p, n};
    return true;
}

static bool too_large(struct err *err, str path, size_t max)
{
    return err_named(err, E_FILE_TOO_LARGE,
                     "'" STR_FMT "' is larger than the %zu bytes that can be read",
                     STR_ARG(path), max);
}

static bool read_opened(int fd, struct arena *a, str path, const struct fs_info *info,
                        size_t max, str *out, struct err *err)
{
    if (max > INT64_MAX / 2)
        max = INT64_MAX / 2;
    if ((uint64_t)info->size > max)
        return too_large(err, path, max);
    if (fs_read_all(fd, a, (size_t)info->size, max, out))
        return true;
    return errno == EFBIG ? too_large(err, path, max) : fail_at(err, path);
}

bool fs_read(const struct fs_root *root, struct arena *a, str path, size_t max, str *out,
             struct err *err)
{
    AUTO_CLOSE int fd = -1;
    struct fs_info info;
    return fs_open_file(root, path, &fd, &info, err) &&
           read_opened(fd, a, path, &info, max, out, err);
}

bool fs_load(const struct fs_root *root, struct arena *a, str path, size_t max,
             struct fs_info *info, str *out, struct err *err)
{
    AUTO_CLOSE int fd = -1;
    return open_as_file(root, path, READ_FLAGS, &fd, info, err) &&
           read_opened(fd, a, path, info, max, out, err);
}

/* Describe an entry of a folder; a symlink by its target beneath the root. */
static bool look_entry(const struct fs_root *root, struct arena *a, int dir, str folder,
                       struct fs_entry *e)
{
    struct stat st;
    if (fstatat(dir, e->name.p, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return false;
    e->is_link = S_ISLNK(st.st_mode);
    struct err ignored;
    if (!e->is_link)
        return fs_info_of(&st, &e->info);
    bool there = fs_stat(root, path_join(a, folder, e->name), &e->info, &ignored);
    e->info.linked = true;
    return there;
}

bool fs_stat_entry(const struct fs_root *root, str path, struct fs_entry *out,
                   struct err *err)
{
    *out = (struct fs_entry){.name = path_name(path)};
    AUTO_CLOSE int fd = open_beneath(root, path, O_PATH | O_NOFOLLOW);
    if (fd >= 0)
        return fs_look(fd, path, &out->info, err);
    out->is_link = errno == ELOOP;
    if (!out->is_link)
        return fail_at(err, path);
    bool there = fs_stat(root, path, &out->info, err);
    out->info.linked = true;
    return there;
}

static bool is_candidate(struct arena *a, const struct dirent *d, struct fs_list *list)
{
    str name = str_c(d->d_name);
    if (path_is_hidden(name))
        return false;
    if (!path_is_spellable(name)) {
        *ARRAY_ADD(a, list->skipped, list->n_skipped) = arena_str(a, name);
        return false;
    }
    return d->d_type == DT_REG || d->d_type == DT_DIR || d->d_type == DT_LNK ||
           d->d_type == DT_UNKNOWN;
}

static int fs_by_name(const void *a, const void *b)
{
    return str_cmp(((const struct fs_entry *)a)->name,
                   ((const struct fs_entry *)b)->name);
}

static bool list_entries(const struct fs_root *root, struct arena *a, str path, DIR *dir,
                         struct fs_list *list, struct err *err)
{
    const struct dirent *d;
    while ((errno = 0, d = readdir(dir)) != NULL) {
        if (!is_candidate(a, d, list))
            continue;
        struct fs_entry e = {.name = arena_str(a, str_c(d->d_name))};
        if (!look_entry(root, a, dirfd(dir), path, &e))
            continue;
        if (list->n == FS_LIST_MAX)
            return err_set(err, ERR_LIMIT, "'" STR_FMT "' has more than %d entries",
                           STR_ARG(path), FS_LIST_MAX);
        *ARRAY_ADD(a, list->entries, list->n) = e;
    }
    if (errno != 0)
        return fail_at(err, path);
    if (list->n > 1)
        qsort(list->entries, list->n, sizeof(*list->entries), fs_by_name);
    return true;
}

static bool open_as_folder(const struct fs_root *root, str path, int flags, int *out,
                           struct fs_real *real, struct err *err)
{
    int fd = open_at(root, path, flags | O_RDONLY | O_DIRECTORY, real);
    struct fs_info info;
    if (fd < 0 && errno == ENOTDIR)
        return fs_stat(root, path, &info, err) &&
               err_set(err, ERR_INVALID, "'" STR_FMT "' is a file, not a folder",
                       STR_ARG(path));
    if (fd < 0)
        return fail_at(err, path);
    *out = fd;
    return true;
}

bool fs_open_folder(const struct fs_root *root, str path, bool follow, int *fd,
                    struct err *err)
{
    struct fs_real real;
    real.linked = false;
    return open_as_folder(root, path, follow ? 0 : O_NOFOLLOW, fd, &real, err);
}

bool fs_open_real(const struct fs_root *root, str path, int *fd, struct fs_real *real,
                  struct err *err)
{
    return open_as_folder(root, path, 0, fd, real, err);
}

bool fs_list(const struct fs_root *root, struct arena *a, str path, struct fs_list *out,
             struct err *err)
{
    AUTO_CLOSE int fd = -1;
    if (!fs_open_folder(root, path, true, &fd, err))
        return false;
    DIR *dir = fdopendir(fd);
    if (dir == NULL)
        return fail_at(err, path);
    TAKE(fd);
    struct fs_list list = {0};
    bool ok = list_entries(root, a, path, dir, &list, err);
    closedir(dir);
    if (ok)
        *out = list;
    return ok;
}
