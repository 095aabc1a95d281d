/*
 * snapshot - an index in a file, so that a restart reads only what has changed since.
 *
 * The file is an image of memory. It is mapped at the address it was made for if that is
 * free; otherwise its pointers are corrected. Its contents are used in place. Only the
 * same build of the program can read it; a foreign, damaged or truncated file is refused
 * as a whole, and the caller builds the index from the vault. Files in it may be
 * outdated: compare their info. Another program that truncates the file has to wait until
 * its pages are copied; where it would not have to, the file is read instead of mapped.
 */
#pragma once

#include "base/err.h"
#include "base/pool.h"
#include "vault/index/index.h"

struct snapshot {
    struct index_parts parts;
    int64_t saved_ns; /* time of saving, since 1970 */
    void *map;
    size_t size;
    int lease; /* of the file (base/os/memory.h) */
};

/*
 * Write the index to path, atomically; processes that have mapped the old file are not
 * disturbed.
 */
MUST_CHECK bool snapshot_save(const char *path, const struct index *x, struct err *err);

/* Remove what processes left that were stopped while they saved to path, a file in a
 * folder. */
void snapshot_clean(const char *path);

/*
 * Fails with ERR_NOT_FOUND if there is none, with ERR_INVALID if it cannot be used. parts
 * may be moved out (index_restore); the map must outlive them. pool may be NULL.
 */
MUST_CHECK bool snapshot_open(const char *path, struct pool *pool, struct snapshot **out,
                              struct err *err);
void snapshot_close(struct snapshot *s);

/*
 * Give back the memory of the texts, which opening it has read: most are needed rarely,
 * and they come back from the page cache. They are never written, so nothing is lost.
 */
void snapshot_drop_pages(const struct snapshot *s);
