/*
 * mentions - where notes speak of other notes without linking to them.
 *
 * A mention is the title or an alias of a note in the text of another one. Case and
 * normal form are ignored (utf8_fold), diacritics are not. It is a whole word: what is
 * beside it is no letter or digit, unless that is of a script without blanks between
 * words. Of several names that fit, the one that begins first and then the longest is
 * meant; a name that several notes have means all of them. What stands in properties,
 * links, code, math, HTML, a tag or the type of a callout is no mention: no link could be
 * made of it.
 *
 * Notes that are excluded are neither searched nor, but for mentions_of(), meant. Linear
 * in the text; memory grows with the names and the results only. Reads the index, so any
 * number of threads may ask.
 */
#pragma once

#include "vault/index/index.h"

enum {
    MENTIONS_NAME_MIN = 2,   /* characters; shorter names are everywhere */
    MENTIONS_DIGITS_MIN = 3, /* of names that are only a number */
    MENTIONS_NAME_MAX = 512, /* bytes; longer ones are not looked for */
};

/* How much is wanted, and how long it may take. */
struct mentions_limits {
    size_t max;              /* results that are listed; totals count all */
    uint64_t deadline_ns;    /* of clock_ns(); 0: none */
    bool (*stop)(void *arg); /* asked once per note, true to end; NULL: never */
    void *arg;
};

struct mention {
    file_id source;
    uint32_t line;
    uint32_t start, end; /* bytes of the source's text */
    str snippet;         /* with the mention in **bold** */
};

struct mentions {
    struct mention *items; /* by path of the source, then by place */
    size_t n;
    size_t total;   /* mentions */
    size_t sources; /* notes that have them */
    bool partial;   /* ended early: there may be more */
};

/* Mentions of the note target in all others. */
void mentions_of(const struct index *x, struct arena *a, file_id target,
                 const struct mentions_limits *limits, struct mentions *out);

struct mentions_pair {
    file_id source, target;
    uint32_t count;
};

struct mentions_all {
    struct mentions_pair *pairs; /* most mentions first, then by path of source, target */
    size_t n;
    size_t total;    /* pairs */
    size_t mentions; /* of all pairs */
    bool partial;    /* ended early: there may be more */
};

/* Which note mentions which, and how often: all of them in one pass over all notes. */
void mentions_all(const struct index *x, struct arena *a,
                  const struct mentions_limits *limits, struct mentions_all *out);
