/*
 * vault_trash - the trash of a vault: which paths are in it, and where these files were
 * before.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"

struct vault;

bool trash_contains(str path);

/* The original path of a path in the trash; else path itself. */
str trash_original(str path);

/* Where our changes moved files and folders of the trash from, the last one first; from is
 * empty if one took it out of the trash. */
struct trash_origin {
    str from, to;
    int64_t time; /* of the change */
};
struct trash_origins {
    struct trash_origin *items;
    size_t n;
};

/* only: the path that is asked for; empty: all. Fails with BUSY or TIMEOUT. */
MUST_CHECK bool trash_origins(struct vault *v, struct arena *a, str only,
                              struct trash_origins *out, struct err *err);

/* Whether the caller may read a path in the trash, which has that ctime: where it was
 * before. */
bool trash_is_visible(const struct vault *v, const struct trash_origins *origins,
                      str path, int64_t changed_ns);
