/*
 * copy - copy all tables of a store to another one, such as from a file to
 * PostgreSQL and back.
 */
#pragma once

#include "state/store.h"

/* A table and its number of rows. */
struct copied {
    str table;
    size_t rows;
};

/*
 * All rows of all tables, in one transaction of each store: what others do meanwhile is
 * copied as a whole or not at all. ERR_EXISTS: the target is not empty, and replace is
 * false; else what it has is removed first. The list is in the arena.
 *
 * session: the key of sessions, if a folder keeps it in a file beside the store; else
 * empty. A store in PostgreSQL keeps it as the secret COPY_SESSION.
 */
#define COPY_SESSION "session"
struct copy {
    struct store *from, *to;
    bool replace;
    str session;
};
MUST_CHECK bool store_copy(const struct copy *c, struct arena *a, struct copied **out,
                           size_t *n, struct err *err);
