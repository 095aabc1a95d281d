/*
 * duplicates - notes whose texts are nearly the same.
 *
 * A note is the set of its runs of DUPLICATES_RUN words, properties left out. Of each set
 * only the DUPLICATES_KEPT smallest hashes are kept, from which the share of runs that two
 * notes have in common is estimated; for shorter notes it is exact. Two notes are compared
 * if they share one of their few smallest hashes, which nearly all similar ones do. So the
 * time is linear in the texts, and in the notes that share a hash, of which only
 * DUPLICATES_TOGETHER are compared with each other.
 */
#pragma once

#include "vault/index/index.h"

enum {
    DUPLICATES_RUN = 3,
    DUPLICATES_RUNS_MIN = 20, /* notes with fewer are not compared */
    DUPLICATES_KEPT = 64,
    DUPLICATES_TOGETHER = 32,
    DUPLICATES_PERCENT = 80, /* of the runs of both notes, to be found */
};

struct duplicate {
    file_id other;    /* the most similar note; NO_FILE: none */
    unsigned percent; /* of the runs of both that both have */
};

/*
 * For each note by id, its nearest duplicate; excluded notes have none. False if it was
 * stopped.
 */
MUST_CHECK bool duplicates_find(const struct index *x, struct arena *a,
                                const struct stop *stop, struct duplicate **out);
