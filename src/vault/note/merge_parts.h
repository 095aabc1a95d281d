/*
 * merge_parts - the parts of merging; for merge*.c only.
 *
 * merge_lines.c cuts a text into lines and says which belong together; merge_match.c
 * finds each line of base in a side; merge_weave.c goes through base and takes what each
 * side did (merge_gap.c: what both put in one place); merge_words.c does the same within
 * one line; merge_out.c puts lines together. merge_frontmatter.c does the properties,
 * merge_canvas.c canvases.
 */
#pragma once

#include "base/sbuf.h"
#include "vault/note/merge.h"
#include "vault/text/diff_core.h"

/* One merge: everything but the result is in scratch. */
struct merge {
    struct arena *arena, *scratch;
    uint32_t n_names; /* of lines */
    uint64_t work;    /* steps that are left */
    str eol;          /* of new lines, and where one is missing */
    str eol_old;      /* what new lines had that are to have eol now; or empty */
    struct sbuf out;  /* the result so far */
    size_t body;      /* where in it lines begin, behind a BOM */
    struct merge_result *result;
};

enum merge_line_kind {
    LINE_BLANK,
    LINE_TEXT,
    LINE_HEADING,
    LINE_ITEM, /* the first line of an item */
    LINE_MORE, /* a further one */
    LINE_ROW,
    LINE_FIXED, /* of code, math, HTML, quotes: the order matters */
};

struct merge_line {
    str text;        /* without what follows */
    str blanks, eol; /* at its end */
    uint32_t name;   /* the same for the same text */
    uint32_t unit; /* the same for lines that belong together: a paragraph, an item, … */
    uint32_t at;   /* byte in the text of the note */
    uint16_t indent; /* bytes */
    enum merge_line_kind kind;
};

struct merge_lines {
    struct merge_line *items;
    uint32_t n;
    bool open; /* the last unit has no end: what is appended belongs to it */
};

/* The lines of a note's body. */
struct merge_lines merge_cut(struct merge *m, const struct note *note);

/* Number the lines of all three. */
void merge_name_lines(struct merge *m, struct merge_lines *const rows[3]);

/* What ends a line of text at byte at: "\n", "\r\n", "\r" or nothing. */
str merge_eol_at(str text, size_t at);

/*
 * Where base's lines are in both sides. Position 2i is the gap before line i of base,
 * 2i+1 the line itself; at[p] is how many lines of the side come before position p, so
 * that those from at[p] to at[p+1] are what it has there. Has 2n+2 entries.
 */
void merge_match(struct merge *m, const struct merge_lines *base,
                 const struct merge_lines *const sides[2], const uint32_t *at[2]);

/* Some lines of a side, and what is around a gap of base (NULL: nothing). */
struct merge_piece {
    const struct merge_line *lines;
    uint32_t n;
};
struct merge_around {
    const struct merge_line *before, *after;
};

/* Append what both sides put into one gap where the order does not matter. */
void merge_put_both(struct merge *m, struct merge_piece ours, struct merge_piece theirs,
                    const struct merge_around *place);

/* Append the three-way merge of lines to m->out. */
void merge_weave(struct merge *m, const struct merge_lines *base,
                 const struct merge_lines *ours, const struct merge_lines *theirs);

/* A canvas, in m->out. False when one of them is none, or when they do not go together:
 * then m->out and collisions mean nothing. */
MUST_CHECK bool merge_canvas(struct merge *m, const str texts[3]);

/* One line that both changed; false when the changes collide. */
MUST_CHECK bool merge_words(struct merge *m, str base, str ours, str theirs, str *out);

/* How long the marks are that begin a line: indent, '- [x] ', '1. ', '## '. */
size_t merge_marks(str line);

static inline bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static inline bool is_break(char c)
{
    return c == '\n' || c == '\r';
}

static inline bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* One of three: what the side that changed it says, ours when both did. */
static inline str merge_pick(str base, str ours, str theirs)
{
    return str_eq(ours, base) ? theirs : ours;
}

/* A new line of one side; and one that was there in base, too. */
void merge_put_new(struct merge *m, const struct merge_line *line);
void merge_put(struct merge *m, str text, str blanks, str eol);

/* Note that what is in out from byte from on was kept instead of theirs, bytes start to
 * end of that text. */
void merge_collide(struct merge *m, size_t from, uint32_t start, uint32_t end);

/* The properties of three notes, --- lines included, appended to m->out. */
struct merge_block {
    str head, block, tail; /* "---", the properties, "---"; empty when there is none */
    uint32_t at;           /* of head in the text */
};
void merge_frontmatter(struct merge *m, const struct merge_block *base,
                       const struct merge_block *ours, const struct merge_block *theirs);
