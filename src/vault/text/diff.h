/*
 * diff - the lines that differ between two texts, as "diff -u" shows them.
 *
 * The result is the shortest edit script (Myers, in linear space) as long as the work
 * stays within DIFF_WORK_MAX; what is left then becomes one large change. Lines end with
 * LF, except perhaps the last. Everything lives in the arena and points into the texts.
 */
#pragma once

#include "base/arena.h"
#include "base/str.h"

enum {
    DIFF_CONTEXT = 3,        /* lines around a change */
    DIFF_WORK_MAX = 1 << 24, /* steps; less than 0.1 s */
};

/*
 * old_n lines starting at line old_at (from 0) became new_n lines starting at new_at. One
 * of the counts may be 0.
 */
struct diff_change {
    uint32_t old_at, old_n, new_at, new_n;
};

/* Changes that are close together, with the lines around them. */
struct diff_hunk {
    uint32_t old_at, old_n, new_at, new_n; /* lines, from 0 */
    const struct diff_change *changes;
    size_t n_changes;
};

struct diff {
    const str *old_lines, *new_lines; /* with their line feeds */
    uint32_t n_old, n_new;
    struct diff_hunk *hunks;
    size_t n_hunks;
    size_t removed, added; /* lines */
    bool coarse;           /* not the shortest: the limit of work was reached */
};

/* The texts are borrowed and have at most 1 GiB each. */
void diff_make(struct arena *a, str old_text, str new_text, struct diff *out);

/*
 * "--- old_name", "+++ new_name" and the hunks, for people and patch(1); empty if nothing
 * changed. Beyond max bytes (0: no limit), lines are left out and counted.
 */
str diff_print(struct arena *a, const struct diff *d, str old_name, str new_name,
               size_t max);
