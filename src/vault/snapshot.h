/*
 * snapshot - an index in a file, so that a restart reads only what changed since.
 *
 * The file is an image of memory: it is mapped, its pointers are corrected, and what it
 * holds is used in place. Only the very program that wrote it can read it; one that is
 * foreign, damaged or cut off is refused as a whole, and whoever wants the index builds
 * it anew. Files in it may be outdated: compare their info.
 */
#pragma once

#include "base/err.h"
#include "vault/index.h"

struct snapshot {
    struct file **files; /* by id; NULL where there is none */
    size_t n;
    struct words *words;
    int64_t saved_ns; /* when; since 1970 */
    void *map;
    size_t size;
};

/* Write the index of path, atomically; who reads it meanwhile may go on. */
MUST_CHECK bool snapshot_save(const char *path, const struct index *x, struct err *err);

/*
 * ERR_NOT_FOUND when there is none, ERR_INVALID when it is no good. files and words may
 * be taken out (set to NULL); the map must outlive them.
 */
MUST_CHECK bool snapshot_open(const char *path, struct snapshot **out, struct err *err);
void snapshot_close(struct snapshot *s);
