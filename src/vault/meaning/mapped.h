/*
 * mapped - a whole file as memory that cannot be taken away: see base/os/memory.h.
 */
#pragma once

#include "base/err.h"
#include "base/str.h"

struct mapped {
    str bytes; /* aligned to pages; only read */
    int lease;
};

/* what: "model file", for messages. Fails with ERR_NOT_FOUND if there is none, with
 * ERR_INVALID if it is no file or empty. */
MUST_CHECK bool mapped_open(const char *path, const char *what, struct mapped *out,
                            struct err *err);

/* What was read is not needed for now. */
void mapped_rest(const struct mapped *m);
void mapped_close(struct mapped *m); /* {0}: nothing */
