/*
 * diff - what changed between two texts, by lines, as "diff -u" shows it.
 *
 * The shortest way from one text to the other (Myers, in linear space), while the work
 * for it stays bounded; then what is left is given as one large change. Lines end with
 * LF, the last perhaps with nothing. Everything lives in the arena and points into the
 * texts.
 */
#pragma once

#include "base/arena.h"
#include "base/str.h"

enum {
    DIFF_CONTEXT = 3,        /* lines around a change */
    DIFF_WORK_MAX = 1 << 24, /* steps; below 0.1 s */
};

/* n lines from line number at on (from 0) became others; one of the counts may be 0. */
struct diff_change {
    uint32_t old_at, old_n, new_at, new_n;
};

/* Changes near each other, with the lines around them. */
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
    bool coarse;           /* not the shortest: the work was cut off */
};

/* Texts of at most 1 GiB each. */
void diff_make(struct arena *a, str old_text, str new_text, struct diff *out);

/*
 * "--- old_name", "+++ new_name" and the hunks, for people and patch(1); empty when
 * nothing changed. Above max bytes (0: any number) the rest is left out and counted.
 */
str diff_print(struct arena *a, const struct diff *d, str old_name, str new_name,
               size_t max);
