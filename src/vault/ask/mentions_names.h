/*
 * mentions_names - the inside of mentions.h: all names of all notes in one tree, and the
 * longest of them at every place of a text. Private to mentions*.c.
 *
 * A name is a row of units: words, single letters of scripts that have no blanks between
 * words, and single signs. The tree has one step per unit, told apart by 64 bits of a
 * keyed hash (base/hash.h), so a text is walked unit by unit and never letter by letter.
 */
#pragma once

#include "vault/index/index.h"

struct mentions_names;

/*
 * Titles and aliases of all notes that are not excluded, and of the note always (NO_FILE:
 * of none), as mentions.h says. Lives in the arena.
 */
const struct mentions_names *mentions_names_of(const struct index *x, struct arena *a,
                                               file_id always);

/* Whether mentions.h looks for such a name at all; folded. */
bool mentions_is_name(str folded);

/* A place of a folded text where a name stands. Begin with {0}. */
struct mentions_match {
    size_t start, end;
    uint32_t name;   /* for mentions_target() */
    bool after_word; /* a word ends at end, so a name that begins with a sign cannot */
};

/* The next name behind the last, of several at the same place the longest. */
bool mentions_next(const struct mentions_names *n, str folded, struct mentions_match *m);

/* The notes called so: the first when *at is 0, NO_FILE behind the last. */
file_id mentions_target(const struct mentions_names *n, uint32_t name, uint32_t *at);
