/*
 * Three layers: open_beneath() opens a path beneath the root, with openat2 or with a
 * walk; look() and the calls above it judge what was opened; at the end the secret file,
 * which lives outside any root.
 *
 * What will be read is first looked at through O_PATH, which has no effect on devices
 * and FIFOs, and looked at again when it is open: between the two it may have changed.
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

#include "base/path.h"
#include "base/rand.h"
#include "base/utf8.h"

enum {
    AGAIN_MAX = 128, /* openat2 says EAGAIN while something is renamed meanwhile */
    TURNS_MAX =
        200, /* symlinks and '..' in their targets; the kernel stops at 40 links */
    SECRET_MAX = 256,
};

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

static int call_openat2(int dir, const char *path, int flags)
{
    struct open_how how = {
        .flags = (unsigned)(flags | O_CLOEXEC),
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS,
    };
    int fd = -1;
    for (int i = 0; i < AGAIN_MAX; i++) {
        fd = (int)syscall(SYS_openat2, dir, path, &how, sizeof(how));
        if (fd >= 0 || (errno != EAGAIN && errno != EINTR))
            break;
    }
    return fd;
}

/*
 * The walk without openat2. Each step opens one name in a folder that is already open and
 * follows nothing, so wherever folders are moved to meanwhile, it stays beneath the root.
 * A symlink's target goes in front of what is left. '..' (from such targets) goes back to
 * the root and down again by the names walked so far, all of them real folders.
 */
struct walk {
    int root, dir;                 /* dir: where it stands */
    char done[2 * PATH_MAX_BYTES]; /* the names that lead there */
    size_t n_done;
    char left[2 * PATH_MAX_BYTES]; /* from at on: what is still to be walked */
    size_t at;
    int turns;
};

static bool fail_errno(int number)
{
    errno = number;
    return false;
}

static void walk_to(struct walk *w, int dir)
{
    int saved = errno;
    if (w->dir != w->root)
        close(w->dir);
    w->dir = dir;
    errno = saved;
}

/* The next name, or NULL when nothing is left. */
static const char *walk_name(struct walk *w)
{
    while (w->left[w->at] != '\0') {
        char *name = w->left + w->at, *end = strchrnul(name, '/');
        w->at += (size_t)(end - name) + (*end == '/');
        *end = '\0';
        if (*name != '\0' && strcmp(name, ".") != 0)
            return name;
    }
    return NULL;
}

/* Put text in front of what is left. */
static bool walk_prepend(struct walk *w, const char *text, size_t n)
{
    size_t n_left = strlen(w->left + w->at), slash = n_left > 0;
    if (++w->turns > TURNS_MAX || n + slash + n_left >= sizeof(w->left))
        return fail_errno(ELOOP);
    memmove(w->left + n + slash, w->left + w->at, n_left + 1);
    memcpy(w->left, text, n);
    if (slash)
        w->left[n] = '/';
    w->at = 0;
    return true;
}

static bool walk_up(struct walk *w)
{
    if (w->n_done == 0)
        return fail_errno(EXDEV);
    size_t n = path_folder((str){w->done, w->n_done}).n;
    w->n_done = 0;
    walk_to(w, w->root);
    return walk_prepend(w, w->done, n);
}

static bool walk_down(struct walk *w, const char *name, int dir)
{
    walk_to(w, dir);
    size_t n = strlen(name), slash = w->n_done > 0;
    if (w->n_done + slash + n > sizeof(w->done))
        return fail_errno(ENAMETOOLONG);
    if (slash)
        w->done[w->n_done++] = '/';
    memcpy(w->done + w->n_done, name, n);
    w->n_done += n;
    return true;
}

static bool walk_link(struct walk *w, int link)
{
    char target[PATH_MAX_BYTES];
    ssize_t n = readlinkat(link, "", target, sizeof(target));
    if (n < 0)
        return false;
    if (n == 0 || n == sizeof(target) || target[0] == '/')
        return fail_errno(EXDEV);
    return walk_prepend(w, target, (size_t)n);
}

/* True while the walk goes on; at its end *out is what was opened, or stays -1. */
static bool walk_step(struct walk *w, int flags, int *out)
{
    const char *name = walk_name(w);
    if (name == NULL) {
        *out = openat(w->dir, ".", flags | O_CLOEXEC);
        return false;
    }
    if (strcmp(name, "..") == 0)
        return walk_up(w);
    AUTO_CLOSE int fd = openat(w->dir, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    struct stat st;
    if (fd < 0 || fstat(fd, &st) < 0)
        return false;
    if (S_ISLNK(st.st_mode))
        return walk_link(w, fd);
    if (S_ISDIR(st.st_mode))
        return walk_down(w, name, TAKE(fd));
    if (w->left[w->at] != '\0')
        return fail_errno(ENOTDIR);
    if ((flags & O_PATH) != 0)
        *out = TAKE(fd);
    else
        *out = openat(w->dir, name, flags | O_NOFOLLOW | O_CLOEXEC);
    return false;
}

static int walk_open(int root, const char *path, int flags)
{
    if (path[0] == '/') {
        errno = EXDEV;
        return -1;
    }
    struct walk w;
    w.root = w.dir = root;
    w.n_done = w.at = 0;
    w.turns = 0;
    memcpy(w.left, path, strlen(path) + 1);
    int fd = -1;
    while (walk_step(&w, flags, &fd))
        continue;
    walk_to(&w, root);
    return fd;
}

static int open_beneath(const struct fs_root *root, str path, int flags)
{
    char name[PATH_MAX_BYTES + 1];
    if (path.n >= sizeof(name) || str_find_char(path, '\0') != STR_NONE) {
        errno = path.n >= sizeof(name) ? ENAMETOOLONG : EINVAL;
        return -1;
    }
    if (path.n == 0)
        path = STR(".");
    memcpy(name, path.p, path.n);
    name[path.n] = '\0';
    return root->no_openat2 ? walk_open(root->fd, name, flags)
                            : call_openat2(root->fd, name, flags);
}

bool fs_root_open(struct fs_root *root, const char *path, struct err *err)
{
    AUTO_CLOSE int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) {
        err_sys(err, "the folder cannot be opened");
        size_t n = strlen(err->detail);
        snprintf(err->detail + n, sizeof(err->detail) - n, ": %s", path);
        return false;
    }
    AUTO_CLOSE int probe = call_openat2(fd, ".", O_PATH);
    root->no_openat2 = probe < 0;
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
        return err_named(err, ERR_NOT_FOUND, "FILE_NOT_FOUND", "File not found: " STR_FMT,
                         STR_ARG(path));
    case EXDEV:
    case ELOOP:
        return err_named(err, ERR_DENIED, "PATH_NOT_ALLOWED",
                         "'" STR_FMT "' leads through a symbolic link that leaves the "
                         "root folder or goes in circles",
                         STR_ARG(path));
    case EACCES:
    case EPERM:
        err_sys(err, "'" STR_FMT "' may not be read by this server", STR_ARG(path));
        err->name = "FORBIDDEN";
        return false;
    default:
        err_sys(err, "'" STR_FMT "' cannot be read", STR_ARG(path));
        err->name = err->code == ERR_INTERNAL ? "IO_ERROR" : NULL;
        return false;
    }
}

static bool to_info(const struct stat *st, struct fs_info *info)
{
    if (!S_ISREG(st->st_mode) && !S_ISDIR(st->st_mode))
        return false;
    *info = (struct fs_info){
        .type = S_ISREG(st->st_mode) ? FS_FILE : FS_FOLDER,
        .size = st->st_size,
        .mtime = st->st_mtim.tv_sec,
    };
    return true;
}

static bool look(int fd, str path, struct fs_info *info, struct err *err)
{
    struct stat st;
    if (fstat(fd, &st) < 0)
        return fail_at(err, path);
    if (!to_info(&st, info))
        return err_set(err, ERR_INVALID, "'" STR_FMT "' is neither a file nor a folder",
                       STR_ARG(path));
    return true;
}

bool fs_stat(const struct fs_root *root, str path, struct fs_info *info, struct err *err)
{
    AUTO_CLOSE int fd = open_beneath(root, path, O_PATH);
    return fd >= 0 ? look(fd, path, info, err) : fail_at(err, path);
}

static bool open_as_file(const struct fs_root *root, str path, int flags, int *fd,
                         struct fs_info *info, struct err *err)
{
    AUTO_CLOSE int file = open_beneath(root, path, flags);
    struct fs_info seen;
    if (file < 0)
        return fail_at(err, path);
    if (!look(file, path, &seen, err))
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
           open_as_file(root, path, O_RDONLY | O_NONBLOCK | O_NOCTTY, fd, info, err);
}

/*
 * Read to the end, whatever fstat said before: a file may grow or shrink meanwhile.
 * A read that is short exactly at the size known is the end, which saves a call.
 * EFBIG when there is more than max.
 */
static bool read_all(int fd, struct arena *a, size_t size, size_t max, str *out)
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
        if (n > max)
            return fail_errno(EFBIG);
        size_t grown = cap < max / 2 ? cap * 2 : max + 1;
        p = arena_grow(a, p, cap, grown);
        cap = grown;
    }
    *out = (str){p, n};
    return true;
}

static bool too_large(struct err *err, str path, size_t max)
{
    return err_named(err, ERR_LIMIT, "FILE_TOO_LARGE",
                     "'" STR_FMT
                     "' is larger than the %zu bytes that can be read at once",
                     STR_ARG(path), max);
}

bool fs_read(const struct fs_root *root, struct arena *a, str path, size_t max, str *out,
             struct err *err)
{
    AUTO_CLOSE int fd = -1;
    struct fs_info info;
    if (!fs_open_file(root, path, &fd, &info, err))
        return false;
    if (max > INT64_MAX / 2)
        max = INT64_MAX / 2;
    if ((uint64_t)info.size > max)
        return too_large(err, path, max);
    if (read_all(fd, a, (size_t)info.size, max, out))
        return true;
    return errno == EFBIG ? too_large(err, path, max) : fail_at(err, path);
}

/* What a folder's entry is, a symlink being what it leads to beneath the root. */
static bool look_entry(const struct fs_root *root, struct arena *a, int dir, str folder,
                       struct fs_entry *e)
{
    struct stat st;
    if (fstatat(dir, e->name.p, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return false;
    e->is_link = S_ISLNK(st.st_mode);
    struct err ignored;
    if (e->is_link)
        return fs_stat(root, path_join(a, folder, e->name), &e->info, &ignored);
    return to_info(&st, &e->info);
}

static bool is_candidate(const struct dirent *d, struct fs_list *list)
{
    str name = str_c(d->d_name);
    if (path_is_hidden(name))
        return false;
    if (!utf8_valid(name)) {
        list->skipped++;
        return false;
    }
    return d->d_type == DT_REG || d->d_type == DT_DIR || d->d_type == DT_LNK ||
           d->d_type == DT_UNKNOWN;
}

static int by_name(const void *a, const void *b)
{
    return str_cmp(((const struct fs_entry *)a)->name,
                   ((const struct fs_entry *)b)->name);
}

static bool list_entries(const struct fs_root *root, struct arena *a, str path, DIR *dir,
                         struct fs_list *list, struct err *err)
{
    size_t cap = 0;
    const struct dirent *d;
    while ((errno = 0, d = readdir(dir)) != NULL) {
        if (!is_candidate(d, list))
            continue;
        struct fs_entry e = {.name = arena_str(a, str_c(d->d_name))};
        if (!look_entry(root, a, dirfd(dir), path, &e))
            continue;
        if (list->n == FS_LIST_MAX)
            return err_set(err, ERR_LIMIT, "'" STR_FMT "' has more than %d entries",
                           STR_ARG(path), FS_LIST_MAX);
        if (list->n == cap) {
            size_t grown = cap * 2 + 32;
            list->entries =
                arena_grow(a, list->entries, cap * sizeof(e), size_mul(grown, sizeof(e)));
            cap = grown;
        }
        list->entries[list->n++] = e;
    }
    if (errno != 0)
        return fail_at(err, path);
    if (list->n > 1)
        qsort(list->entries, list->n, sizeof(*list->entries), by_name);
    return true;
}

bool fs_list(const struct fs_root *root, struct arena *a, str path, struct fs_list *out,
             struct err *err)
{
    AUTO_CLOSE int fd = open_beneath(root, path, O_RDONLY | O_DIRECTORY);
    struct fs_info info;
    if (fd < 0 && errno == ENOTDIR)
        return fs_stat(root, path, &info, err) &&
               err_set(err, ERR_INVALID, "'" STR_FMT "' is a file, not a folder",
                       STR_ARG(path));
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
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

static bool fail_secret(struct err *err, const char *what, const char *folder,
                        const char *name)
{
    const char *why = strerrordesc_np(errno);
    err_sys(err, "the private file '%s' cannot be %s", name, what);
    snprintf(err->detail, sizeof(err->detail), "%s: %s/%s", why, folder, name);
    return false;
}

static void sync_folder(int dir)
{
    AUTO_CLOSE int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0)
        fsync(fd); /* some file systems cannot; the file itself is safe */
}

/* The folder, made with all its parents where they are missing. */
static int make_folder(const char *path)
{
    AUTO_CLOSE int dir = open(path[0] == '/' ? "/" : ".", O_PATH | O_CLOEXEC);
    str rest = str_c(path), part;
    while (dir >= 0 && str_next(&rest, '/', &part)) {
        if (part.n == 0)
            continue;
        char *name = mem_str(part);
        if (mkdirat(dir, name, 0700) == 0)
            sync_folder(dir);
        int next = openat(dir, name, O_PATH | O_DIRECTORY | O_CLOEXEC);
        free(name);
        fs_auto_close(&dir);
        dir = next;
    }
    return dir >= 0 ? openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
}

static bool write_all(int fd, const uint8_t *bytes, size_t n)
{
    while (n > 0) {
        ssize_t put = write(fd, bytes, n);
        if (put < 0 && errno != EINTR)
            return false;
        if (put > 0) {
            bytes += put;
            n -= (size_t)put;
        }
    }
    return true;
}

/* Give temp its name unless another process was first, which is as good. */
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
    bool ok =
        write_all(fd, bytes, size) && fsync(fd) == 0 && place_secret(dir, temp, name);
    explicit_bzero(bytes, sizeof(bytes));
    int saved = errno;
    unlinkat(dir, temp, 0); /* gone already if it was renamed */
    sync_folder(dir);
    errno = saved;
    return ok;
}

/* 1: read; 0: it has another size, which *found tells; -1: errno tells. */
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
        fchmod(fd, 0600); /* copied from somewhere; ours alone again, if it is ours */
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
        return fail_secret(err, "reached, because its folder cannot be made", folder,
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
            "it so that a new one is made",
            name, (long long)found, size);
        snprintf(err->detail, sizeof(err->detail), "%s/%s", folder, name);
        return false;
    }
    return true;
}
