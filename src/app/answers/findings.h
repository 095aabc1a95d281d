/*
 * findings - the answer of a check: what is wrong with a vault.
 */
#pragma once

#include "app/answers/answer.h"
#include "vault/ask/check.h"
#include "vault/policies.h"
#include "vault/vault.h"

struct findings {
    size_t offset;                   /* of the first one */
    struct check_result found;       /* by check_vault() */
    struct policies_counts policies; /* for the owner; all zeros: not shown */
};

/*
 * The kinds with these names, as bits. Without names all but those that may be intended
 * (orphans, empty notes, unused attachments), unless every is set. Fails with
 * ERR_INVALID, naming all kinds.
 */
MUST_CHECK bool findings_kinds(struct arena *a, const str *names, size_t n, bool every,
                               unsigned *out, struct err *err);

/* Add what is on the disk but not in the index, if that kind is wanted. Not while the
 * index is held. */
MUST_CHECK bool findings_look(struct vault *v, struct arena *a,
                              struct check_limits *limits, struct err *err);

extern const struct answer_shape findings_shape;
