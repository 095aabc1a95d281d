/*
 * dql_find - the Dataview query that a caller names: the query itself, or a note with a
 * `dataview` code block. A word names a note as for find_file(), and may go on as links
 * do: "Dashboard#Reading" is the block below that heading, "Dashboard#2" the second one.
 */
#pragma once

#include "base/err.h"
#include "vault/index/index.h"

struct dql_found {
    str text;                /* the query */
    const struct file *file; /* the note it is in; NULL: it is not in a note */
    size_t number, blocks;   /* which block of the note, from 1; how many it has */
};

/* Fails as find_file() does; ERR_NOT_FOUND if the note has no such block, and ERR_INVALID
 * if it only has queries that are not supported (dataviewjs). */
MUST_CHECK bool dql_find(const struct index *x, struct arena *a, str word,
                         struct dql_found *out, struct err *err);
