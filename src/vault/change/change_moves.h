/*
 * change_moves - where the moves of a change lead. A change can have JOURNAL_OPS_MAX of them,
 * and each of its other operations asks for them, so none of these calls looks at all.
 */
#pragma once

#include "base/map.h"
#include "vault/change/journal.h"

struct change_moves {
    const struct journal_change *change; /* borrowed */
    struct map_index from, to;           /* operations by path, and by folded `to` */
};

struct change_moves change_moves_of(struct arena *a, const struct journal_change *c);

/* path after the moves of the change, from operation first on. */
str change_moved(struct arena *a, const struct change_moves *m, size_t first, str path);

/* The moves that may lead to path or to another spelling of it, one per call, oldest first.
 * Start with *at = 0; NULL is the end. Compare: others may be among them. */
const struct journal_op *change_arrival(struct arena *a, const struct change_moves *m,
                                        str path, size_t *at);
