/*
 * titles - titles and aliases of all notes in one tree, to find the longest name at every
 * position of a text.
 *
 * A name is a sequence of units: words, single letters of scripts that have no spaces
 * between words, and single signs. The tree has one step per unit, identified by 64 bits
 * of a keyed hash (base/hash.h), so a text is walked by units, not by letters.
 *
 * Nothing is collected until the first question; then it is kept. One writer; any number
 * of threads may ask while there is no writing.
 */
#pragma once

#include "vault/index/file.h"

enum {
    TITLES_NAME_MIN = 2,   /* characters; shorter names are everywhere */
    TITLES_DIGITS_MIN = 3, /* the same for names that are numbers */
    TITLES_NAME_MAX = 512, /* bytes; longer names are ignored */
};

struct titles; /* index_titles() has it; made by titles_kind (derived.h) */

/* Whether this (folded) name is long enough, and not too long, to look for. */
bool titles_is_name(str folded);

/* Whether a name has a line break in it, so that it could begin on an earlier line. */
bool titles_have_breaks(const struct titles *t);

/* An occurrence of a name in a folded text. Begin with {0}. */
struct titles_match {
    size_t start, end;
    uint32_t name;   /* as from titles_find() */
    bool after_word; /* a word ends at end: no name that begins with a sign starts here */
};

/*
 * The next name after the last; of several at one position the longest. Names that only
 * excluded notes have do not count, except those of the note `always` (NO_FILE: none).
 */
bool titles_next(const struct titles *t, file_id always, str folded,
                 struct titles_match *m);

/* The number of a folded name; 0 if no note has it. */
uint32_t titles_find(const struct titles *t, str folded);
