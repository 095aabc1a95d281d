/*
 * walk - lists all files below a folder, with several threads.
 *
 * Only visible files (base/fs.h). Symlinked folders are not entered; their contents are
 * listed where they are, if that is in the vault. Folders that cannot be read are skipped
 * and reported.
 */
#pragma once

#include "base/arena.h"
#include "base/fs.h"
#include "base/pool.h"
#include "vault/access.h"
#include "vault/index/skipped.h"

enum {
    WALK_DEPTH_MAX = 256,     /* of nested folders that are entered */
    WALK_FILES_MAX = 4000000, /* that are listed */
};

struct walk_file {
    str path;
    struct fs_info info;
};

struct walk {
    struct arena arena;      /* owns everything below */
    struct walk_file *files; /* by path, as bytes */
    size_t n;
    size_t folders;              /* entered, not counting the first one */
    struct skipped_file *left;   /* files and folders that are left out */
    size_t n_left, n_unreadable; /* of these, folders that could not be read */
    bool limited;                /* files are missing because of a limit above */
};

/* Everything below folder ("" for the root). Fails if folder itself cannot be read. */
MUST_CHECK bool walk_below(const struct fs_root *root, struct pool *pool, str folder,
                           struct walk *out, struct err *err);

/* The same, but paths that may not be read are neither looked at nor counted. */
MUST_CHECK bool walk_seen(const struct fs_root *root, struct pool *pool, str folder,
                          const struct access *access, struct walk *out, struct err *err);

void walk_release(struct walk *w);
