/*
 * lookup - files and folders by what they are called, how large and how old they are.
 *
 * Globs here are about the path below the folder that is looked into, whole: "*.md" fits
 * what is directly in it, "**" + "/" + "*.md" all that is below it. Excluded files (of
 * the vault's settings) are found, too.
 */
#pragma once

#include "vault/index/index.h"

enum { LOOKUP_LIMIT_MAX = 10000 }; /* items that are returned at once */

struct lookup {
    str folder;         /* only below it, clean; "": all */
    str glob;           /* that the path fits; "": any */
    const str *exclude; /* globs of what is left out, with all below it */
    size_t n_exclude;
    str name; /* a glob of the name (glob.h), or a part of it, case ignored; "": any */
    str tag;  /* only notes with that tag or one below it; "": all */
    bool folders; /* also folders that have files somewhere below them: by glob and
                     exclude alone */
    int64_t modified_from, modified_to; /* seconds since 1970, both included */
    int64_t size_from, size_to;         /* bytes, both included */
    size_t offset, limit;               /* items to skip and to return */
};

/* Everything, for what is not asked about. */
#define LOOKUP_ALL                                                                       \
    .modified_from = INT64_MIN, .modified_to = INT64_MAX, .size_from = 0,                \
    .size_to = INT64_MAX

struct lookup_item {
    str path;
    const struct file *file; /* NULL: a folder */
};

struct lookup_result {
    struct lookup_item *items; /* by path, a folder before what is in it */
    size_t n;
    size_t total; /* whatever offset and limit */
};

/* Fails with ERR_INVALID or ERR_LIMIT as glob_compile(). In the arena and the index. */
MUST_CHECK bool lookup_run(const struct index *x, struct arena *a, const struct lookup *l,
                           struct lookup_result *out, struct err *err);
