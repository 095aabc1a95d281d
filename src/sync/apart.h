/*
 * apart - files that sync leaves alone: on disk as they are here, in the repository as
 * they are there.
 *
 * A file with a filter in .gitattributes (git-crypt, Git LFS) has another content in the
 * repository than on disk. Sync runs no filters, so it would publish what is encrypted
 * there, and write pointers instead of pictures. The plugins of Obsidian
 * (tree_path_is_code) are programs: they are not written unless the operator allows it.
 */
#pragma once

#include "base/map.h"
#include "sync/work.h"

struct apart {
    const struct git *g;
    struct work *w;   /* for notices; NULL: without them */
    struct map paths; /* vault paths with a filter */
    str *filters;     /* their filters, by number */
    size_t n_filters;
};

struct apart apart_of(const struct git *g, struct work *w, struct arena *a);

/* Ask for the filters of these vault paths: as on disk, or in a commit. */
MUST_CHECK bool apart_ask_disk(struct apart *x, const str *paths, size_t n,
                               struct err *err);
MUST_CHECK bool apart_ask_commit(struct apart *x, str commit, const str *paths, size_t n,
                                 struct err *err);

/* Whether the file has a filter. If so, the user is notified, once for each filter. */
bool apart_has_filter(const struct apart *x, str path);

/* Whether it belongs to a plugin and may not be written or overwritten; the same. */
bool apart_is_plugin(const struct apart *x, str path);
