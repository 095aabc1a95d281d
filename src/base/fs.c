/*
 * Two layers: fs_find() finds a path beneath the root, in one step if it has no symlink,
 * else with the walk of fs_walk.c; the calls above it check what was found.
 *
 * A file is looked at first, which has no effect on devices and FIFOs, and again after it
 * was opened for reading: it may have been replaced in between.
 */
#include "base/fs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/fs_walk.h"
#include "base/lock.h"
#include "base/os/folder.h"
#include "base/path.h"
#include "base/sort.h"

/* The resolver: everything beneath a root is found here. */
static bool fs_find(const struct fs_root *root, str path, struct fs_find *f,
                    struct fs_real *real)
{
    FS_SCRATCH char name[PATH_MAX_BYTES + 1];
    lock_check_slow();
    f->fd = -1;
    if (path.n >= sizeof(name) || str_find_char(path, '\0') != STR_NONE) {
        errno = path.n >= sizeof(name) ? ENAMETOOLONG : EINVAL;
        return false;
    }
    if (path.n > 0)
        memcpy(name, path.p, path.n);
    name[path.n] = '\0';
    f->no_links |= root->no_links;
    bool found = false, walks = root->no_openat2 || real->linked;
    if (!walks) {
        found =
            file_beneath(root->fd, path.n > 0 ? name : ".", f->want, &f->fd, &f->stat);
        walks = !found && errno == ELOOP && !f->no_links;
        real->n = path.n;
        memcpy(real->path, name, path.n);
    }
    if (walks)
        found = fs_walk(root->fd, name, f, real);
    if (!found && errno == ELOOP && root->no_links)
        errno = ENOENT;
    if (!found)
        file_close(f->fd);
    return found;
}

static bool find_beneath(const struct fs_root *root, str path, struct fs_find *f)
{
    FS_SCRATCH struct fs_real real;
    real.linked = false;
    return fs_find(root, path, f, &real);
}

bool fs_root_open(struct fs_root *root, const char *path, struct err *err)
{
    struct file_stat st;
    lock_check_slow();
    int fd = folder_open(FILE_CWD, path);
    if (fd < 0) {
        err_sys(err, "the folder cannot be opened");
        return err_at(err, path);
    }
    *root = (struct fs_root){.fd = fd};
    root->no_openat2 = !file_beneath(fd, ".", FILE_LOOK, NULL, &st);
    return true;
}

void fs_root_close(struct fs_root *root)
{
    file_close(TAKE(root->fd));
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

bool fs_info_of(const struct file_stat *st, struct fs_info *info)
{
    if (st->type != FILE_REGULAR && st->type != FILE_FOLDER)
        return false;
    *info = (struct fs_info){
        .type = st->type == FILE_REGULAR ? FS_FILE : FS_FOLDER,
        .many_names = st->type == FILE_REGULAR && st->names > 1,
        .in_cloud = st->in_cloud,
        .size = st->size,
        .mtime = st->mtime,
        .modified_ns = st->modified_ns,
        .changed_ns = st->changed_ns,
        .born_ns = st->born_ns,
        .inode = st->inode,
    };
    return true;
}

bool fs_same(const struct fs_info *a, const struct fs_info *b)
{
    return a->type == b->type && a->size == b->size && a->modified_ns == b->modified_ns &&
           a->changed_ns == b->changed_ns && a->inode == b->inode &&
           a->in_cloud == b->in_cloud;
}

static bool fs_describe(const struct fs_find *f, str path, struct fs_info *info,
                        struct err *err)
{
    return fs_info_of(&f->stat, info) ||
           err_set(err, ERR_INVALID, "'" STR_FMT "' is neither a file nor a folder",
                   STR_ARG(path));
}

bool fs_stat(const struct fs_root *root, str path, struct fs_info *info, struct err *err)
{
    struct fs_find f = {.want = FILE_LOOK};
    return find_beneath(root, path, &f) ? fs_describe(&f, path, info, err)
                                        : fail_at(err, path);
}

/* fd: -1 if it is only looked at. */
static bool find_file(const struct fs_root *root, str path, enum file_want want, int *fd,
                      struct fs_info *info, struct err *err)
{
    struct fs_find f = {.want = want};
    struct fs_info seen = {0};
    if (!find_beneath(root, path, &f))
        return fail_at(err, path);
    AUTO_CLOSE int file = f.fd;
    if (!fs_describe(&f, path, &seen, err))
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
    int none;
    struct fs_info before;
    return find_file(root, path, FILE_LOOK, &none, &before, err) &&
           find_file(root, path, FILE_READ, fd, info, err);
}

bool fs_open_plain(const struct fs_root *root, str path, int *fd, struct file_stat *st)
{
    struct fs_find f = {.want = FILE_READ, .no_links = true};
    if (!find_beneath(root, path, &f))
        return false;
    AUTO_CLOSE int file = f.fd;
    if (f.stat.type != FILE_REGULAR)
        return false;
    *st = f.stat;
    *fd = TAKE(file);
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
    if (fs_read_open(fd, a, info->size, max, out))
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
    return find_file(root, path, FILE_READ, &fd, info, err) &&
           read_opened(fd, a, path, info, max, out, err);
}

/* Describe an entry of a folder; a symlink by its target beneath the root. */
static bool look_entry(const struct fs_root *root, struct arena *a, int dir, str folder,
                       struct fs_entry *e)
{
    struct file_stat st;
    if (!file_stat_at(dir, e->name.p, FILE_NO_LINK, &st))
        return false;
    e->is_link = st.type == FILE_SYMLINK;
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
    struct fs_find f = {.want = FILE_LOOK, .no_links = true};
    if (find_beneath(root, path, &f))
        return fs_describe(&f, path, &out->info, err);
    out->is_link = errno == ELOOP;
    if (!out->is_link)
        return fail_at(err, path);
    bool there = fs_stat(root, path, &out->info, err);
    out->info.linked = true;
    return there;
}

static bool is_candidate(struct arena *a, str name, enum file_type type,
                         struct fs_list *list)
{
    if (path_is_hidden(name) && path_in_icloud(name).n == 0)
        return false;
    if (path_is_hidden(name) || !path_is_spellable(name)) {
        *ARRAY_ADD(a, list->skipped, list->n_skipped) = arena_str(a, name);
        return false;
    }
    return type == FILE_REGULAR || type == FILE_FOLDER || type == FILE_SYMLINK ||
           type == FILE_UNSEEN;
}

static int fs_by_name(const void *a, const void *b)
{
    return str_cmp(((const struct fs_entry *)a)->name,
                   ((const struct fs_entry *)b)->name);
}

static bool list_entries(const struct fs_root *root, struct arena *a, str path,
                         struct folder_names *names, struct fs_list *list,
                         struct err *err)
{
    for (const char *name; (name = folder_next(names)) != NULL;) {
        if (!is_candidate(a, str_c(name), names->type, list))
            continue;
        struct fs_entry e = {.name = arena_str(a, str_c(name))};
        if (!look_entry(root, a, names->fd, path, &e))
            continue;
        if (list->n == FS_LIST_MAX)
            return err_set(err, ERR_LIMIT, "'" STR_FMT "' has more than %d entries",
                           STR_ARG(path), FS_LIST_MAX);
        *ARRAY_ADD(a, list->entries, list->n) = e;
    }
    if (list->n > 1)
        sort_items(list->entries, list->n, sizeof(*list->entries), fs_by_name);
    return true;
}

static bool open_as_folder(const struct fs_root *root, str path, bool follow, int *out,
                           struct fs_real *real, struct err *err)
{
    struct fs_find f = {.want = FILE_LIST, .no_links = !follow};
    struct fs_info info;
    if (fs_find(root, path, &f, real)) {
        *out = f.fd;
        return true;
    }
    if (errno != ENOTDIR)
        return fail_at(err, path);
    return fs_stat(root, path, &info, err) &&
           err_set(err, ERR_INVALID, "'" STR_FMT "' is a file, not a folder",
                   STR_ARG(path));
}

bool fs_open_folder(const struct fs_root *root, str path, bool follow, int *fd,
                    struct err *err)
{
    FS_SCRATCH struct fs_real real;
    real.linked = false;
    return open_as_folder(root, path, follow, fd, &real, err);
}

bool fs_open_real(const struct fs_root *root, str path, int *fd, struct fs_real *real,
                  struct err *err)
{
    return open_as_folder(root, path, true, fd, real, err);
}

bool fs_list(const struct fs_root *root, struct arena *a, str path, struct fs_list *out,
             struct err *err)
{
    int fd;
    if (!fs_open_folder(root, path, true, &fd, err))
        return false;
    struct folder_names names = folder_names_of(fd);
    struct fs_list list = {0};
    bool ok = list_entries(root, a, path, &names, &list, err);
    if (!folder_end(&names) && ok)
        return fail_at(err, path);
    if (ok)
        *out = list;
    return ok;
}
