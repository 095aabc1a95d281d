/*
 * changes_list - the changes of a vault as a person sees them in a browser, and their
 * undo. A user sees the changes that were made in their name, and those without a user,
 * as far as the vault shows them.
 */
#pragma once

#include "app/answers/history.h"
#include "oauth/page.h"
#include "vault/review.h"
#include "vault/vault.h"

enum {
    CHANGES_LOOKS = 20,    /* for a full list, at other users' changes */
    CHANGES_LATER = 1000,  /* changes that are looked at to find what holds others */
    CHANGES_CHAIN = 50,    /* that are undone together */
    CHANGES_COUNTED = 100, /* latest ones whose lines are counted, of at most */
    CHANGES_COUNTED_FILES = 20,
    CHANGES_COUNTED_BYTES = 256 << 10, /* in the journal, and of a diff */
};

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

/* The picture of its most important file. */
enum page_glyph changes_list_glyph(struct arena *a, const struct history_item *item);

bool changes_list_can_undo(const struct journal_entry *e);

/* Lines that a change added and removed; false if they cannot be counted cheaply: it is large, or
 * older than the latest CHANGES_COUNTED. */
struct changes_lines {
    size_t added, removed;
};
bool changes_list_lines(struct arena *a, const struct review *r,
                        struct changes_lines *out);
bool changes_list_count(struct vault *v, struct arena *a, const struct history_item *item,
                        uint64_t latest, struct changes_lines *out);

/* The number of the latest change that the caller may see; 0: none. */
uint64_t changes_list_latest(struct vault *v, struct arena *a);

/* For each listed change, whether a later one that still holds is of the same files, so that it
 * has to be undone first; false if that is not known. In the arena. */
const bool *changes_list_blocked(struct vault *v, struct arena *a,
                                 const struct changes_list *listed);

/* The later changes that have to be undone before one of them, latest first: at most
 * CHANGES_CHAIN. False: there are more, or some that the user may not undo. */
MUST_CHECK bool changes_list_chain(struct vault *v, struct arena *a, str user,
                                   const struct review *r, uint64_t **out, size_t *n);

/* Undo one of them. Fails as transact_run(). */
MUST_CHECK bool changes_list_undo(struct vault *v, struct arena *a, str user,
                                  uint64_t number, struct err *err);
