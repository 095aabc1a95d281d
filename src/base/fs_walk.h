/*
 * fs_walk - where a path beneath a root ends, symlinks included. Private to base/fs*.c.
 *
 * A visible path cannot end at a hidden one (path_is_hidden): no symlink whose target has
 * a hidden name is followed, not even if '..' leads back from there.
 */
#pragma once

#include "base/fs.h"
#include "base/path.h"

/* The path of what was opened: all names in it were real folders. */
struct fs_real {
    char path[2 * PATH_MAX_BYTES];
    size_t n;
    bool linked; /* a symlink led there */
};

/* Open path beneath root, one name at a time; -1 with errno as openat2 sets it
 * (RESOLVE_BENEATH), also EXDEV for a symlink to a hidden name. With O_NOFOLLOW, a
 * symlink anywhere in path is ELOOP (RESOLVE_NO_SYMLINKS). */
int fs_walk_open(int root, const char *path, int flags, struct fs_real *real);

/* Whether a symlink with this target may be followed; else errno is EXDEV. */
bool fs_walk_follows(str target);

/* Open a folder (fs.c). If real->linked is already set, path has the target of a symlink,
 * which may contain '..'. */
MUST_CHECK bool fs_open_real(const struct fs_root *root, str path, int *fd,
                             struct fs_real *real, struct err *err);
