/*
 * fs_walk - where a path beneath a root ends, symlinks included. Private to base/fs*.c.
 *
 * A visible path cannot end at a hidden one (path_is_hidden): no symlink whose target has
 * a hidden name is followed, not even if '..' leads back from there.
 */
#pragma once

#include "base/fs.h"
#include "base/path.h"

/* A path has room for kilobytes, and what is not written of it is not read: the compiler
 * need not clear all of it for every file. */
#if defined(__has_attribute) && __has_attribute(uninitialized)
#define FS_SCRATCH __attribute__((uninitialized))
#else
#define FS_SCRATCH
#endif

/* The path of what was opened: all names in it were real folders. */
struct fs_real {
    char path[2 * PATH_MAX_BYTES];
    size_t n;
    bool linked; /* a symlink led there */
};

/* What is sought, and what was found, as by file_beneath(). */
struct fs_find {
    enum file_want want;
    bool no_links; /* a symlink anywhere in the path is ELOOP */
    int fd;        /* -1: not open */
    struct file_stat stat;
};

/* Find path beneath root, one name at a time; else errno is as file_beneath() sets it,
 * also EXDEV for a symlink to a hidden name. */
MUST_CHECK bool fs_walk(int root, const char *path, struct fs_find *f,
                        struct fs_real *real);

/* Whether a symlink with this target may be followed; else errno is EXDEV. */
bool fs_walk_follows(str target);

/* Open a file for reading whose path has no symlink (fs.c); false for everything else. */
MUST_CHECK bool fs_open_plain(const struct fs_root *root, str path, int *fd,
                              struct file_stat *st);

/* Open a folder (fs.c). If real->linked is already set, path has the target of a symlink,
 * which may contain '..'. */
MUST_CHECK bool fs_open_real(const struct fs_root *root, str path, int *fd,
                             struct fs_real *real, struct err *err);
