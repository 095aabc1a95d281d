/*
 * unsynced - files that sync leaves alone: on disk as they are here, in the repository as
 * they are there.
 *
 * A file with a filter in .gitattributes (git-crypt, Git LFS) has another content in the
 * repository than on disk. Sync runs no filters, so it would publish what is encrypted
 * there, and write pointers instead of pictures. The plugins of Obsidian
 * (tree_path_is_code) are programs: they are not written unless the operator allows it.
 */
#pragma once

#include "base/map.h"
#include "sync/git.h"

struct unsynced {
    struct git_reader *reader;
    const struct git *g;
    struct map paths; /* vault paths with a filter */
    str *filters;     /* their filters, by number */
    size_t n_filters;
};

struct unsynced unsynced_of(struct git_reader *reader, struct arena *a);

/* Ask for the filters of these vault paths: as on disk, or in a commit. */
MUST_CHECK bool unsynced_ask_disk(struct unsynced *x, const str *paths, size_t n,
                                  struct err *err);
MUST_CHECK bool unsynced_ask_commit(struct unsynced *x, str commit, const str *paths,
                                    size_t n, struct err *err);

/* Why a file is left alone, for the user; the same for all files with that reason. */
struct unsynced_reason {
    str files;
    const char *why;
};
bool unsynced_has_filter(const struct unsynced *x, str path, struct unsynced_reason *out);
bool unsynced_is_plugin(const struct unsynced *x, str path, struct unsynced_reason *out);
