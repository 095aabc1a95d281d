/*
 * stat - what the system says about a file, as struct file_stat. Private to base/os.
 */
#pragma once

#include <sys/stat.h>

#include "base/os/file.h"

#ifdef __APPLE__
#define st_mtim st_mtimespec
#define st_ctim st_ctimespec
#define STAT_BORN(st)                                                                    \
    stat_ns((st)->st_birthtimespec.tv_sec, (st)->st_birthtimespec.tv_nsec)
#define STAT_DATALESS 0x40000000 /* SF_DATALESS, which older headers lack */
#define STAT_IN_CLOUD(st) (((st)->st_flags & STAT_DATALESS) != 0)
#else
#define STAT_BORN(st) 0
#define STAT_IN_CLOUD(st) false
#endif

static inline int64_t stat_ns(int64_t seconds, int64_t more)
{
    int64_t ns;
    bool fits = !__builtin_mul_overflow(seconds, 1000000000, &ns) &&
                !__builtin_add_overflow(ns, more, &ns);
    return fits ? ns : 0; /* before 1677 or after 2262 */
}

static inline enum file_type stat_type(mode_t mode)
{
    return S_ISREG(mode)    ? FILE_REGULAR
           : S_ISDIR(mode)  ? FILE_FOLDER
           : S_ISLNK(mode)  ? FILE_SYMLINK
           : S_ISFIFO(mode) ? FILE_PIPE
           : S_ISSOCK(mode) ? FILE_SOCKET
                            : FILE_ODD;
}

static inline void stat_convert(const struct stat *st, struct file_stat *out)
{
    *out = (struct file_stat){
        .type = stat_type(st->st_mode),
        .mode = st->st_mode & 07777,
        .owner = st->st_uid,
        .group = st->st_gid,
        .size = st->st_size,
        .mtime = st->st_mtim.tv_sec,
        .modified_ns = stat_ns(st->st_mtim.tv_sec, st->st_mtim.tv_nsec),
        .changed_ns = stat_ns(st->st_ctim.tv_sec, st->st_ctim.tv_nsec),
        .born_ns = STAT_BORN(st),
        .inode = st->st_ino,
        .device = (uint64_t)st->st_dev,
        .names = st->st_nlink,
        .in_cloud = STAT_IN_CLOUD(st),
    };
}
