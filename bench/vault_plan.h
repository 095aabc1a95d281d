/*
 * vault_plan - which notes a made-up vault has, and where.
 *
 * Everything is in the arena it was made in. No two notes have the same path, and none
 * that is not ambiguous shares its title with another, whatever the case of the letters.
 */
#pragma once

#include "vault_words.h"

enum { PLAN_HUB = 0 }; /* the note that nothing links to by chance */

struct plan_note {
    str path;  /* from the vault's root, with .md */
    str title; /* the file name without .md */
    enum language language;
    bool ambiguous; /* others have this title: links must name the path */
};

struct plan {
    const struct plan_note *notes;
    uint32_t n_notes, n_attachments;
};

/* hub is the path of the first note, and is borrowed. At least 25 notes. */
struct plan plan_make(struct arena *a, uint32_t notes, uint64_t seed, str hub);
