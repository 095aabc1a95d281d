/*
 * pending - the changes of a vault that are not committed yet, from its journal: the
 * author of each, and the files as it left them, even if a later one changed them again.
 */
#pragma once

#include "vault/change/journal.h"
#include "vault/vault.h"

enum {
    PENDING_OPS_MAX = 2000,       /* of the changes handled together, */
    PENDING_BYTES_MAX = 64 << 20, /* and of the old contents in them */
};

struct pending {
    struct journal_change *list; /* oldest first; includes those of sync itself */
    size_t n, ops, bytes;
    uint64_t last; /* the number of the last one */
    bool more;     /* there are others after it */
    bool gap;      /* some were pruned: it is unknown what they changed */
};

/* The changes after number done, or as many as are handled together; in the arena. */
MUST_CHECK bool pending_read(struct vault *v, struct arena *a, uint64_t done,
                             struct pending *out, struct err *err);

/* Add the changes made since, as far as they are handled together with those. */
MUST_CHECK bool pending_read_on(struct vault *v, struct arena *a, struct pending *p,
                                struct err *err);

/* Whether there is one after number done. */
MUST_CHECK bool pending_any(struct vault *v, uint64_t done, bool *any, struct err *err);

/* Set *done to the number of the last change before a time. If known, *done is valid and
 * stays, unless the journal has been started again since. */
MUST_CHECK bool pending_since(struct vault *v, int64_t when, bool known, uint64_t *done,
                              struct err *err);

static inline bool pending_is_sync(const struct journal_change *c)
{
    return str_eq(c->tool, STR("sync"));
}

/* The paths of a change, sorted. */
str *pending_paths(struct arena *a, const struct journal_change *c, size_t *n);

/* Whether path or a folder above it is one of them. */
bool pending_is_below(const str *sorted, size_t n, str path);

struct pending_file {
    enum { PENDING_ON_DISK, PENDING_GONE, PENDING_KEPT } where;
    str path; /* PENDING_ON_DISK: where it is now */
    str text; /* KEPT: in the journal */
};

/* A file as change i left it, including what sync merged into it since, and gone if sync
 * moved it away: the commit of the merge already contains that. */
struct pending_file pending_after(const struct pending *p, struct arena *a, size_t i,
                                  str path);

/* Whether the file at path (its text, or !there) is not as the last of the changes left
 * it, because another program has changed it since. */
bool pending_differs(const struct pending *p, str path, bool there, str text);

/*
 * Names that files had between the changes and no longer have: those in the changes, and
 * those that moves gave to the known paths. Sorted; may contain names that never existed.
 */
str *pending_names(const struct pending *p, struct arena *a, const str *known,
                   size_t n_known, size_t *n);
