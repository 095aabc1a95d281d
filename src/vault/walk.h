/*
 * walk - all files below a folder, with several threads.
 *
 * Visible files only (base/fs.h); linked folders are not entered, what they lead to is
 * found where it is. Folders that cannot be read are passed over and named.
 */
#pragma once

#include "base/arena.h"
#include "base/fs.h"
#include "base/pool.h"
#include "vault/access.h"

enum {
    WALK_DEPTH_MAX = 256,     /* folders inside each other that are entered */
    WALK_FILES_MAX = 4000000, /* files that are listed */
};

struct walk_file {
    str path;
    struct fs_info info;
};

struct walk {
    struct arena arena;      /* has everything below */
    struct walk_file *files; /* by path bytes */
    size_t n;
    size_t folders;  /* entered, the first one not counted */
    size_t skipped;  /* names that no client could spell */
    str *unreadable; /* folders, each with why */
    size_t n_unreadable;
    bool limited; /* some files were left out: a limit */
};

/* Everything below folder ("" for the root). False when that itself cannot be read. */
MUST_CHECK bool walk_below(const struct fs_root *root, struct pool *pool, str folder,
                           struct walk *out, struct err *err);

/* The same, and nothing that may not be read is looked at or counted. */
MUST_CHECK bool walk_seen(const struct fs_root *root, struct pool *pool, str folder,
                          const struct access *access, struct walk *out, struct err *err);
void walk_release(struct walk *w);
