/*
 * model_layers - tokens through the layers of a model to one vector.
 *
 * BERT: every token is the sum of its rows in the tables; in every layer each head compares
 * every token with all others and mixes them by how near they are, then each token is
 * widened, bent (GELU or another function) and narrowed again. The vector is the mean of
 * the tokens, or the first one, with the length 1.
 */
#pragma once

#include "base/err.h"
#include "vault/meaning/kernel.h"
#include "vault/meaning/model_image.h"

/* ids are n numbers of words, at least 1 and at most TOKENS_MAX and the model's positions;
 * out has room for the model's width. Fails with E_TIMEOUT soon after the deadline (by
 * clock_ns(); 0: none), with ERR_INVALID if the result is not finite. Safe for several
 * threads. */
MUST_CHECK bool model_layers_run(const struct model_image *m, const struct kernel *k,
                                 const uint32_t *ids, size_t n, uint64_t deadline_ns,
                                 float *out, struct err *err);
