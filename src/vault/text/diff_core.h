/*
 * diff_core - the shortest edit script from one row of items to another. Items are
 * numbers; equal items have equal numbers. Used by diff.h (lines) and merge.h (lines and
 * words).
 *
 * Myers, in linear space, over the items that occur in both rows. Work is counted; when
 * it is used up, everything not yet compared counts as changed.
 */
#pragma once

#include "base/arena.h"
#include "base/str.h"

struct diff_row {
    const uint32_t *items;
    uint32_t n;
};

/*
 * Set dropped[i] for items of old that the script removes, and added[i] for items of now
 * that it inserts; both arrays must be all false. All numbers are below names. Steps are
 * subtracted from *work; returns false if they did not suffice: the script may then be
 * longer than necessary.
 */
bool diff_rows(struct arena *scratch, struct diff_row old, struct diff_row now,
               uint32_t names, uint64_t *work, bool *dropped, bool *added);
