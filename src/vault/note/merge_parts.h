/*
 * merge_parts - the parts of merging; for merge*.c only.
 *
 * merge_lines.c cuts a text into lines and says which belong together; merge_match.c
 * finds each line of base in a side; merge_weave.c walks through base and takes the
 * changes of each side (merge_gap.c: what both added at one place); merge_words.c does
 * the same within one line; merge_out.c writes lines. merge_frontmatter.c merges
 * properties, merge_canvas.c canvases.
 */
#pragma once

#include "base/sbuf.h"
#include "vault/note/merge.h"
#include "vault/text/diff_core.h"

/* One merge; everything except the result is in scratch. */
struct merge {
    struct arena *arena, *scratch;
    uint32_t n_names; /* of lines */
    uint64_t work;    /* steps left */
    str eol;          /* of new lines, and of lines without one */
    str eol_old;      /* new lines with this ending get eol instead; may be empty */
    struct sbuf out;  /* the result so far */
    size_t body;      /* where its lines begin, after a BOM */
    struct merge_result *result;
};

enum merge_line_kind {
    LINE_BLANK,
    LINE_TEXT,
    LINE_HEADING,
    LINE_ITEM, /* first line of an item */
    LINE_MORE, /* other lines of an item */
    LINE_ROW,
    LINE_FIXED, /* of code, math, HTML, quotes: the order matters */
};

struct merge_line {
    str text;        /* without blanks and eol */
    str blanks, eol; /* trailing spaces, line ending */
    uint32_t name;   /* equal for lines with equal text */
    uint32_t unit;   /* equal for lines that belong together: a paragraph, an item, … */
    uint32_t at;     /* byte in the text of the note */
    uint16_t indent; /* bytes */
    enum merge_line_kind kind;
};

struct merge_lines {
    struct merge_line *items;
    uint32_t n;
    bool open; /* the last unit is not closed: appended text belongs to it */
};

/* The lines of a note's body. */
struct merge_lines merge_cut(struct merge *m, const struct note *note);

/* Give the lines of all three their names. */
void merge_name_lines(struct merge *m, struct merge_lines *const rows[3]);

/*
 * Find base's lines in both sides. Position 2i is the gap before line i of base, 2i+1 the
 * line itself. at[p] is the number of lines of the side before position p, so the lines
 * from at[p] to at[p+1] are what the side has at p. There are 2n+2 entries.
 */
void merge_match(struct merge *m, const struct merge_lines *base,
                 const struct merge_lines *const sides[2], const uint32_t *at[2]);

/* Some lines of a side, and the lines around a gap of base (NULL: none). */
struct merge_piece {
    const struct merge_line *lines;
    uint32_t n;
};
struct merge_around {
    const struct merge_line *before, *after;
};

/* Append the lines that both sides added in one gap where the order does not matter. */
void merge_put_both(struct merge *m, struct merge_piece ours, struct merge_piece theirs,
                    const struct merge_around *place);

/* Append the three-way merge of lines to m->out. */
void merge_weave(struct merge *m, const struct merge_lines *base,
                 const struct merge_lines *ours, const struct merge_lines *theirs);

/*
 * Merge canvases into m->out. False if one of them is not a canvas, or if they cannot be
 * merged; m->out and collisions are undefined then.
 */
MUST_CHECK bool merge_canvas(struct merge *m, const str texts[3]);

/* Merge one line that both changed; false if the changes collide. */
MUST_CHECK bool merge_words(struct merge *m, str base, str ours, str theirs, str *out);

/*
 * The length of the markers at the start of a line: indentation, '- [x] ', '1. ', '## '.
 */
size_t merge_marks(str line);

/* The value of the side that changed it; ours if both did. */
static inline str merge_pick(str base, str ours, str theirs)
{
    return str_eq(ours, base) ? theirs : ours;
}

/* Append a new line of one side; and a line that base has, too. */
void merge_put_new(struct merge *m, const struct merge_line *line);
void merge_put(struct merge *m, str text, str blanks, str eol);

/*
 * Record a collision: out from byte from was kept instead of bytes start to end of their
 * text.
 */
void merge_collide(struct merge *m, size_t from, uint32_t start, uint32_t end);

/*
 * The properties of a note, with the --- lines. merge_frontmatter() appends the merged
 * ones to m->out.
 */
struct merge_block {
    str head, block, tail; /* "---", the properties, "---"; empty if there are none */
    uint32_t at;           /* of head in the text */
};
void merge_frontmatter(struct merge *m, const struct merge_block *base,
                       const struct merge_block *ours, const struct merge_block *theirs);
