/*
 * The table follows the disk, not the sequence of events. Whatever an event says about a
 * folder (made, moved here or away, removed), settle() looks at what exists now: a folder
 * at that path gets a watch and is entered, and anything else that the table has at that
 * path is removed, with everything below. So sequences that are outdated when they are
 * read (mv a b; mv b a; or two folders exchanged) end in the right state.
 *
 * A watch belongs to an inode. If a folder turns out to be watched elsewhere in the
 * table, it was moved: the old watches are removed, and it is watched and entered as new.
 * Pending events of the old watches are lost, which does no harm: the folder is reported,
 * and the receiver looks at everything in it.
 *
 * Order matters in one place: first the watch, then the listing. Files made in between
 * are seen by both; the other way round they could be missed by both.
 */
#include "vault/watch_tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/array.h"
#include "vault/note/obsidian.h"
#include "vault/watch.h"
#include "vault/watch_paths.h"

/*
 * IN_CREATE is needed for folders, symlinks and hard links, which are not closed after
 * writing. IN_MODIFY is for files that stay open (logs, long downloads): it would cost an
 * event per write(), but the kernel merges equal consecutive events, and watch.c lets
 * events accumulate before it reads them. IN_ATTRIB: permissions, and a changed date.
 * IN_DELETE_SELF is not needed: IN_IGNORED is always sent.
 */
static const uint32_t EVENTS = IN_CLOSE_WRITE | IN_MODIFY | IN_CREATE | IN_DELETE |
                               IN_MOVED_FROM | IN_MOVED_TO | IN_ATTRIB | IN_ONLYDIR |
                               IN_EXCL_UNLINK;

enum {
    READ_BYTES = 16384, /* some 400 events */
    READS_MAX = 64,     /* per call: more than the kernel's default queue holds */
};

#define CONFIG_FOLDER STR(".obsidian")

/* False for file systems whose files can change without the kernel's knowledge. */
static bool reports_changes(int fd)
{
    static const uint32_t silent[] = {
        0x65735546, /* FUSE, virtiofs */
        0x00006969, /* NFS */
        0x0000517B, /* SMB */
        0xFE534D42, /* SMB2 */
        0xFF534D42, /* CIFS */
        0x01021997, /* 9p */
        0x5346414F, /* AFS */
        0x6B414653, /* kAFS */
        0x73757245, /* Coda */
        0x00C36400, /* Ceph */
        0x786F4256, /* VirtualBox shared folders */
        0xBACBACBC, /* VMware shared folders */
        0x7C7C6673, /* Parallels shared folders */
        0x01161970, /* GFS2 */
        0x7461636F, /* OCFS2 */
        0x0BD00BD0, /* Lustre */
        0x47504653, /* GPFS */
    };
    struct statfs st;
    if (fstatfs(fd, &st) < 0)
        return false;
    for (size_t i = 0; i < COUNT_OF(silent); i++)
        if ((uint32_t)st.f_type == silent[i])
            return false;
    return true;
}

/* Fill *wd; the same as before if the inode is already watched. */
static bool add_watch(const struct watch_tree *t, int fd, int *wd, struct err *err)
{
    char path[32];
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    int got = inotify_add_watch(t->table.fd, path, EVENTS);
    if (got >= 0) {
        *wd = got;
        return true;
    }
    if (errno == ENOSPC)
        return err_set(err, ERR_LIMIT,
                       "no more inotify watches after %zu folders: raise sysctl "
                       "fs.inotify.max_user_watches",
                       t->table.n);
    return err_sys(err, "inotify_add_watch failed (is /proc mounted?)");
}

/* Whether f is the folder .obsidian, or below it. */
static bool is_config(const struct watch_folder *f)
{
    while (f->depth > 1)
        f = f->parent;
    return f->depth == 1 && str_eq(f->name, CONFIG_FOLDER);
}

static bool is_visible(const struct watch_folder *f, str name)
{
    if (path_is_hidden(name))
        return f->depth == 0 && str_eq(name, CONFIG_FOLDER);
    return path_is_spellable(name);
}

/* Of .obsidian, only files are watched, and the folders of plugins whose settings are
 * read. */
static bool is_watched_folder(const struct watch_folder *f, str name)
{
    enum { CONFIG_DEPTH = 1, PLUGINS_DEPTH };
    if (!is_visible(f, name) || !is_config(f))
        return is_visible(f, name);
    return f->depth == CONFIG_DEPTH
               ? str_eq(name, STR("plugins"))
               : f->depth == PLUGINS_DEPTH && str_eq(f->name, STR("plugins")) &&
                     obsidian_reads_plugin(name);
}

struct name_list {
    str *names;
    size_t n;
};

static void watch_tree_add_name(struct watch_tree *t, struct name_list *list,
                                const char *name)
{
    *ARRAY_ADD(&t->scratch, list->names, list->n) = arena_str(&t->scratch, str_c(name));
}

static bool watch_tree_is_folder(int dir, const struct dirent *d)
{
    struct stat st;
    if (d->d_type != DT_UNKNOWN)
        return d->d_type == DT_DIR;
    return fstatat(dir, d->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode);
}

/* The folders in f that are watched. Closes its descriptor fd. */
static bool list_folders(struct watch_tree *t, const struct watch_folder *f, int fd,
                         struct name_list *out, struct err *err)
{
    DIR *dir = fdopendir(fd);
    if (dir == NULL) {
        close(fd);
        return err_sys(err, "fdopendir failed");
    }
    const struct dirent *d;
    while ((errno = 0, d = readdir(dir)) != NULL) {
        if (!is_watched_folder(f, str_c(d->d_name)) ||
            !watch_tree_is_folder(dirfd(dir), d))
            continue;
        if (out->n == WATCH_FOLDERS_MAX)
            break; /* settle() will report the limit */
        watch_tree_add_name(t, out, d->d_name);
    }
    bool ok = errno == 0 || err_sys(err, "readdir failed");
    closedir(dir);
    return ok;
}

static bool settle(struct watch_tree *t, struct watch_folder *parent, str name,
                   struct err *err);

/* Watch the folders in f, which is new and open as fd. Closes fd. */
static bool enter(struct watch_tree *t, struct watch_folder *f, int fd, struct err *err)
{
    if (f->depth == WATCH_DEPTH_MAX) {
        close(fd);
        return true;
    }
    struct name_list list = {0};
    if (!list_folders(t, f, fd, &list, err))
        return false;
    for (size_t i = 0; i < list.n; i++)
        if (!settle(t, f, list.names[i], err))
            return false;
    return true;
}

/*
 * Open the folder at a path; *fd stays -1 if there is none that can be entered. Not
 * inlined, so that settle() does not put a buffer on the stack at each depth.
 */
__attribute__((noinline)) static bool open_place(struct watch_tree *t,
                                                 const struct watch_folder *parent,
                                                 str name, int *fd, struct err *err)
{
    char buffer[PATH_MAX_BYTES];
    str path = watch_folder_path(parent, name, buffer);
    if (path.n == 0 && parent != NULL)
        return true;
    if (!fs_open_folder(t->root, path, false, fd, err))
        return err->code == ERR_NOT_FOUND || err->code == ERR_DENIED ||
               err->code == ERR_INVALID;
    return reports_changes(*fd) ||
           err_set(err, ERR_INVALID, "the file system does not report changes");
}

/*
 * Update the table for the folder name in parent. Nothing above that path is ever
 * forgotten: a folder that is found again inside itself is a mount, or the table is out
 * of date and pending events will correct it.
 */
static bool settle(struct watch_tree *t, struct watch_folder *parent, str name,
                   struct err *err)
{
    AUTO_CLOSE int fd = -1;
    if (!open_place(t, parent, name, &fd, err))
        return false;
    int wd = -1;
    if (fd >= 0 && !add_watch(t, fd, &wd, err))
        return false;
    struct watch_folder *old = watch_table_child(&t->table, parent, name);
    struct watch_folder *known = fd >= 0 ? watch_table_find(&t->table, wd) : NULL;
    if (known != NULL && (known == old || watch_folder_within(parent, known)))
        return true;
    if (known != NULL) {
        watch_table_forget(&t->table, known);
        if (!add_watch(t, fd, &wd, err))
            return false;
    }
    if (old != NULL)
        watch_table_forget(&t->table, old);
    if (fd < 0)
        return true;
    if (t->table.n == WATCH_FOLDERS_MAX)
        return err_set(err, ERR_LIMIT, "more than %d folders", WATCH_FOLDERS_MAX);
    return enter(t, watch_table_add(&t->table, parent, name, wd), TAKE(fd), err);
}

static bool fail_init(struct err *err)
{
    if (errno == EMFILE)
        return err_set(err, ERR_LIMIT,
                       "no more inotify instances: raise sysctl "
                       "fs.inotify.max_user_instances, or the limit of open files");
    return err_sys(err, "inotify_init1 failed");
}

bool watch_tree_open(struct watch_tree *t, const struct fs_root *root, struct err *err)
{
    *t = (struct watch_tree){.root = root, .table.fd = -1};
    int fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (fd < 0)
        return fail_init(err);
    watch_table_init(&t->table, fd);
    bool ok = settle(t, NULL, STR(""), err);
    if (ok && t->table.top == NULL)
        ok = err_set(err, ERR_DENIED, "the vault's folder cannot be opened");
    arena_reset(&t->scratch);
    if (!ok)
        watch_tree_close(t);
    return ok;
}

void watch_tree_close(struct watch_tree *t)
{
    watch_table_release(&t->table);
    arena_release(&t->scratch);
}

/* --- events --- */

static void hint(const struct watch_folder *f, str name, struct watch_paths *paths)
{
    char buffer[PATH_MAX_BYTES];
    str path = watch_folder_path(f, name, buffer);
    if (path.n > 0)
        watch_paths_add(paths, path);
}

static void hint_folder(const struct watch_folder *f, struct watch_paths *paths)
{
    if (f->parent == NULL)
        watch_paths_add_all(paths);
    else
        hint(f->parent, f->name, paths);
}

/*
 * An event of the folder itself. Its parent reports changed attributes, too. The top has
 * no parent, but a date set there (as rsync does) does not justify a look at everything.
 * The watch ends with the folder or its file system.
 */
static void take_self(struct watch_tree *t, struct watch_folder *f, uint32_t mask,
                      struct watch_paths *paths)
{
    if ((mask & IN_IGNORED) == 0)
        return;
    hint_folder(f, paths);
    if (f != t->table.top)
        watch_table_forget(&t->table, f);
}

static bool take_event(struct watch_tree *t, const struct inotify_event *e,
                       struct watch_paths *paths, struct err *err)
{
    if ((e->mask & IN_Q_OVERFLOW) != 0) {
        watch_paths_add_all(paths);
        return true;
    }
    struct watch_folder *f = watch_table_find(&t->table, e->wd);
    if (f == NULL)
        return true; /* of a watch that was removed in the meantime */
    if (e->len == 0) {
        take_self(t, f, e->mask, paths);
        return true;
    }
    str name = str_c(e->name);
    bool is_dir = (e->mask & IN_ISDIR) != 0;
    if (is_dir ? !is_watched_folder(f, name) : !is_visible(f, name)) {
        bool odd = !path_is_hidden(name) && !path_is_spellable(name);
        if (odd && (e->mask & (IN_CREATE | IN_DELETE | IN_MOVE)) != 0)
            hint_folder(f, paths); /* what is left out of it has changed */
        return true;
    }
    hint(f, name, paths);
    if (!is_dir || f->depth == WATCH_DEPTH_MAX)
        return true;
    bool ok = settle(t, f, name, err);
    arena_reset(&t->scratch);
    return ok;
}

bool watch_tree_read(struct watch_tree *t, struct watch_paths *paths, struct err *err)
{
    _Alignas(struct inotify_event) char buffer[READ_BYTES];
    for (int i = 0; i < READS_MAX; i++) {
        ssize_t got = read(t->table.fd, buffer, sizeof(buffer));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return (got < 0 && errno == EAGAIN) || err_sys(err, "reading inotify failed");
        const struct inotify_event *e;
        for (const char *at = buffer; at < buffer + got; at += sizeof(*e) + e->len) {
            e = (const struct inotify_event *)at;
            if (!take_event(t, e, paths, err))
                return false;
        }
    }
    return true;
}
