/*
 * why_none - nothing was found: was it asked for in a place that there is not?
 */
#pragma once

#include "vault/vault.h"

/* A sentence when there is no such folder or tag at all, else empty. Both may be empty.
 */
str why_none(struct vault *v, const struct index *x, struct arena *a, str folder,
             str tag);
