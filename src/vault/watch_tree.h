/*
 * watch_tree - every folder of a vault with a watch of inotify. Private to watch.
 *
 * For one thread at a time.
 */
#pragma once

#include "base/err.h"
#include "base/fs.h"
#include "vault/watch_table.h"

struct watch_paths;

struct watch_tree {
    const struct fs_root *root;
    struct watch_table table; /* table.fd is for poll() */
    struct arena scratch;     /* names while folders are entered */
};

/*
 * Watch everything beneath root, which is borrowed. Fails when that cannot be done or be
 * relied upon, with a reason for the log in msg: ERR_INVALID when the file system does
 * not tell of changes, else a limit or a failure of the machine. t is closed then.
 */
MUST_CHECK bool watch_tree_open(struct watch_tree *t, const struct fs_root *root,
                                struct err *err);
void watch_tree_close(struct watch_tree *t);

/*
 * Take the events that wait, keep the tree right, and add the paths that they concern.
 * paths->everything is set when the tree must be opened anew. Fails as watch_tree_open.
 */
MUST_CHECK bool watch_tree_read(struct watch_tree *t, struct watch_paths *paths,
                                struct err *err);
