#include "base/os/watcher.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/inotify.h>
#include <sys/vfs.h>
#include <unistd.h>

/*
 * IN_CREATE is needed for folders, symlinks and hard links, which are not closed after
 * writing. IN_MODIFY is for files that stay open (logs, long downloads): it would cost an
 * event per write(), but the kernel merges equal consecutive events, and a reader that
 * waits lets events accumulate before reading them. IN_ATTRIB: permissions, and a changed
 * date. IN_DELETE_SELF is not needed: IN_IGNORED is always sent.
 */
static const uint32_t EVENTS = IN_CLOSE_WRITE | IN_MODIFY | IN_CREATE | IN_DELETE |
                               IN_MOVED_FROM | IN_MOVED_TO | IN_ATTRIB | IN_ONLYDIR |
                               IN_EXCL_UNLINK;

enum {
    READ_BYTES = 16384, /* some 400 events */
    READS_MAX = 64,     /* per call: more than the kernel's default queue holds */
};

bool watcher_is_supported(void)
{
    return true;
}

const char *watcher_name(void)
{
    return "inotify";
}

bool watcher_limit(int64_t *out)
{
    char text[32];
    int fd = open("/proc/sys/fs/inotify/max_user_watches", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, text, sizeof(text)) : -1;
    if (fd >= 0)
        close(fd);
    return n > 0 && str_to_int(str_trim_line((str){text, (size_t)n}), out);
}

bool watcher_open(struct watcher *w, struct err *err)
{
    w->fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (w->fd >= 0)
        return true;
    if (errno == EMFILE)
        return err_set(err, ERR_LIMIT,
                       "no more inotify instances: raise sysctl "
                       "fs.inotify.max_user_instances, or the limit of open files");
    return err_sys(err, "inotify_init1 failed");
}

void watcher_close(struct watcher *w)
{
    if (w->fd >= 0)
        close(w->fd);
    w->fd = -1;
}

/* --- folders --- */

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

bool watcher_add(struct watcher *w, int fd, int *folder, struct err *err)
{
    char path[32];
    if (!reports_changes(fd))
        return err_set(err, ERR_INVALID, "the file system does not report changes");
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    int got = inotify_add_watch(w->fd, path, EVENTS);
    if (got >= 0) {
        *folder = got;
        return true;
    }
    if (errno == ENOSPC)
        return err_set(err, ERR_LIMIT,
                       "no more inotify watches: raise sysctl "
                       "fs.inotify.max_user_watches");
    return err_sys(err, "inotify_add_watch failed (is /proc mounted?)");
}

void watcher_remove(struct watcher *w, int folder)
{
    inotify_rm_watch(w->fd, folder);
}

/* --- events --- */

static struct watcher_event event_of(const struct inotify_event *e)
{
    static const struct {
        uint32_t mask;
        unsigned what;
    } meanings[] = {
        {IN_ISDIR, WATCHER_FOLDER},
        {IN_CREATE | IN_DELETE | IN_MOVE, WATCHER_NAMES},
        {IN_IGNORED, WATCHER_ENDED},
        {IN_Q_OVERFLOW, WATCHER_LOST},
    };
    struct watcher_event out = {.folder = e->wd};
    if (e->len > 0)
        out.name = str_c(e->name);
    for (size_t i = 0; i < COUNT_OF(meanings); i++)
        if ((e->mask & meanings[i].mask) != 0)
            out.what |= meanings[i].what;
    return out;
}

bool watcher_read(struct watcher *w,
                  bool (*each)(void *arg, const struct watcher_event *e, struct err *err),
                  void *arg, struct err *err)
{
    _Alignas(struct inotify_event) char buffer[READ_BYTES];
    for (int i = 0; i < READS_MAX; i++) {
        ssize_t got = read(w->fd, buffer, sizeof(buffer));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return (got < 0 && errno == EAGAIN) || err_sys(err, "reading inotify failed");
        const struct inotify_event *e;
        for (const char *at = buffer; at < buffer + got; at += sizeof(*e) + e->len) {
            e = (const struct inotify_event *)at;
            struct watcher_event event = event_of(e);
            if (!each(arg, &event, err))
                return false;
        }
    }
    return true;
}
