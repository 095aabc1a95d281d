/*
 * fs_walk - openat2(RESOLVE_BENEATH) for kernels without it. Private to base/fs.c.
 */
#pragma once

/* Open path beneath root; -1 with errno as openat2 sets it. With O_NOFOLLOW, a symlink
 * anywhere in path is ELOOP (RESOLVE_NO_SYMLINKS). */
int fs_walk_open(int root, const char *path, int flags);
