/*
 * proposal_table - changes that wait for a review, in the store, where all processes of a
 * vault find them.
 *
 * A proposal is an opaque text here (vault/change/proposal.h). Its vault is named by what
 * identifies it, never by a name that another one may get; its owner is the grant that made
 * it. It waits until it is accepted or rejected, which happens once, whichever process
 * tries; or until it is PROPOSALS_DAYS old. A decided one keeps only what its owner is told:
 * its text is dropped. now is the date to delete by (base/monotonic_date.h).
 */
#pragma once

#include "state/store.h"

enum {
    PROPOSALS_OWNER_MAX = 100,        /* that wait, of one owner in a vault */
    PROPOSALS_OWNER_BYTES = 16 << 20, /* of those */
    PROPOSALS_VAULT_MAX = 1000,       /* that wait in a vault; and that are decided */
    PROPOSALS_VAULT_BYTES = 64 << 20, /* of all that wait in a vault */
    PROPOSALS_DAYS = 30,
    PROPOSALS_ACCEPTING_S = 60,  /* then whoever began to accept it is taken for dead */
    PROPOSALS_REASON_MAX = 1000, /* bytes */
    PROPOSALS_PATHS_MAX = 16 << 10,
};

enum proposal_state {
    PROPOSAL_WAITING,
    PROPOSAL_ACCEPTING, /* its change is being made */
    PROPOSAL_ACCEPTED,
    PROPOSAL_PARTLY, /* some of its files were accepted, the others rejected */
    PROPOSAL_REJECTED,
    PROPOSAL_EXPIRED,
};

struct proposal_row {
    str id;
    str vault, owner;
    int64_t created;
    enum proposal_state state;
    str summary;
    int64_t bytes; /* of its text */
    int64_t decided;
    str decided_by, reason;
    int64_t change; /* that was made when it was accepted; else 0 */
    str choice;     /* the hunks that were accepted (change/hunks.h); empty until then */
};

/* To add one: key is the hash of an idempotency key, or empty; answer is returned if the
 * same request is repeated. */
struct proposal_new {
    str vault, owner, summary, body;
    str paths; /* of its files, one per line, as many as fit into PROPOSALS_PATHS_MAX */
    str key, request, answer;
};

/* What an earlier call with that key has stored; id empty: nothing. same: it was the same
 * request. */
struct proposal_earlier {
    str id, answer;
    bool same;
};

/* Fails with ERR_LIMIT, saying what to do; *earlier is set if the key is known, and nothing
 * is added then. */
MUST_CHECK bool proposal_table_add(struct store *s, struct arena *a,
                                   const struct proposal_new *p, int64_t now, str *id,
                                   struct proposal_earlier *earlier, struct err *err);
MUST_CHECK bool proposal_table_repeated(struct store *s, struct arena *a, str vault,
                                        str key, str request,
                                        struct proposal_earlier *out, struct err *err);

/* When the newest of all was made; 0: there is none. */
MUST_CHECK bool proposal_table_newest(struct store *s, int64_t *out, struct err *err);

/* Those of a vault, the latest first; of one owner, unless it is NULL. */
MUST_CHECK bool proposal_table_list(struct store *s, struct arena *a, str vault,
                                    const str *owner, struct proposal_row **out,
                                    size_t *n, struct err *err);

/* One of them, with its text, which is empty if it was decided. Fails with ERR_NOT_FOUND. */
MUST_CHECK bool proposal_table_get(struct store *s, struct arena *a, str vault, str id,
                                   struct proposal_row *out, str *body, struct err *err);

/* The failure for one that does not exist, or not for who asks. Returns false. */
bool proposal_table_unknown(str id, struct err *err);

/* How a proposal is decided. choice, as text, is what is accepted of it. */
struct proposal_verdict {
    str vault, id;
    str by, choice, reason;
};

/*
 * To accept: begin, make the change, then end, or release it if that failed. Only one
 * process gets past the beginning; the others fail with ERR_CONFLICT, saying what became of
 * it, also if it has expired. One that has died meanwhile is replaced after
 * PROPOSALS_ACCEPTING_S; its choice is then in proposal_row.choice until the beginning. So who
 * has begun holds it when the change is about to count: that fails with ERR_CONFLICT if it was
 * replaced, or if the proposal was rejected meanwhile. begun: the time of its beginning, or of
 * the last hold.
 */
MUST_CHECK bool proposal_table_begin(struct store *s, const struct proposal_verdict *v,
                                     int64_t now, struct err *err);
MUST_CHECK bool proposal_table_end(struct store *s, const struct proposal_verdict *v,
                                   bool partly, int64_t change, int64_t now,
                                   struct err *err);
MUST_CHECK bool proposal_table_hold(struct store *s, const struct proposal_verdict *v,
                                    int64_t begun, int64_t now, struct err *err);
void proposal_table_release(struct store *s, str vault, str id, int64_t begun);

/* Fails with ERR_CONFLICT if it does not wait. One that a process which died began to accept
 * can be rejected, too: whether its change was made is for the caller to find out before. */
MUST_CHECK bool proposal_table_reject(struct store *s, const struct proposal_verdict *v,
                                      int64_t now, struct err *err);

/* Those of all vaults that were decided at that time or later, the oldest first: for who
 * waits for that. */
MUST_CHECK bool proposal_table_decided(struct store *s, struct arena *a, int64_t since,
                                       struct proposal_row **out, size_t *n,
                                       struct err *err);

/* Which files the proposals of an owner that wait touch, the latest first. */
struct proposal_paths {
    str id, paths; /* as in proposal_new */
};
MUST_CHECK bool proposal_table_paths(struct store *s, struct arena *a, str vault,
                                     str owner, struct proposal_paths **out, size_t *n,
                                     struct err *err);

/* How many wait in all vaults. */
MUST_CHECK bool proposal_table_waiting(struct store *s, int64_t *out, struct err *err);

/* "waiting", "accepted" and so on. */
const char *proposal_state_name(enum proposal_state state);
