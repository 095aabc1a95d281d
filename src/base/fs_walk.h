/*
 * fs_walk - openat2(RESOLVE_BENEATH) where the kernel has none. Private to base/fs.c.
 */
#pragma once

/* A descriptor of path beneath root, or -1 with errno as openat2 sets it. With O_NOFOLLOW
 * among the flags a symlink on the way is ELOOP, too (RESOLVE_NO_SYMLINKS). */
int fs_walk_open(int root, const char *path, int flags);
