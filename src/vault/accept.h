/*
 * accept - makes the change that was proposed (change/proposal.h), as far as a person has
 * accepted it, and shows before that what it would come to.
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
#include "vault/change/hunks.h"
#include "vault/note/merge.h"
#include "vault/vault.h"

enum { ACCEPT_CLASHES_MAX = 64 /* hunks of a file that are tried one by one */ };

struct accept {
    const struct proposal *proposal;
    str id;                           /* of the proposal */
    str by;                           /* who accepts it */
    const struct hunks *hunks;        /* of the proposal; NULL: all are accepted */
    const struct hunk_choice *choice; /* of these; NULL: all */
    str seen; /* accept_preview.seen, if a person has looked at it; else empty */
    struct change_guard guard; /* its precommit is asked before the change counts */
};

struct accept_result {
    uint64_t change; /* 0: the files were like that already */
    bool repeated;   /* it was made before */
    bool partly;     /* something was left out */
    size_t merged;   /* files that had changed meanwhile */
};

/* Fails with CONFLICT, naming a file; with STALE if the files are not what was seen; and
 * like vault_change(). */
MUST_CHECK bool accept_proposal(struct vault *v, struct arena *a, const struct accept *p,
                                struct accept_result *out, struct err *err);

/* What makes the change of a proposal only once: for vault_made_before(). */
struct idempotency accept_once(struct arena *a, str id);

/* --- before --- */

enum accept_state {
    ACCEPT_CLEAN,    /* the file is what it was */
    ACCEPT_MERGED,   /* it has changed, and both changes fit together */
    ACCEPT_DONE,     /* it is like that already */
    ACCEPT_CONFLICT, /* it cannot be accepted now */
    ACCEPT_LEFT_OUT, /* nothing in it is chosen */
};

/* Lines of the file as it is, and those of the proposal that do not fit there. */
struct accept_collision {
    str now, proposed;
};

struct accept_file {
    enum accept_state state;
    const char *why; /* of CONFLICT: "has changed since in the same places" */
    str now, result; /* its text, and what that becomes; as UTF-8, empty if not text */
    struct accept_collision *collisions;
    size_t n_collisions;
    /* Of each hunk: it would conflict even if it were the only one. NULL: not known, as the
     * file does not conflict, or has too many. */
    const bool *clashes;
};

struct accept_preview {
    struct accept_file *files; /* as accept.hunks->files */
    size_t conflicts, merged;  /* files */
    str seen; /* the proposal and all its files as they are, as a digest: if it is the same
                 later, what was shown is what is accepted */
};

/* p->hunks is set; choices that conflict are shown as such. Fails if files cannot be read. */
MUST_CHECK bool accept_preview(struct vault *v, struct arena *a, const struct accept *p,
                               struct accept_preview *out, struct err *err);
