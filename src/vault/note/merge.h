/*
 * merge - two changed texts of one note made one, given the text both came from.
 *
 * Every change that only one side made is in the result; a change both made counts once.
 * Where both changed the same thing differently the result keeps OUR text, and the place
 * is a collision: it says what of theirs was left out, so that the caller can keep theirs
 * elsewhere. No conflict marker is ever written.
 *
 * What counts as the same thing:
 * - properties: by key, bytes kept. Lists that both changed merge by item; other values
 *   that both changed collide, maps as a whole.
 * - items of lists and rows of tables: each by itself, so neighbours may both change.
 * - paragraphs, code, math, HTML, quotes and callouts: line by line; changes of the two
 *   sides that touch within one such block collide. A single line of text that both
 * changed is merged by words, when at least one word stands between their changes and
 * each kept at least half of the words; link targets, code spans and addresses count as
 * one word.
 * - what both put at the same place between blocks, items or rows: both, ours first,
 *   lines that both put there once; what goes on a section stays before new headings.
 *   Within a paragraph or code that is a collision.
 * - something removed here and changed or added to there: a collision.
 * Blanks and line breaks at line ends and a BOM follow the side that changed them and
 * never collide; new lines are written with the line ending the other side changed to.
 *
 * So merge(base, x, y) and merge(base, y, x) have the same lines when nothing collides;
 * only the order of what was put at one place differs. Merging a result again with either
 * side gives the result, blank lines aside; rarely, next to a removed line that stood
 * between blank ones, what is new comes twice (which blank line is base's is a guess).
 * What one side moved and the other changed is a collision; what both moved to
 * different places is there twice. Properties that cannot be read, or whose line ends are
 * mixed, merge only when one side left the block alone.
 *
 * Pure: knows texts, not files. Time is linear but for a fixed number of steps. Threads
 * do not matter.
 */
#pragma once

#include "base/arena.h"
#include "base/str.h"
#include "vault/note/note.h"

enum {
    MERGE_MAX_BYTES = 16 << 20, /* of each text; above, it is not looked into */
    MERGE_WORK_MAX = 1 << 24,   /* steps of comparing; then changes become coarser */
    MERGE_NODES_MAX = 10000,    /* of a canvas, all three together */
};

enum merge_kind {
    MERGE_NOTE,   /* Markdown */
    MERGE_CANVAS, /* nodes and edges by id, each by its keys; OPAQUE if it is no canvas */
    MERGE_OPAQUE, /* all else (.base): merges only when one side left it alone */
};

/* The texts; NULL: there is no such file on that side (or in base). */
struct merge_input {
    enum merge_kind kind;
    const str *base, *ours, *theirs;
};

/* A place where ours was kept: bytes of the result, and bytes of theirs that are not in
 * it. Either may be empty: something was removed there. */
struct merge_collision {
    struct span result, theirs;
};

struct merge_result {
    bool gone;    /* there shall be no file */
    bool revived; /* one side removed the file, but the other had changed it: it stays */
    str text;     /* points into the input or the arena */
    struct merge_collision *collisions; /* by place in the result */
    size_t n_collisions;
};

/*
 * True when there are no collisions. Text that is not valid UTF-8, has NUL bytes or is
 * above MERGE_MAX_BYTES is treated as MERGE_OPAQUE.
 */
bool merge_texts(struct arena *a, const struct merge_input *in, struct merge_result *out);
