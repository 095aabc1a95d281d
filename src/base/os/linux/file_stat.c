/* statx() knows when a file was created. */
#include <errno.h>
#include <sys/sysmacros.h>

#include "base/os/posix/at.h"
#include "base/os/posix/stat.h"

static int64_t time_of(struct statx_timestamp t)
{
    return stat_ns(t.tv_sec, t.tv_nsec);
}

static void from_statx(const struct statx *st, struct file_stat *out)
{
    *out = (struct file_stat){
        .type = stat_type(st->stx_mode),
        .mode = st->stx_mode & 07777,
        .owner = st->stx_uid,
        .group = st->stx_gid,
        .size = (int64_t)st->stx_size,
        .mtime = st->stx_mtime.tv_sec,
        .modified_ns = time_of(st->stx_mtime),
        .changed_ns = time_of(st->stx_ctime),
        .born_ns = (st->stx_mask & STATX_BTIME) != 0 ? time_of(st->stx_btime) : 0,
        .inode = st->stx_ino,
        .device = makedev(st->stx_dev_major, st->stx_dev_minor),
        .names = st->stx_nlink,
    };
}

/* Old container runtimes refuse statx() with EPERM; then the older call answers. */
static bool look(int dir, const char *path, int flags, struct file_stat *out)
{
    struct statx found;
    struct stat st;
    if (statx(dir, path, flags, STATX_BASIC_STATS | STATX_BTIME, &found) == 0) {
        from_statx(&found, out);
        return true;
    }
    if ((errno != ENOSYS && errno != EPERM) || fstatat(dir, path, &st, flags) != 0)
        return false;
    stat_convert(&st, out);
    return true;
}

bool file_stat(int fd, struct file_stat *out)
{
    return look(fd, "", AT_EMPTY_PATH, out);
}

bool file_stat_at(int dir, const char *path, enum file_end end, struct file_stat *out)
{
    return look(at(dir), path, end == FILE_NO_LINK ? AT_SYMLINK_NOFOLLOW : 0, out);
}
