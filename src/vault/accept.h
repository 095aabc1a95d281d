/*
 * accept - makes the change that was proposed (change/proposal.h), as far as a person has
 * accepted it.
 *
 * A file that is still what it was gets the proposed text. One that has changed meanwhile is
 * merged (note/merge.h) if both changes fit together. If anything conflicts, nothing is
 * written at all, and never conflict markers. What moves or goes with all that is in it must
 * be exactly as it was, so that no more goes than was shown.
 *
 * The change is an ordinary one, in the journal under the name of who proposed it and of who
 * accepted it. Accepting the same proposal again makes nothing.
 */
#pragma once

#include "base/stop.h"
#include "vault/change/proposal.h"
#include "vault/vault.h"

struct accept {
    const struct proposal *proposal;
    str id;           /* of the proposal */
    str by;           /* who accepts it */
    const str *files; /* only these of its paths; NULL: all */
    size_t n_files;
};

struct accept_result {
    uint64_t change; /* 0: the files were like that already */
    bool partly;     /* some files were left out */
    size_t merged;   /* files that had changed meanwhile */
};

/* Fails with CONFLICT, naming a file, with ERR_INVALID if it has no such files, or cannot be
 * accepted in parts (proposal_is_by_file()), and like vault_change(). */
MUST_CHECK bool accept_proposal(struct vault *v, struct arena *a, const struct accept *p,
                                struct accept_result *out, struct err *err);
