/*
 * load - reads a vault from disk into an index: first all of it, then what may have
 * changed.
 *
 * Reading needs no lock. The caller decides when the result is put into the index
 * (load_apply), which does not touch the disk.
 */
#pragma once

#include <stdatomic.h>

#include "base/stop.h"
#include "vault/index/index.h"
#include "vault/index/snapshot.h"
#include "vault/policies.h"
#include "vault/walk.h"

enum {
    LOAD_LOOK_MANY = 64, /* paths to look at for which all files are sorted first */
};

struct load_changes;

struct load {
    const struct fs_root *root;
    const struct access *access; /* files it denies are ignored */
    struct pool *pool;           /* shares the work; may be NULL */
    const struct obsidian *obsidian;
    struct policies *policies;      /* of the vault; NULL: there are none */
    size_t memory_max;              /* bytes of text; of further notes only names */
    atomic_size_t *done, *expected; /* files, for a progress bar; may be NULL */
    const atomic_bool *stop;        /* once true, no more files are read, or looked for */

    /* Called when a first scan begins, with the files that it reads, and when it ends,
     * with NULL; or NULL. While *wait is true, it pauses. */
    void (*scans)(void *arg, const struct walk *w);
    void *scans_arg;
    const atomic_bool *wait;

    /* Called with what differs from the stored index, before it is put into x; or NULL. */
    void (*differs)(void *arg, const struct index *x, const struct load_changes *c);
    void *differs_arg;
};

/* What a walk left out at path or below it. */
struct load_left {
    str path;
    const struct skipped_file *items;
    size_t n;
};

/* What a look at the disk found, until it is applied. */
struct load_changes {
    struct arena arena;
    struct file **put; /* new or changed files */
    size_t n_put;
    str *removed; /* paths of files that no longer exist */
    size_t n_removed;
    struct load_left *left; /* places that were looked at */
    size_t n_left;
    size_t applied; /* how many of both are applied; removed come first */
};

/*
 * Fill out, an empty index, with the whole vault. If there is a snapshot at that path
 * (NULL: none), only files that have changed since are read; then the index uses the
 * memory of *old, which must be closed after it. Folders that cannot be read are logged.
 */
MUST_CHECK bool load_all(const struct load *l, const char *snapshot, struct index *out,
                         struct snapshot **old, struct err *err);

/*
 * An index of those files of w that may have text, ignoring case, in their path, a tag or
 * a line; without words. Takes a fraction of the time of a first scan. NULL if it was
 * stopped, or if the text is in so many files that it takes as long. text is one that
 * textscan.h takes.
 */
struct index *load_early_index(const struct load *l, const struct walk *w, str text,
                               const struct stop *stop);

/*
 * Compare paths (files or folders, "" for everything) with the index and read files that
 * differ; and the same for other names of these: symlinks and hard links that the index
 * has. Hidden paths are skipped. x must not change in the meantime.
 *
 * read_ns: when these paths were last looked at, by the wall clock. A file that changed just
 * before that may have changed again within one tick of its file system's clock, so it is
 * read even if it looks the same.
 */
void load_look(const struct load *l, const struct index *x, const str *paths, size_t n,
               int64_t read_ns, struct load_changes *out);

/* What the note at path says about clients on disk (note/policy.h): said, what it said when it
 * was last read, if it cannot be read. */
enum policy load_policy(const struct fs_root *root, str property, str path,
                        enum policy said);

/* Put the next few files into the index; call it until it returns false. Between two
 * calls others may read the index. */
bool load_apply(const struct load *l, struct index *x, struct load_changes *changes);
