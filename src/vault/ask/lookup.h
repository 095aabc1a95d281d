/*
 * lookup - files and folders by name, size and age.
 *
 * A glob must match the whole path relative to the folder that is searched: "*.md"
 * matches files directly in it, "**" + "/" + "*.md" those at any depth. Files that the
 * vault's settings exclude are found, too.
 */
#pragma once

#include "vault/index/index.h"

enum { LOOKUP_LIMIT_MAX = 10000 }; /* items in one answer */

struct lookup {
    str folder;         /* only below it, clean; "": all */
    str glob;           /* that the path must match; "": any */
    const str *exclude; /* globs to leave out, with everything below */
    size_t n_exclude;
    str name;     /* a glob (glob.h), else part of the name, ignoring case; "": any */
    str tag;      /* only notes with that tag or a nested one; "": all */
    bool folders; /* also folders with files at any depth; only glob and exclude apply to
                     them */
    int64_t modified_from, modified_to; /* seconds since 1970, inclusive */
    int64_t size_from, size_to;         /* bytes, inclusive */
    size_t offset, limit;               /* items to skip and to return */
};

/* Initializers for ranges that match everything. */
#define LOOKUP_ALL                                                                       \
    .modified_from = INT64_MIN, .modified_to = INT64_MAX, .size_from = 0,                \
    .size_to = INT64_MAX

struct lookup_item {
    str path;
    const struct file *file; /* NULL: a folder */
};

struct lookup_result {
    struct lookup_item *items; /* by path, a folder before its contents */
    size_t n;
    size_t total; /* regardless of offset and limit */
};

/* Fails like glob_compile(). The result is in the arena and borrows from the index. */
MUST_CHECK bool lookup_run(const struct index *x, struct arena *a, const struct lookup *l,
                           struct lookup_result *out, struct err *err);
