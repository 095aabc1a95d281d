/*
 * touched - which files became different by a look at the disk, for who wants to be told.
 */
#pragma once

#include "vault/load.h"

struct touched {
    struct arena arena;
    str *paths;
    size_t n;
    bool names; /* some are new or gone */
};

/* From what was found out, before it is applied to x: then old and new are both there.
 * Once for each struct touched, which is zeroed. */
void touched_add(struct touched *t, const struct index *x, const struct load_changes *c);
