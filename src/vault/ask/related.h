/*
 * related - notes that have to do with a note: they share neighbours in the graph of
 * links, words, or tags with it, or are near in meaning. Each comes with these as reasons.
 *
 * Scores add up what is known from links (Adamic-Adar: a shared neighbour counts more the
 * fewer links it has), from the note's heaviest words, and, if there are vectors, from the
 * mean of the note's, each as standard scores over the candidates, and up to 1 for shared
 * tags, rare ones more. Notes that are named in the note without a link get 1.5 or 2.
 */
#pragma once

#include "base/stop.h"
#include "vault/index/index.h"
#include "vault/meaning/meaning.h"

enum {
    RELATED_CANDIDATES = 200,        /* the best by links, by words, and by meaning */
    RELATED_WORDS = 64,              /* of the note, that are looked for */
    RELATED_FEW = 10,                /* shown even if they are below the average */
    RELATED_NAMES = 500,             /* of other notes that are found in the note */
    RELATED_NAMED_BYTES = 256 << 10, /* of it that are read for that */
    RELATED_REASONS = 3,             /* of each kind */
    RELATED_STEPS_MAX =
        200000, /* links of neighbours that are followed; busy ones last */
};

struct related_note {
    const struct file *file;
    double score;
    file_id shared[RELATED_REASONS]; /* neighbours of both, those with few links first */
    size_t n_shared, all_shared;
    str words[RELATED_REASONS]; /* of both, the heaviest first */
    size_t n_words;
    str tags[RELATED_REASONS];
    size_t n_tags;
    float
        meaning; /* cosine; 0: there is no vector of one of them, or they are far apart */
};

struct related_notes {
    struct related_note *items; /* best first, then by path */
    size_t n;
};

/*
 * The first few, and others above the average. Notes that link to the note or that it links
 * to are left out unless linked; excluded ones always. m may be NULL: there are no vectors.
 * Fails with TIMEOUT or ERR_LIMIT if stop says so.
 */
MUST_CHECK bool related_find(const struct index *x, struct meaning *m, struct arena *a,
                             const struct file *f, bool linked, const struct stop *stop,
                             struct related_notes *out, struct err *err);
