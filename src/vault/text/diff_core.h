/*
 * diff_core - the shortest way from one row of things to another, things being numbers:
 * equal ones have equal numbers. For diff.h (lines) and merge.h (lines and words).
 *
 * Myers, in linear space, over what occurs in both rows; work is counted, and when it is
 * used up what is left counts as changed.
 */
#pragma once

#include "base/arena.h"
#include "base/str.h"

struct diff_row {
    const uint32_t *items;
    uint32_t n;
};

/*
 * Set dropped[i] for items of old that are not in new, added[i] for those of new that are
 * not in old; both are given all false. All numbers are below names. Takes steps from
 * *work; false when they did not suffice, so that it is not the shortest way.
 */
bool diff_rows(struct arena *scratch, struct diff_row old, struct diff_row new,
               uint32_t names, uint64_t *work, bool *dropped, bool *added);
