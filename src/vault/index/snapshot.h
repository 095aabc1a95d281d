/*
 * snapshot - an index in a file, so that a restart reads only what changed since.
 *
 * The file is an image of memory: it is mapped, where it was made for if that place is
 * free, else its pointers are corrected; what it holds is used in place. Only the very
 * program that wrote it can read it; one that is foreign, damaged or cut off is refused
 * as a whole, and whoever wants the index builds it anew. Files in it may be outdated:
 * compare their info.
 */
#pragma once

#include "base/err.h"
#include "base/pool.h"
#include "vault/index/index.h"

struct snapshot {
    struct index_parts parts;
    int64_t saved_ns; /* when; since 1970 */
    void *map;
    size_t size;
};

/* Write the index of path, atomically; who reads it meanwhile may go on. */
MUST_CHECK bool snapshot_save(const char *path, const struct index *x, struct err *err);

/*
 * ERR_NOT_FOUND when there is none, ERR_INVALID when it is no good. parts may be taken
 * out (index_restore); the map must outlive them. pool helps, or is NULL.
 */
MUST_CHECK bool snapshot_open(const char *path, struct pool *pool, struct snapshot **out,
                              struct err *err);
void snapshot_close(struct snapshot *s);
