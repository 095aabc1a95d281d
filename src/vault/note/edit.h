/*
 * edit - edits of a note's text: old text in, new text out.
 *
 * Pure functions: no files, no index. Each takes the whole text of a note and returns the
 * whole new text in the arena; bytes outside the range it reports are unchanged. After a
 * failure only lead, hint and places of the result are valid; they make a longer message
 * for a model that tries again. Linear in the size of the text, whatever it contains.
 *
 * Line breaks follow the file: LF in a request matches CRLF in the file, and new text is
 * written with the line break used at that place or, if there is none, by most lines.
 * Blank lines: text added to a note, section or block is separated by one blank line
 * where Markdown would otherwise join it with its neighbour; items added to a list, rows
 * added to a table and lines added to a quote stay tight; below a heading it is as in the
 * rest of the note (struct edit_habit). Blank lines around the text in the request are
 * dropped. Text put before or after a text or line is literal lines: nothing is added or
 * dropped. A file that ends without a line break still does so afterwards.
 *
 * Errors that a caller may want to distinguish (err->name): E_TEXT_NOT_FOUND,
 * E_TEXT_NOT_UNIQUE, E_HEADING_NOT_FOUND, E_HEADING_NOT_UNIQUE, E_BLOCK_NOT_FOUND,
 * E_BLOCK_NOT_UNIQUE, E_LINE_OUT_OF_RANGE; ERR_LIMIT for the limits below; ERR_INVALID
 * for the rest.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "base/stop.h"
#include "base/str.h"
#include "vault/note/range.h"

enum {
    EDIT_TEXT_MAX = 8 << 20,        /* bytes of a note, before and after */
    EDIT_PIECE_MAX = 4 << 20,       /* bytes of any text in a request */
    EDIT_SWAPS_MAX = 200,           /* replacements in one call */
    EDIT_REPLACEMENTS_MAX = 100000, /* places changed in one call */
    EDIT_WARNINGS_MAX = 4,
    EDIT_DID_MAX = 2,
};

struct edit_result {
    str text;                       /* the input itself if nothing changed */
    size_t replacements;            /* places changed */
    uint32_t lines;                 /* edit_regex: lines of the input that were changed */
    struct edit_range was, is;      /* in the old and new text: all else is equal */
    uint32_t line_first, line_last; /* in the new text, from 1, inclusive: the lines
                                       written; after a deletion the line that is now
                                       there; 0 if the text is empty */
    str target; /* what the request was taken to mean: "A#B", "^id", "line 3" */
    str warnings[EDIT_WARNINGS_MAX];
    size_t n_warnings;
    bool renamed;          /* a heading, without the links to it */
    str did[EDIT_DID_MAX]; /* what those lines do not show, as lines for an answer */
    size_t n_did;
    str lead, hint; /* of a failure: what the message says first, and all the places that
                       it has no room for; else empty */
    size_t places;  /* of a failure: how often the text to be replaced was found */
};

/* text with the line break that most lines of like end with, where both become one note. */
str edit_with_breaks_of(struct arena *a, str text, str like);

/* --- replace --- */

struct edit_swap {
    str old_text, new_text;
    bool replace_all;
    size_t from;   /* only text after this offset is searched; see note.body */
    str section;   /* only in this section, as in struct edit_section; empty: anywhere */
    bool tolerant; /* if there is no such text, take the only one that differs in quotes,
                      no-break spaces, normal form or spaces at the end of lines */
};

/*
 * Replace exact text. The swaps are made in order, each on the result of the one before;
 * all of them or none.
 */
MUST_CHECK bool edit_replace(struct arena *a, str text, const struct edit_swap *swaps,
                             size_t n, struct edit_result *out, struct err *err);

/*
 * A Rust regular expression (regex.h), matched as by rg --multiline: ^ and $ are the start
 * and end of any line, a dot matches no line break unless (?s) is set, but \n, \s and
 * [^x] do, so that a match may span lines. The replacement may refer to groups: $1 ${1} $name ${name}; $$ is a dollar.
 */
struct edit_pattern {
    str pattern, replacement;
    bool nocase, literal;    /* literal: the pattern and its replacement are plain text */
    str section;             /* as in struct edit_swap */
    size_t max;              /* change only the first max places; 0: all */
    const struct stop *stop; /* asked at each match and line: TIMEOUT; or NULL */
};

MUST_CHECK bool edit_regex(struct arena *a, str text, const struct edit_pattern *p,
                           struct edit_result *out, struct err *err);

/* --- insert --- */

/*
 * How often text follows a heading directly and after a blank line, for list items [1]
 * and other text [0]. Needed for notes that do not show it themselves.
 */
struct edit_habit {
    uint32_t tight[2], apart[2];
};

struct note;
void edit_add_habit(struct edit_habit *h, const struct note *n);

enum edit_where {
    EDIT_BEFORE_TEXT, /* above the line that contains anchor */
    EDIT_AFTER_TEXT,  /* below it */
    EDIT_AT_LINE,     /* above line number line; (last line + 1): at the end */
    EDIT_APPEND,      /* at the end of the note */
    EDIT_PREPEND,     /* at its beginning, below the frontmatter */
};

struct edit_insert {
    enum edit_where where;
    str content;
    str anchor;       /* must occur once, as in edit_replace */
    size_t from;      /* as in struct edit_swap */
    bool inside_line; /* directly at the anchor, byte for byte, not on its own line */
    bool like_anchor; /* the same, unless the anchor consists of whole lines */
    bool tolerant;    /* as in struct edit_swap */
    bool apart;       /* before, after: with blank lines where Markdown needs them */
    uint32_t line;
};

MUST_CHECK bool edit_insert(struct arena *a, str text, const struct edit_insert *i,
                            struct edit_result *out, struct err *err);

/*
 * Replace lines first to last, from 1, by the lines of content; empty: remove them. Fails
 * with E_LINE_OUT_OF_RANGE.
 */
struct edit_lines {
    uint32_t first, last;
    str content;
};

MUST_CHECK bool edit_lines(struct arena *a, str text, const struct edit_lines *e,
                           struct edit_result *out, struct err *err);

/* "12-15" or "12". Fails with E_INVALID_RANGE. */
MUST_CHECK bool edit_read_lines(str text, struct edit_lines *out, struct err *err);

/* The bytes of these lines, with their line breaks. */
MUST_CHECK bool edit_find_lines(str text, uint32_t first, uint32_t last,
                                struct edit_range *out, struct err *err);

/*
 * Narrow first to last, lines of the new text, to those that differ from the old one, and
 * return true. If lines were only removed, it is the line that is now in their place; 0 if
 * there is none or nothing changed; and false.
 */
bool edit_narrow(str was, str is, uint32_t *first, uint32_t *last);

/* --- sections and blocks --- */

enum edit_action {
    EDIT_REPLACE_BODY,  /* all that is read as the section or block; the heading or the
                           block id stays even if the new text is without it */
    EDIT_REPLACE_WHOLE, /* sections only: heading, text and subsections */
    EDIT_APPEND_TO,     /* below the last line */
    EDIT_PREPEND_TO,    /* below the heading; above the block */
    EDIT_DELETE,        /* sections: with the heading and all subsections */
};

/*
 * A section is a heading with everything below it, up to the next heading of the same or
 * a higher level: what edit_find_section() finds. Writing back what was read changes
 * nothing, with the heading line or without it.
 *
 * heading is a title or a path of titles ("A", "A#B", "#A", "## A", "A > B", "A::B"),
 * compared as in links. If it matches several headings it is refused, unless exactly one
 * of them has exactly this title, level or full path, or is at line. "A#B#2" is the second
 * of several that have the path "A#B", unless a heading "2" is below one of them.
 */
struct edit_section {
    str heading;
    uint32_t line; /* of the heading; 0: any */
    enum edit_action action;
    bool shallow;          /* EDIT_APPEND_TO: above the first subsection */
    unsigned create_level; /* 1..6: create a missing heading at the end of the note or,
                              for "A#B" with exactly one A, at the end of A's section, at
                              least one level below A */
    str content;
    const struct edit_habit *siblings; /* of the notes near it; or NULL */
};

MUST_CHECK bool edit_section(struct arena *a, str text, const struct edit_section *e,
                             struct edit_result *out, struct err *err);

/* The section that heading means, as above: with the heading and all subsections. */
MUST_CHECK bool edit_find_section(struct arena *a, str text, str heading,
                                  struct edit_range *out, struct err *err);

/* The same without the heading and without blank lines at both ends. */
MUST_CHECK bool edit_section_text(struct arena *a, str text, str heading, str *out,
                                  struct err *err);

/* The block with that id, as edit_block() finds it. */
MUST_CHECK bool edit_find_block(struct arena *a, str text, str id, struct edit_range *out,
                                struct err *err);

/* A list item keeps its marker and task box unless the content has its own. */
struct edit_block {
    str id; /* with or without ^ */
    enum edit_action action;
    str content;
};

MUST_CHECK bool edit_block(struct arena *a, str text, const struct edit_block *e,
                           struct edit_result *out, struct err *err);

/* --- tables --- */

struct edit_cell {
    str column, text; /* one line; pipes are escaped */
};

/*
 * Change the row of a table that begins with key, add it if it is missing, or, without
 * cells, remove it. A row is added at the end, or above the only row that looks like a
 * sum. Names are compared without spaces around them, then also without regard to case.
 * If there are several tables, the one with these columns or this row is meant, or the one
 * in section. Columns stay aligned if they were; otherwise no other row changes. Fails
 * with E_TEXT_NOT_FOUND (no table, no row), E_TEXT_NOT_UNIQUE (several, or several columns
 * of one name), E_INVALID_ARGUMENT (no such column, a column twice, a cell with a line
 * break, or the new text would not have the table that was meant), ERR_LIMIT (more than
 * 200 columns).
 */
struct edit_row {
    str section; /* as in struct edit_section; empty: anywhere */
    str key;
    const struct edit_cell *cells;
    size_t n;
};

MUST_CHECK bool edit_row(struct arena *a, str text, const struct edit_row *e,
                         struct edit_result *out, struct err *err);
