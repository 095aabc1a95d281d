/*
 * readback - scan a note again after bytes of it were replaced, and compare what it means.
 *
 * Everything that changes the text of a note and does not write all of it uses this: edits,
 * tables, properties, boards, templates, renames. Outside of the replaced bytes, properties, headings,
 * links, tags, tasks, ids, footnotes, code, math, comments and tables must be what and where
 * they were. Blocks above the first replaced byte are compared by their starts: a table or
 * an open block may grow. Below it they are compared by their ends, too: what the new bytes
 * open may not swallow them. References are links only while they have a definition, which
 * may be among the replaced bytes, so they are not compared.
 *
 * Pure: knows texts, not files. Linear in their size, times the logarithm of the swaps.
 */
#pragma once

#include "vault/note/note.h"
#include "vault/note/range.h"

/* Things that begin in the replaced bytes. */
enum readback_inside {
    READBACK_ANY,      /* may become anything */
    READBACK_SAME,     /* there are as many of each kind */
    READBACK_NO_LINKS, /* the same, except that links may be gone */
};

/* Bytes cut[i] of the old text became bytes put[i] of the new one; both ascend. */
struct readback {
    const struct note *was, *is;
    const struct edit_range *cut, *put;
    size_t n;
    enum readback_inside inside;
    bool starts; /* compare only where things begin */
};

/* Whether a region is a block: code and math in a line end with it, and indented code is
 * known by what precedes it. */
bool readback_is_block(enum note_region_kind kind);

/* The block that begins before a byte and goes on after it, so that what is put there becomes
 * a part of it; tables may grow. NULL: there is none. */
const struct note_region *readback_open_block(const struct note *n, size_t at);

/*
 * What differs, as the end of a sentence with one of the verbs: "line 3, '# A', would no
 * longer be a heading". Empty: nothing. In the arena.
 */
str readback_problem(struct arena *a, const struct readback *r, const char *is_lost,
                     const char *is_new);
