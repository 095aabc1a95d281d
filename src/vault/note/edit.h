/*
 * edit - text edits of a note: the old text in, the new text out, nothing else touched.
 *
 * Pure functions: no file, no index. Each takes the whole text of a note and gives the
 * whole new text in the arena; bytes outside of what it says it changed are the same
 * bytes as before. On failure nothing is given but result->hint, a longer form of the
 * message for a model that tries again. Linear in the text, whatever it holds.
 *
 * Line breaks belong to the file: LF in what is sent matches CRLF in the file, and what
 * is written is written with the break of the place or, without one, that of most lines.
 * Blank lines belong to the edit: inserted text is set apart by one blank line where
 * Markdown would else run it together with its neighbour; items added to a list, rows
 * added to a table and lines added to a quote stay tight. Blank lines around the text
 * that is sent are dropped. A file that ends without a line break still does afterwards.
 *
 * Errors a caller may want to tell apart (err->name): E_TEXT_NOT_FOUND,
 * E_TEXT_NOT_UNIQUE, E_HEADING_NOT_FOUND, E_HEADING_NOT_UNIQUE, E_BLOCK_NOT_FOUND,
 * E_BLOCK_NOT_UNIQUE, E_LINE_OUT_OF_RANGE; ERR_LIMIT for the limits below; ERR_INVALID
 * for the rest.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

enum {
    EDIT_TEXT_MAX = 8 << 20,        /* bytes of a note, before and after */
    EDIT_PIECE_MAX = 4 << 20,       /* bytes of any one text that is sent */
    EDIT_SWAPS_MAX = 200,           /* replacements asked for in one call */
    EDIT_REPLACEMENTS_MAX = 100000, /* places changed in one call */
    EDIT_WARNINGS_MAX = 4,
};

/* Bytes [start, end) of a text. */
struct edit_range {
    size_t start, end;
};

struct edit_result {
    str text;                       /* the input itself when nothing changed */
    size_t replacements;            /* places changed */
    struct edit_range was, is;      /* of the old and the new text: all else is equal */
    uint32_t line_first, line_last; /* of the new text, from 1, inclusive: what was
                                       written; after a deletion the line that now stands
                                       there; 0 when the text is empty */
    str target; /* what the words of the caller were taken for: "A#B", "^id", "line 3" */
    str warnings[EDIT_WARNINGS_MAX];
    size_t n_warnings;
    str lead, hint; /* of a failure: what the message says first, and all the places that
                       it has no room for; else empty */
    size_t places;  /* of a failure: how often the text to be replaced was found */
};

/* --- replace --- */

struct edit_swap {
    str old_text, new_text;
    bool replace_all;
    size_t from; /* the text is looked for behind so many bytes: note.body */
};

/* Exact text, in order, each on the result of the one before; all of them or none. */
MUST_CHECK bool edit_replace(struct arena *a, str text, const struct edit_swap *swaps,
                             size_t n, struct edit_result *out, struct err *err);

/*
 * A Rust regular expression (regex.h), line by line, the line break being no part of a
 * line. The replacement may name groups: $1 ${1} $name ${name}; $$ is a dollar.
 */
struct edit_pattern {
    str pattern, replacement;
    bool nocase, literal; /* literal: the pattern and its replacement are plain text */
    size_t max;           /* places to change, the first ones; 0: all */
};

MUST_CHECK bool edit_regex(struct arena *a, str text, const struct edit_pattern *p,
                           struct edit_result *out, struct err *err);

/* --- insert --- */

enum edit_where {
    EDIT_BEFORE_TEXT, /* above the line that holds anchor */
    EDIT_AFTER_TEXT,  /* below it */
    EDIT_AT_LINE,     /* above line number line; one more than there are: at the end */
    EDIT_APPEND,      /* at the end of the note */
    EDIT_PREPEND,     /* at its beginning, below the frontmatter */
};

struct edit_insert {
    enum edit_where where;
    str content;
    str anchor;       /* must occur once, as in edit_replace */
    size_t from;      /* of edit_swap */
    bool inside_line; /* right at the anchor, byte for byte, no line of its own */
    bool like_anchor; /* the same, unless the anchor is whole lines */
    uint32_t line;
};

MUST_CHECK bool edit_insert(struct arena *a, str text, const struct edit_insert *i,
                            struct edit_result *out, struct err *err);

/* --- sections and blocks --- */

enum edit_action {
    EDIT_REPLACE_BODY,  /* the heading or the block id stays */
    EDIT_REPLACE_WHOLE, /* sections only: heading, text and sections below */
    EDIT_APPEND_TO,     /* below the last line */
    EDIT_PREPEND_TO,    /* below the heading; above the block */
    EDIT_DELETE,        /* sections: with the heading and all sections below */
};

/*
 * heading is a title or a path of them ("A", "A#B", "#A", "## A", "A > B", "A::B"),
 * compared as links do. One that fits several is refused, unless just one of them has
 * exactly this title, level or full path, or stands in line.
 */
struct edit_section {
    str heading;
    uint32_t line; /* where the heading stands; 0: anywhere */
    enum edit_action action;
    bool deep; /* REPLACE_BODY, APPEND_TO: with the sections below, not only up to them */
    unsigned create_level; /* 1..6: make a missing heading, at the end of the note or, for
                              "A#B" with just one A, of A's section, one level below it
                              at least */
    str content;
};

MUST_CHECK bool edit_section(struct arena *a, str text, const struct edit_section *e,
                             struct edit_result *out, struct err *err);

/* The section that a heading means, as above: with the heading and all sections below. */
MUST_CHECK bool edit_find_section(struct arena *a, str text, str heading,
                                  struct edit_range *out, struct err *err);

/* The same without the heading, and without blank lines around it. */
MUST_CHECK bool edit_section_text(struct arena *a, str text, str heading, str *out,
                                  struct err *err);

/* The block with that id, as edit_block() finds it. */
MUST_CHECK bool edit_find_block(struct arena *a, str text, str id, struct edit_range *out,
                                struct err *err);

/* A list item keeps its marker and task box, unless the content brings its own. */
struct edit_block {
    str id; /* with or without ^ */
    enum edit_action action;
    str content;
};

MUST_CHECK bool edit_block(struct arena *a, str text, const struct edit_block *e,
                           struct edit_result *out, struct err *err);
