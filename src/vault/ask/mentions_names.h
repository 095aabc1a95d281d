/*
 * mentions_names - all names of all notes in one tree, to find the longest name at every
 * position of a text. Private to mentions*.c.
 *
 * A name is a sequence of units: words, single letters of scripts that have no spaces
 * between words, and single signs. The tree has one step per unit, identified by 64 bits
 * of a keyed hash (base/hash.h), so a text is walked by units, not by letters.
 */
#pragma once

#include "vault/index/index.h"

struct mentions_names;

/*
 * Titles and aliases of all notes that are not excluded, and of the note `always` even if
 * it is (NO_FILE: none). Lives in the arena.
 */
const struct mentions_names *mentions_names_of(const struct index *x, struct arena *a,
                                               file_id always);

/* Whether this (folded) name is long enough, and not too long, to look for. */
bool mentions_is_name(str folded);

/* An occurrence of a name in a folded text. Begin with {0}. */
struct mentions_match {
    size_t start, end;
    uint32_t name;   /* for mentions_target() */
    bool after_word; /* a word ends at end: no name that begins with a sign starts here */
};

/* The next name after the last; of several at one position the longest. */
bool mentions_next(const struct mentions_names *n, str folded, struct mentions_match *m);

/* The notes with that name, one per call: start with *at = 0; NO_FILE after the last. */
file_id mentions_target(const struct mentions_names *n, uint32_t name, uint32_t *at);
