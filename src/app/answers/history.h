/*
 * history - the answer to what was changed: the changes in the journal that a caller may
 * see.
 */
#pragma once

#include "app/answers/answer.h"
#include "vault/change/journal.h"
#include "vault/vault.h"

struct history_question {
    size_t limit;
    uint64_t before; /* only changes before this one; 0: all */
    uint64_t since;  /* with from_since: only those after this one, the oldest first */
    bool from_since; /* otherwise the latest first */
};

struct history_item {
    struct journal_entry entry;
    struct journal_change change;
};

struct history {
    struct history_item *items;
    size_t n;
    bool more;       /* than limit */
    bool from_since; /* as asked */
    uint64_t latest; /* number of the latest change that can be seen; of from_since: of
                        the latest before all items. 0: none */
};

/* Fails when the vault has no journal. */
MUST_CHECK bool history_find(struct vault *v, struct arena *a,
                             const struct history_question *q, struct history *out,
                             struct err *err);

extern const struct answer_shape history_shape;
