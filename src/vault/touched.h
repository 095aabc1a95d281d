/*
 * touched - which files have changed after a look at the disk, for notifications.
 */
#pragma once

#include "vault/load.h"

struct touched {
    struct arena arena;
    str *paths;
    size_t n;
    bool names; /* some files are new or were removed */
};

/* Collect the changes before they are applied to x, while old and new files both exist.
 * Call it once for each (zeroed) struct touched. */
void touched_add(struct touched *t, const struct index *x, const struct load_changes *c);
