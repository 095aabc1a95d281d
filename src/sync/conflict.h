/*
 * conflict - the note beside a note that keeps what did not go together with it.
 *
 *     Plan (conflict 2026-11-16 from Ann).md
 *
 * A note says in a callout, behind its properties, where it comes from; other files are
 * as they were.
 */
#pragma once

#include "base/arena.h"

struct conflict {
    str path;   /* of the note, in the vault */
    str author; /* of the other text; may be anything */
    str commit;
    int64_t when; /* now */
};

/* number 1, 2 ...: until the name is free. */
str conflict_path(struct arena *a, const struct conflict *c, unsigned number);
str conflict_text(struct arena *a, const struct conflict *c, str theirs);
