/*
 * conflict - the conflict note next to a note, with the version that could not be merged.
 *
 *     Plan (conflict 2026-11-16 from Ann).md
 *
 * A callout after its properties says where it comes from. For files other than notes,
 * the text is exactly theirs.
 */
#pragma once

#include "base/arena.h"

/* A note that both sides changed in ways that cannot be merged. */
struct sync_conflict {
    str path;    /* our side */
    str sibling; /* the conflict note with theirs; empty for hidden files */
};

struct conflict {
    str path;   /* of the original note, in the vault */
    str author; /* of the other version; any text */
    str commit;
    int64_t when; /* now */
};

/* Try number 1, 2 ... until the name is free. */
str conflict_path(struct arena *a, const struct conflict *c, unsigned number);
str conflict_text(struct arena *a, const struct conflict *c, str theirs);

/* The other way round: their version, without the callout. Other texts are as they are. */
str conflict_original(struct arena *a, str text);

/* Where the text after the properties begins. */
size_t conflict_body(str text);
