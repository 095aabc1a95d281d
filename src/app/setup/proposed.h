/*
 * proposed - changes that wait for a review, as people see and decide them: for the page,
 * the command line and the operator's socket, which have the same numbers of hunks, the same
 * digest of what was seen, and the same rules.
 *
 * A decision carries the digest (accept_preview.seen) of what the person has looked at. If a
 * note has changed since, nothing is decided: it is shown again. Two people who decide at the
 * same time, or a process that dies, decide once (state/proposal_table.h).
 */
#pragma once

#include "base/json_write.h"
#include "state/proposal_table.h"
#include "vault/accept.h"
#include "vault/text/hidden.h"

/* Proposals of one vault, for a person. */
struct proposed_place {
    struct store *store;
    str vault;          /* as proposals_vault() calls it */
    struct vault *open; /* with all that may be written */
    const str *person;  /* sees what was proposed on behalf of this user; NULL: all */
    const str *owner;   /* the same for one client (proposals_owner()) */
    int64_t now;        /* the date to expire by */
};

/* One of them. */
struct proposed {
    struct proposal_row row;
    struct proposal proposal; /* empty if it is decided, like the rest */
    struct hunks hunks;
    struct hunk_choice choice; /* that is shown */
    struct accept_preview shown;
};

/* Whether it can still be decided. */
bool proposed_waits(const struct proposal_row *row);

/* Those of the place, the latest first. */
MUST_CHECK bool proposed_list(const struct proposed_place *p, struct arena *a,
                              struct proposal_row **out, size_t *n, struct err *err);

/* The proposal without what accepting would come to: choice and shown stay empty. */
MUST_CHECK bool proposed_find(const struct proposed_place *p, struct arena *a, str id,
                              struct proposed *out, struct err *err);

/* With a choice as hunks_choose() has it; empty: all. Fails with ERR_NOT_FOUND, also if it is
 * another person's. */
MUST_CHECK bool proposed_read(const struct proposed_place *p, struct arena *a, str id,
                              str choice, struct proposed *out, struct err *err);

struct proposed_decision {
    str id;
    str choice;       /* what is accepted; empty: all; "none": rejected */
    const str *files; /* or these files, by their paths */
    size_t n_files;
    str seen;   /* empty: as it is now */
    str by;     /* who decides */
    str reason; /* may be empty */
};

struct proposed_outcome {
    enum proposal_state state;
    uint64_t change;
    size_t merged; /* files */
    str choice;
};

/* Fails like accept_proposal(), with ERR_CONFLICT if it was decided, and with ERR_NOT_FOUND
 * like proposed_read(). */
MUST_CHECK bool proposed_decide(const struct proposed_place *p, struct arena *a,
                                const struct proposed_decision *d,
                                struct proposed_outcome *out, struct err *err);

/* --- parts of what is shown --- */

/* The lines of a hunk, and those around it. A file that is one hunk has all its lines. */
struct proposed_hunk {
    uint32_t line; /* from 1, in the old text; of a file that is new, in the new one */
    str before, old_text, new_text, after;
    enum hidden_kind hidden; /* the first text that is not visible, or HIDDEN_KINDS */
    bool clashes;            /* cannot be accepted: the note has changed there */
    bool line_ends; /* both look the same: only line breaks or the encoding change */
};
void proposed_hunk(const struct proposed *p, size_t file, size_t i,
                   struct proposed_hunk *out);

/* "changed", "created", "deleted", "moved". */
const char *proposed_outcome_of(const struct hunk_file *f);

/* A folder that is made or removed, which is no hunk; and what becomes of it. */
bool proposed_is_folder(const struct proposal_op *p);
const char *proposed_folder_outcome(const struct proposal_op *p);

/* What accepting would do to a file that has changed meanwhile, as a diff of what it is, cut as
 * by diff_print(); or empty. Who lets a person accept it shows all of it. */
str proposed_merge_diff(struct arena *a, const struct proposed *p, size_t file,
                        size_t max);

/* All of it as a diff of what the notes were. */
str proposed_diff(struct arena *a, const struct proposal *p, size_t max);

/* The members of a row; and those of what proposed_read() returned. */
void proposed_put_row(struct jsonw *w, const struct proposal_row *row);
void proposed_put(struct jsonw *w, struct arena *a, const struct proposed *p);
