/*
 * watch_tree - a watch on every folder of a vault. Private to watch.
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
    struct watch_table table;
    struct arena scratch; /* names while folders are entered */
};

/*
 * Watch everything beneath root, which is borrowed. Fails if that is not possible or not
 * reliable, with a reason for the log in msg: ERR_INVALID if the file system does not
 * report changes, else a limit or a failure of the system. Then t is closed.
 */
MUST_CHECK bool watch_tree_open(struct watch_tree *t, const struct fs_root *root,
                                struct err *err);
void watch_tree_close(struct watch_tree *t);

/*
 * Read the pending events, update the tree, and add the paths concerned. Sets
 * paths->everything if the tree must be opened again. Fails like watch_tree_open.
 */
MUST_CHECK bool watch_tree_read(struct watch_tree *t, struct watch_paths *paths,
                                struct err *err);
