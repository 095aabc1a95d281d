/*
 * embeddings_read - the answer of an embeddings server as vectors; private to embeddings.c
 * and its tests.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"

/*
 * n vectors of *numbers each, in the order of the texts ("index"), normalised. *numbers
 * not 0: that is how many there must be. Fails with ERR_BUSY and what is wrong with the
 * answer: "did not answer with JSON".
 */
MUST_CHECK bool embeddings_read(struct arena *a, str body, size_t n, float **out,
                                unsigned *numbers, struct err *err);
