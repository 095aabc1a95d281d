/*
 * watcher_own - what systems whose folders libuv watches do in different ways.
 */
#pragma once

#include <stdbool.h>

/* Whether the file system of an open folder reports what changes: that of a network does not
 * see what others do. */
bool watcher_is_local(int fd);

/* Give a path that libuv reported the slashes of ours. */
void watcher_clean(char *path);
