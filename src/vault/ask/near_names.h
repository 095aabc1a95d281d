/*
 * near_names - existing names similar to one that was written, for "did you mean".
 *
 * Near means a few letters wrong, missing, extra or swapped, ignoring case and normal
 * form: one for names up to seven characters, two up to fifteen, else three.
 */
#pragma once

#include "base/near.h"
#include "vault/index/index.h"

enum {
    NEAR_NAMES_MAX = 8,    /* files that one search finds */
    NEAR_NAMES_WORDS = 16, /* words of a name that are compared */
};

/* Look for what is near a folded name. */
void near_names_search(struct near_search *s, str folded);

struct near_names;

/* All names of the files of x: titles, aliases, and names of other files without
 * extension. Lives in the arena. */
const struct near_names *near_names_of(const struct index *x, struct arena *a,
                                       const struct stop *stop);

/* Up to max files near name, nearest first, then by path, in out; after them files with a
 * name that contains every word of name, the shortest such name first. */
size_t near_names_suggest(const struct near_names *near, str name, file_id *out,
                          size_t max);

/* The words of a folded name, borrowed from it; out has NEAR_NAMES_WORDS places. Returns
 * how many there are. */
size_t near_names_split(str folded, str *out);

/* Whether a folded name contains all of them, anywhere. */
bool near_names_contains(str name, const str *words, size_t n);
