/*
 * trash - the answer that lists what is in the trash.
 */
#pragma once

#include "app/answers/answer.h"
#include "base/err.h"
#include "vault/ops.h"

struct trash {
    struct ops_trashed *items; /* last deleted first */
    size_t n;
};

MUST_CHECK bool trash_find(struct vault *v, struct arena *a, struct trash *out,
                           struct err *err);

extern const struct answer_shape trash_shape;
