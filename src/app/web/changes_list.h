/*
 * changes_list - the changes of a vault as a person sees them in a browser, and their
 * undo. A user sees the changes that were made in their name, and those without a user,
 * as far as the vault shows them.
 */
#pragma once

#include "app/answers/history.h"
#include "vault/review.h"
#include "vault/vault.h"

enum { CHANGES_LOOKS = 20 /* for a full list, at other users' changes */ };

struct changes_list {
    struct history_item *items; /* latest first */
    size_t n;
    uint64_t more_before; /* there may be more before this change; 0: no */
};

struct changes_question {
    str user;        /* empty: anyone */
    str note;        /* only changes of this file; empty: of all */
    str client;      /* only by apps whose name has this in it; empty: by all */
    uint64_t before; /* 0: the latest */
    int64_t from;    /* only those made then or later: seconds since 1970 */
    size_t max;
};

/* Fails if the vault has no journal. */
MUST_CHECK bool changes_list_find(struct vault *v, struct arena *a,
                                  const struct changes_question *q,
                                  struct changes_list *out, struct err *err);

/* One of them with its texts. Fails with CHANGE_NOT_FOUND if it would not be listed. */
MUST_CHECK bool changes_list_review(struct vault *v, struct arena *a, str user,
                                    uint64_t number, struct review *out, struct err *err);

/* "Moved Inbox/a.md to Notes/a.md", "Changed Home.md and 13 more", "Undid change 3: …" */
str changes_list_summary(struct arena *a, const struct history_item *item);

/* "Moved", "Created" and so on. */
str changes_list_verb(struct arena *a, enum review_outcome outcome);

bool changes_list_can_undo(const struct journal_entry *e);

/* Undo one of them. Fails as transact_run(). */
MUST_CHECK bool changes_list_undo(struct vault *v, struct arena *a, str user,
                                  uint64_t number, struct err *err);
