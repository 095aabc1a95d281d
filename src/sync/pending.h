/*
 * pending - the changes of a vault that are not committed yet, from its journal: who made
 * each, and what a file was like after it, also when a later one changed it again.
 */
#pragma once

#include "sync/sync.h"

enum {
    PENDING_OPS_MAX = 2000,       /* of the changes that are looked at together, */
    PENDING_BYTES_MAX = 64 << 20, /* and of the old contents in them */
};

struct pending {
    struct journal_change *list; /* oldest first; those of sync itself, too */
    size_t n, ops, bytes;
    uint64_t last; /* the number of the last */
    bool more;     /* there are others behind it */
    bool gap;      /* some cannot be read any more: nobody knows what they changed */
};

/* Those behind number done, or as many of them as are looked at together. In the arena.
 */
MUST_CHECK bool pending_read(struct vault *v, struct arena *a, uint64_t done,
                             struct pending *out, struct err *err);

/* Whether there is one behind number done. */
MUST_CHECK bool pending_any(struct vault *v, uint64_t done, bool *any, struct err *err);

/* *done is the number of the last one before a time; one that is told already stays,
 * unless the journal begins anew. */
MUST_CHECK bool pending_since(struct vault *v, int64_t when, bool told, uint64_t *done,
                              struct err *err);

static inline bool pending_is_sync(const struct journal_change *c)
{
    return str_eq(c->tool, STR("sync"));
}

/* The paths of a change, sorted. */
str *pending_paths(struct arena *a, const struct journal_change *c, size_t *n);

/* Whether path, or a folder it is in, is one of them. */
bool pending_is_below(const str *sorted, size_t n, str path);

struct pending_file {
    enum { PENDING_ON_DISK, PENDING_GONE, PENDING_KEPT } where;
    str path; /* ON_DISK: where it is by now */
    str text; /* KEPT: in the journal */
};

/* A file as change i left it, with what sync merged into it since: its commit has that
 * already. */
struct pending_file pending_after(const struct pending *p, struct arena *a, size_t i,
                                  str path);

/* Whether a text, or no file, is not what was last written to path: somebody was faster.
 */
bool pending_differs(const struct pending *p, str path, bool there, str text);

/*
 * Names that files had between the changes and that nobody sees any more: those the
 * changes tell of, and those that moves gave to the paths that are known. Sorted; may
 * name what never was.
 */
str *pending_names(const struct pending *p, struct arena *a, const str *known,
                   size_t n_known, size_t *n);
