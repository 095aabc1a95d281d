/*
 * merge - merges two changed texts of one note, given the text both came from.
 *
 * Every change that only one side made is in the result; a change that both made is in it
 * once. Where both changed the same thing differently, the result keeps OUR text and
 * reports a collision: it says which part of theirs was left out, so that the caller can
 * keep it elsewhere. Conflict markers are never written.
 *
 * What counts as the same thing:
 *
 * - Properties: merged by key, keeping their bytes. Lists that both changed are merged by
 *   item; other values that both changed collide, maps as a whole.
 * - List items and table rows: each by itself, so both sides may change neighbours.
 * - Paragraphs, code, math, HTML, quotes and callouts: line by line; changes of the two
 *   sides that touch within one such block collide. A single line of text that both
 *   changed is merged by words if at least one word is between their changes and each
 *   kept at least half of the words; link targets, code spans and addresses count as one
 *   word.
 * - Lines that both added at the same place between blocks, items or rows: both are kept,
 *   ours first, equal lines once. Lines that continue a section stay before new headings.
 *   Within a paragraph or code, they collide.
 * - Something removed on one side and changed or extended on the other: a collision.
 * - Trailing spaces, line breaks and a BOM follow the side that changed them and never
 *   collide; new lines get the line ending that the other side changed to.
 *
 * So merge(base, x, y) and merge(base, y, x) have the same lines if nothing collides;
 * only the order of lines that both added at one place differs. Merging a result again
 * with either side gives the result, apart from blank lines. Rarely, next to a removed
 * line between blank lines, new lines are duplicated (which blank line is base's is a
 * guess). If one side moved lines and the other changed them, they collide; lines that
 * both moved to different places are duplicated. Properties that cannot be read, or that
 * have mixed line endings, merge only if one side left the block alone.
 *
 * Pure: knows texts, not files. Linear time, apart from a bounded number of steps for
 * comparisons. Thread-safe.
 */
#pragma once

#include "base/arena.h"
#include "base/str.h"
#include "vault/note/note.h"

enum {
    MERGE_MAX_BYTES = 16 << 20, /* of each text; above: MERGE_OPAQUE */
    MERGE_WORK_MAX = 1 << 24,   /* steps of comparison; then changes become coarser */
    MERGE_NODES_MAX = 10000,    /* of a canvas, all three together */
};

enum merge_kind {
    MERGE_NOTE,   /* Markdown */
    MERGE_CANVAS, /* nodes and edges by id, each by its keys; OPAQUE if invalid */
    MERGE_OPAQUE, /* all else (.base): merges only if one side left it alone */
};

/* The texts; NULL: the file does not exist on that side (or in base). */
struct merge_input {
    enum merge_kind kind;
    const str *base, *ours, *theirs;
};

/*
 * A place where our text was kept: bytes of the result, and bytes of theirs that are not
 * in it. Either may be empty if something was removed there.
 */
struct merge_collision {
    struct span result, theirs;
};

struct merge_result {
    bool gone;    /* the file is to be removed */
    bool revived; /* one side removed the file, but the other had changed it: it stays */
    str text;     /* points into the input or the arena */
    struct merge_collision *collisions; /* by place in the result */
    size_t n_collisions;
};

/*
 * True if there are no collisions. Texts of another encoding (encoding.h) are merged as
 * UTF-8, and the result has the encoding of the side that changed it, else ours; if
 * something in them collides, all of it does. Text that is damaged, has NUL bytes or is
 * larger than MERGE_MAX_BYTES is treated as MERGE_OPAQUE.
 */
bool merge_texts(struct arena *a, const struct merge_input *in, struct merge_result *out);
