/*
 * findings - the answer of a check: what is wrong with a vault.
 */
#pragma once

#include "app/answers/answer.h"
#include "vault/ask/check.h"

struct findings {
    const struct index *index;
    struct check_result found; /* by check_vault() */
};

extern const struct answer_shape findings_shape;
