/*
 * load - the disk into an index: all of a vault at first, then what may have changed.
 *
 * Reads happen without any lock; the caller decides when what was read goes into the
 * index (load_apply), which needs no disk any more.
 */
#pragma once

#include <stdatomic.h>

#include "vault/index/index.h"
#include "vault/index/snapshot.h"
#include "vault/walk.h"

struct load {
    const struct fs_root *root;
    const struct access *access; /* other files are as if not there */
    struct pool *pool;           /* helps; may be NULL */
    const struct obsidian *obsidian;
    size_t memory_max;              /* bytes of text; notes beyond it are known by name */
    atomic_size_t *done, *expected; /* files, for a progress bar; may be NULL */
    const atomic_bool *stop;        /* when it becomes true, files are left unread */
};

/* What a look at the disk found out, until it is applied. */
struct load_changes {
    struct arena arena;
    struct file **put; /* new or changed files */
    size_t n_put;
    str *removed; /* paths of files that are gone */
    size_t n_removed;
    size_t applied; /* of both, removed first */
};

/*
 * A complete index of the vault into out, which is empty. With a snapshot of that path
 * (NULL: none) only what changed since is read; *old is then what the index lives on and
 * must be closed after it. Folders that cannot be read are logged.
 */
MUST_CHECK bool load_all(const struct load *l, const char *snapshot, struct index *out,
                         struct snapshot **old, struct err *err);

/*
 * Compare paths (files or folders, "" for everything) with the index and read what
 * differs. Hidden ones are passed over. Nobody may change x meanwhile.
 */
void load_look(const struct load *l, const struct index *x, const str *paths, size_t n,
               struct load_changes *out);

/* Put the next few files into the index, to be called until it returns false. Between two
 * calls others may read it. */
bool load_apply(const struct load *l, struct index *x, struct load_changes *changes);
