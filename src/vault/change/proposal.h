/*
 * proposal - a change that waits for a review: what it would do, and what each file was
 * when it was proposed.
 *
 * Everything that is needed to show and to accept it later is in it, so that it survives
 * its client, and so that files that change meanwhile can be merged (vault/accept.h). It is
 * kept as one text (proposal_print()): a line of JSON, and then the contents of files, one
 * after the other. Who keeps it is not known here: vault_options.proposals.
 */
#pragma once

#include "vault/change/change.h"

enum {
    PROPOSAL_BYTES_MAX = 8 << 20, /* of its text */
    PROPOSAL_OPS_MAX = 10000,
};

struct proposal_op {
    struct change_op op;
    str base;  /* what a file that is written or deleted was */
    str found; /* what was in a file or folder that moves or goes, as a digest
                  (draft_digest()); else empty */
};

struct proposal {
    struct actor by;
    str summary;    /* one line for people */
    uint64_t files; /* that it touches, with those in moved folders */
    struct proposal_op *ops;
    size_t n;
};

/* As text, and back. Parsing fails with ERR_INVALID; strings point into text or the arena. */
str proposal_print(struct arena *a, const struct proposal *p);
MUST_CHECK bool proposal_parse(struct arena *a, str text, struct proposal *out,
                               struct err *err);

/* Whether it only writes and deletes files, so that each can be accepted without the
 * others. */
bool proposal_is_by_file(const struct proposal *p);

/* A proposal that is kept. */
struct proposal_kept {
    str id;        /* empty: there is none */
    bool repeated; /* it was made by an earlier call, whose answer this is */
    str answer;
};

/* Keeps proposals of a vault. Safe for any number of threads; may wait for a database. */
struct proposal_keeper {
    /* Fails with ERR_LIMIT if there are too many. */
    bool (*add)(void *arg, struct arena *a, const struct proposal *p,
                const struct idempotency *once, struct proposal_kept *out,
                struct err *err);
    /* The one that was made with that key. Fails with KEY_REUSED if it was for another
     * request. */
    bool (*find)(void *arg, struct arena *a, const struct idempotency *once,
                 struct proposal_kept *out, struct err *err);
    void *arg;
};
