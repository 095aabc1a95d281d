/*
 * Files are exchanged if the file system supports it: the old file is
 * then checked, and exchanged back if it is not the expected one. So nothing is lost even
 * if another program saves between our last check and the rename. On other file systems a
 * short window remains; on Windows, which exchanges nothing, the file cannot be written in
 * place meanwhile (file_guard()), and only a rename by another program fits in.
 */
#include "base/fs_edit.h"

#include <errno.h>
#include <stdio.h>

#include "base/fs_walk.h"
#include "base/lock.h"
#include "base/os/error_text.h"
#include "base/os/folder.h"

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
        {EBUSY, E_BUSY, "another program is using it"},
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
    lock_check_slow();
    if (file_allows(root->fd, ".", FILE_MAY_WRITE | FILE_MAY_RUN))
        return true;
    if (errno == EROFS)
        return err_named(err, E_READ_ONLY,
                         "the folder is on a file system that is mounted read-only");
    err_sys(err, "this server has no permission to write in the folder");
    return err_rename(err, E_FORBIDDEN);
}

/* --- reading --- */

static bool look_opened(int fd, const struct file_stat *st, const char *name, size_t max,
                        struct fs_seen *out, str *text, struct arena *a, struct err *err)
{
    if (!fs_read_open(fd, a, st->size, max, text))
        return errno == EFBIG
                   ? err_named(err, E_FILE_TOO_LARGE,
                               "'%s' is larger than the %zu bytes that can be changed",
                               name, max)
                   : fs_edit_fail(err, name);
    *out =
        (struct fs_seen){.exists = true, .mode = st->mode, .hash = hash_content(*text)};
    fs_info_of(st, &out->info);
    return true;
}

static bool fs_edit_look_at(int dir, const char *name, size_t max, struct fs_seen *out,
                            str *text, struct arena *a, struct err *err)
{
    lock_check_slow();
    *out = (struct fs_seen){0};
    *text = (str){0};
    AUTO_CLOSE int fd = file_open(dir, name, FILE_NO_LINK);
    struct file_stat st;
    if (fd < 0 && errno == ENOENT)
        return true;
    if (fd < 0 || !file_stat(fd, &st))
        return fs_edit_fail(err, name);
    if (st.type != FILE_REGULAR)
        return err_named(err, E_PATH_INVALID, "'%s' is not a file", name);
    return look_opened(fd, &st, name, max, out, text, a, err);
}

bool fs_place_look(const struct fs_place *p, size_t max, struct fs_seen *out, str *text,
                   struct arena *a, struct err *err)
{
    return fs_edit_look_at(p->dir, p->name, max, out, text, a, err);
}

bool fs_look(const struct fs_root *root, struct arena *a, str path, size_t max,
             struct fs_seen *out, str *text, struct err *err)
{
    struct fs_place p;
    struct file_stat st;
    *out = (struct fs_seen){0};
    *text = (str){0};
    int opened;
    if (fs_open_plain(root, path, &opened, &st)) {
        AUTO_CLOSE int fd = opened;
        bool ok =
            look_opened(fd, &st, arena_str(a, path_name(path)).p, max, out, text, a, err);
        out->plain = ok;
        return ok;
    }
    if (!fs_place_open(root, a, path, &p, err))
        return err->code == ERR_NOT_FOUND;
    bool ok = fs_place_look(&p, max, out, text, a, err);
    fs_place_close(&p);
    return ok;
}

/* Whether p's file looks as it did when it was read. */
static bool looks_same(const struct fs_place *p, const struct fs_seen *was)
{
    struct file_stat st;
    struct fs_info now;
    return was->info.inode != 0 && file_stat_at(p->dir, p->name, FILE_NO_LINK, &st) &&
           fs_info_of(&st, &now) && fs_same(&now, &was->info);
}

/* Whether the file with that name, p's own or its temp file, is unchanged. */
static bool is_still(const struct fs_place *p, const char *name,
                     const struct fs_seen *was, struct err *err)
{
    lock_check_slow();
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

/* Copy owner, attributes and creation time of the file it replaces as far as possible, and the mode:
 * last, since changing the owner or the access list changes the mode. */
static void make_alike(int old, int fd, unsigned mode)
{
    enum { NOT_EXECUTABLE_NOR_WORLD_WRITABLE = 0664 };
    struct file_stat st;
    bool known = old >= 0 && file_stat(old, &st);
    if (known) {
        file_set_owner(fd, &st);
        file_copy_attributes(old, fd);
        file_set_born(fd, &st);
        mode = st.mode;
    }
    if (known || mode != 0)
        (void)!file_set_mode(fd, mode & NOT_EXECUTABLE_NOR_WORLD_WRITABLE);
}

bool fs_temp_write(const struct fs_place *p, const char *temp, str text, unsigned mode,
                   struct err *err)
{
    lock_check_slow();
    AUTO_CLOSE int old = file_open(p->dir, p->name, FILE_NO_LINK);
    if (old < 0 && errno != ENOENT)
        return fs_edit_fail(err, p->name);
    bool usual = old < 0 && mode == 0; /* otherwise private until it is complete */
    AUTO_CLOSE int fd = file_create(p->dir, temp, usual ? 0664 : 0600);
    if (fd < 0 && errno == EEXIST)
        return err_named(err, E_BUSY,
                         "'%s' was not changed: another program is changing it", p->name);
    if (fd < 0)
        return fs_edit_fail(err, p->name);
    if (!file_write(fd, text)) {
        fs_edit_fail(err, p->name);
        fs_temp_drop(p, temp);
        return false;
    }
    make_alike(old, fd, mode);
    return true;
}

bool fs_temp_sync(const struct fs_place *p, const char *temp, struct err *err)
{
    lock_check_slow();
    AUTO_CLOSE int fd = file_open(p->dir, temp, FILE_NO_LINK);
    return (fd >= 0 && file_sync(fd, FILE_SYNC_FILE)) || fs_edit_fail(err, p->name);
}

void fs_temp_drop(const struct fs_place *p, const char *temp)
{
    if (!file_remove(p->dir, temp) && errno != ENOENT)
        file_remove(p->dir, temp); /* it would block later changes: try again */
}

/* --- putting --- */

/* p's file is called temp from now on, and the other way round. */
static bool put_exchange(const struct fs_place *p, const char *temp)
{
    return file_rename(p->dir, temp, p->dir, p->name, FILE_EXCHANGE);
}

static bool put_over(const struct fs_place *p, const char *temp)
{
    return file_rename(p->dir, temp, p->dir, p->name, FILE_REPLACE);
}

static bool put_new(const struct fs_place *p, const char *temp, const struct fs_seen *was,
                    struct err *err)
{
    if (file_rename(p->dir, temp, p->dir, p->name, FILE_NOREPLACE))
        return true;
    if (errno != ENOTSUP)
        return fs_edit_fail(err, p->name);
    return is_still(p, p->name, was, err) &&
           (put_over(p, temp) || fs_edit_fail(err, p->name));
}

static uint64_t inode_of(const struct fs_place *p, const char *name)
{
    struct file_stat st;
    return file_stat_at(p->dir, name, FILE_NO_LINK, &st) ? st.inode : 0;
}

/* The old file was not the expected one: put it back. If another program has replaced
 * ours in the meantime, put that one back, too. */
static void put_back(const struct fs_place *p, const char *temp, uint64_t ours)
{
    for (int i = 0; i < 2 && inode_of(p, temp) != ours; i++)
        if (!put_exchange(p, temp))
            (void)!put_over(p, temp);
}

bool fs_put(const struct fs_place *p, const char *temp, const struct fs_seen *was,
            struct err *err)
{
    lock_check_slow();
    if (!was->exists)
        return put_new(p, temp, was, err);
    AUTO_CLOSE int guard = file_guard(p->dir, p->name); /* until it is replaced */
    if (guard < 0 && errno == EBUSY)
        return fs_edit_fail(err, p->name);
    uint64_t ours = inode_of(p, temp);
    bool unread = looks_same(p, was);
    if (!unread && !is_still(p, p->name, was, err))
        return false;
    if (!put_exchange(p, temp)) {
        if (errno != ENOTSUP)
            return fs_edit_fail(err, p->name);
        return (!unread || is_still(p, p->name, was, err)) &&
               (put_over(p, temp) || fs_edit_fail(err, p->name));
    }
    if (!is_still(p, temp, was, err)) {
        put_back(p, temp, ours);
        return false;
    }
    fs_temp_drop(p, temp);
    return true;
}

/* Whether both are in one folder, and to finds from only because the file system ignores
 * case. Then nothing is in the way. */
static bool is_respelled(const struct fs_place *from, const struct fs_place *to)
{
    struct file_stat a, b;
    return file_stat(from->dir, &a) && file_stat(to->dir, &b) && file_is_same(&a, &b) &&
           fs_is_other_spelling(from->dir, from->name, to->name);
}

/* The same without the help of the system, which could not do it. */
static bool move_if_free(const struct fs_place *from, const struct fs_place *to)
{
    struct file_stat st;
    bool taken = file_stat_at(to->dir, to->name, FILE_NO_LINK, &st);
    if (!taken || is_respelled(from, to))
        return file_rename(from->dir, from->name, to->dir, to->name, FILE_REPLACE);
    errno = EEXIST;
    return false;
}

bool fs_move(const struct fs_place *from, const struct fs_place *to, struct err *err)
{
    lock_check_slow();
    if (file_rename(from->dir, from->name, to->dir, to->name, FILE_NOREPLACE))
        return true;
    int error = errno;
    if ((error == ENOTSUP || (error == EEXIST && is_respelled(from, to))) &&
        move_if_free(from, to))
        return true;
    if (error == EEXIST)
        errno = error;
    if (errno == EINVAL)
        return err_named(err, E_PATH_INVALID, "'%s' cannot be moved into itself",
                         from->name);
    return fs_edit_fail(err, errno == ENOENT ? from->name : to->name);
}

bool fs_remove(const struct fs_place *p, const char *temp, const struct fs_seen *was,
               struct err *err)
{
    bool unread = looks_same(p, was);
    if (!unread && !is_still(p, p->name, was, err))
        return false;
    if (!file_rename(p->dir, p->name, p->dir, temp, FILE_NOREPLACE)) {
        if (errno != ENOTSUP)
            return fs_edit_fail(err, p->name);
        return (!unread || is_still(p, p->name, was, err)) &&
               (file_remove(p->dir, p->name) || fs_edit_fail(err, p->name));
    }
    if (!is_still(p, temp, was, err)) {
        (void)!file_rename(p->dir, temp, p->dir, p->name, FILE_NOREPLACE);
        return false;
    }
    fs_temp_drop(p, temp);
    return true;
}

bool fs_place_stat(const struct fs_place *p, bool *exists, struct file_stat *out,
                   struct err *err)
{
    lock_check_slow();
    *exists = file_stat_at(p->dir, p->name, FILE_NO_LINK, out);
    return *exists || errno == ENOENT || fs_edit_fail(err, p->name);
}

bool fs_make(const struct fs_place *p, unsigned mode, struct err *err)
{
    lock_check_slow();
    return folder_make(p->dir, p->name, mode) || fs_edit_fail(err, p->name);
}

bool fs_remove_folder(const struct fs_place *p, struct err *err)
{
    lock_check_slow();
    return folder_remove(p->dir, p->name) || fs_edit_fail(err, p->name);
}

bool fs_place_sync(const struct fs_place *p, struct err *err)
{
    lock_check_slow();
    return file_sync(p->dir, FILE_SYNC_NAMES) || fs_edit_fail(err, p->name);
}

bool fs_sync_all(const struct fs_root *root, struct err *err)
{
    lock_check_slow();
    return file_sync(root->fd, FILE_SYNC_ALL) || fs_edit_fail(err, "the vault");
}
