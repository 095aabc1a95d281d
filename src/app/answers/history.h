/*
 * history - the answer to what was changed: the caller's view of the journal.
 */
#pragma once

#include "app/answers/answer.h"
#include "vault/change/journal.h"
#include "vault/vault.h"

struct history_question {
    size_t limit;
    uint64_t before; /* only changes before this one; 0: all */
    uint64_t since;  /* only those after this one */
    bool from_since; /* oldest first; otherwise latest first */
    int64_t from;    /* only those made at this time or later: seconds since 1970 */
    str path;        /* only those of this file, with or without .md, or folder */
    str client;      /* only those of clients whose name has this in it */
};

struct history_item {
    struct journal_entry entry;
    struct journal_change change;
};

/* A change that the caller has proposed. */
struct history_proposal {
    str id, state, summary, reason;
    str accepted; /* its hunks (change/hunks.h), once it is decided */
    int64_t time;
    int64_t change; /* that was made of it; or 0 */
};

struct history {
    struct history_item *items;
    size_t n;
    bool more;                          /* than limit allows */
    bool from_since;                    /* as in the question */
    struct history_proposal *proposals; /* the latest first; not set by history_find() */
    size_t n_proposals;
    uint64_t latest; /* change that the caller may see; with from_since: the latest
                        before all items. 0: none */
};

/* Fails if the vault has no journal. */
MUST_CHECK bool history_find(struct vault *v, struct arena *a,
                             const struct history_question *q, struct history *out,
                             struct err *err);

/* What people would name first: "moved Old.md to New.md", or "renamed tag a to b". */
str history_summary(struct arena *a, const struct history_item *item);

extern const struct answer_shape history_shape;
