/*
 * mentions - where notes mention other notes without linking to them.
 *
 * A mention is the title or an alias of a note in the text of another note. Case and
 * normal form are ignored (utf8_fold), diacritics are not. Only whole words count: no
 * letter or digit is adjacent, except in scripts that have no spaces between words. If
 * several names match, the one that begins first wins, then the longest; a name that
 * several notes share means all of them. Text in properties, links, code, math, HTML, a
 * tag or the type of a callout is not a mention, because it could not become a link.
 *
 * Excluded notes are not searched. Time is linear in the text; memory grows only with the
 * names and the results. Only reads the index, so any number of threads may ask.
 */
#pragma once

#include "vault/index/index.h"

/* How much to list, and when to give up. */
struct mentions_limits {
    size_t max;              /* results to list; totals count all */
    const struct stop *stop; /* NULL: never */
};

struct mention {
    file_id source;
    uint32_t line;
    uint32_t start, end; /* bytes of the source's text */
    str snippet;         /* with the mention in **bold** */
};

struct mentions {
    struct mention *items; /* by path of the source, then by position */
    size_t n;
    size_t total;   /* mentions */
    size_t sources; /* notes that have them */
    bool partial;   /* ended early: there may be more */
};

/* Mentions of the note target in all other notes. */
void mentions_of(const struct index *x, struct arena *a, file_id target,
                 const struct mentions_limits *limits, struct mentions *out);
