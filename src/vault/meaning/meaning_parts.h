/*
 * meaning_parts - the struct behind meaning.h and meaning_fill.h. Private to meaning*.c.
 */
#pragma once

#include "base/lock.h"
#include "vault/meaning/boilerplate.h"
#include "vault/meaning/meaning.h"
#include "vault/meaning/note_vectors.h"

struct meaning {
    const struct embedder *embedder;
    const struct embedder *other; /* that may have made the vectors of former */
    char *path;                   /* or NULL */
    int turn;                     /* the lock file of the process that fills; or -1 */

    struct lock_shared lock; /* for what follows, except by the thread that fills */
    struct note_vectors now;
    struct note_vectors
        former; /* of another model, while `now` does not cover the vault */
    bool has_former;
    struct err problem; /* with embedding */
    struct err unsaved; /* with the file */

    /* of the thread that fills alone */
    bool may_fill, filling; /* filling: it has the turn */
    struct boilerplate boilerplate;
    size_t texts; /* that are embedded at a time; 0: not known yet */
};

/* The embedder of former, or NULL if it cannot be asked any more. */
const struct embedder *meaning_former(const struct meaning *m);

/* Write what is new to the file. */
void meaning_save(struct meaning *m, bool sync);

struct vectors_model meaning_model(const struct embedder *e);
