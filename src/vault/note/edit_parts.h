/*
 * edit_parts - shared by the files of edit.h; for edit*.c only.
 *
 * edit.c splices and adds blank lines, edit_lines.c knows lines, edit_near.c explains why
 * a text was not found; the others are one operation each.
 */
#pragma once

#include "base/sbuf.h"
#include "vault/note/edit.h"
#include "vault/note/note.h"

/* --- lines (edit_lines.c); they end with LF, CRLF or a lone CR, as in note.h --- */

size_t edit_line_start(str text, size_t at);
size_t edit_next_line(str text, size_t at); /* after it */
bool edit_is_blank_line(str text, size_t at);

/* The start of the last line before at, which must not be 0. */
size_t edit_line_before(str text, size_t at);

/* Skip blank lines backwards from at, a line start, but not beyond floor. */
size_t edit_skip_blank_up(str text, size_t at, size_t floor);
/* Skip blank lines forwards from at, a line start, but not beyond ceiling. */
size_t edit_skip_blank_down(str text, size_t at, size_t ceiling);

/* Where the text begins: after a byte order mark, which is no part of its first line. */
static inline size_t edit_text_start(str text)
{
    return str_starts(text, STR("\xEF\xBB\xBF")) ? 3 : 0;
}

uint32_t edit_count_lines(str text);

/* The line break that most lines of text end with; LF if there are none. */
str edit_eol(str text);

/* text with every LF and CRLF replaced by eol; text itself if nothing changes. */
str edit_with_eol(struct arena *a, str text, str eol);

/* Maps offsets of a copy with LF for CRLF to offsets of the text, in ascending order. */
struct edit_carry {
    str text;
    size_t copy, real;
};
size_t edit_carry_back(struct edit_carry *c, size_t copy);

/* text without blank lines at both ends and without its last line break. */
str edit_trim_blank_lines(str text);

enum edit_line_kind {
    LINE_BLANK,
    LINE_TEXT,
    LINE_HEADING,
    LINE_ITEM,
    LINE_QUOTE,
    LINE_TABLE
};

struct edit_line {
    enum edit_line_kind kind;
    size_t indent; /* in columns */
    bool ordered;  /* items: 1. */
    bool callout;  /* quotes: > [!note] */
    bool border;   /* text: ``` ~~~ $$ or a rule, which separate paragraphs */
    size_t marker; /* items: bytes up to the text after the marker */
};

/* Classify the line that begins at at, without its context. */
struct edit_line edit_classify(str text, size_t at);

/*
 * Whether a blank line is needed between above and below. tight_headings: in this note,
 * text follows headings without a blank line.
 */
bool edit_needs_blank(str above, str below, bool tight_headings);

/* --- splicing (edit.c) --- */

struct edit_job {
    struct arena *arena;
    str text;
    struct edit_result *out;
    struct err *err;
    struct note note;
    str eol;
    const uint32_t *parents;           /* of headings; see edit_heading.c */
    const struct edit_habit *siblings; /* or NULL */
    str section;                       /* of swaps: the last one that was found, */
    struct edit_range within;          /* and where it is now */
    struct edit_range put; /* in the result: what edit_splice() has put there */
    bool raw;              /* that is known to be part of code and the like */
    bool sound;            /* edit_is_sound() was true of the result */
};

MUST_CHECK bool edit_check_size(const char *what, str s, size_t max, struct err *err);

/* Check sizes, scan the text, clear the result. */
MUST_CHECK bool edit_start(struct edit_job *j, str content);

/*
 * Replace text[start, end) by before, content, after; the lines reported are those of
 * content.
 */
MUST_CHECK bool edit_splice(struct edit_job *j, size_t start, size_t end, str before,
                            str content, str after);

/* Change nothing; the edit was at that place. */
MUST_CHECK bool edit_keep(struct edit_job *j, size_t at);

/* Whether text[start, end) and content have the same lines; line breaks and blank lines
 * at both ends do not count. */
bool edit_is_same(const struct edit_job *j, size_t start, size_t end, str content);

/*
 * Insert content as whole lines at at (a line start or the end), with blank lines as
 * needed.
 */
MUST_CHECK bool edit_put(struct edit_job *j, size_t at, str content);
/* The same, replacing whole lines [start, end). */
MUST_CHECK bool edit_put_over(struct edit_job *j, size_t start, size_t end, str content);
/* Remove whole lines [start, end), and blank lines that would be duplicate. */
MUST_CHECK bool edit_cut(struct edit_job *j, size_t start, size_t end);

/* Whether content directly below a heading has no blank line above it (edit_section.c). */
bool edit_is_tight(const struct edit_job *j, str content);

/* Where the text of a section begins (edit_section.c). */
size_t edit_below_heading(const struct note *n, const struct note_heading *h);

/* Replace whole lines [start, end), or insert at start, with nothing added around. */
MUST_CHECK bool edit_put_lines(struct edit_job *j, size_t start, size_t end, str content);

/* Warn if content is directly above at already. */
void edit_warn_repeated(struct edit_job *j, size_t at, str content);

void edit_warn(struct edit_result *out, str warning);

/* Report the lines of out->text that [start, end) touches. */
void edit_set_lines(struct edit_result *out, size_t start, size_t end);

/* --- what is outside of the edit (edit_rest.c) --- */

/* Whether it still means what it meant: else ERR_INVALID (INVALID_CONTENT), or a warning.
 * edit_check_rest() also warns if the new text is not read as it would be alone. */
MUST_CHECK bool edit_check_rest(struct edit_job *j);
void edit_warn_rest(struct edit_job *j);

/* Whether the rest means what it meant, and the new text is read as it would be alone. */
bool edit_is_sound(struct edit_job *j);

/* --- finding text (edit_replace.c) --- */

struct edit_matches {
    struct edit_range *at;
    size_t n;
    bool loose;   /* found by edit_find_tolerant(), */
    str new_text; /* and this is what replaces it */
};

#define EDIT_NO_TEXT "Text not found in file; " /* and then where it may be */

/* The only place of swap->old_text, or an error as in edit.h; lead and hint may be set. */
MUST_CHECK bool edit_find_unique(struct edit_job *j, const struct edit_swap *swap,
                                 struct edit_range *at);

/*
 * Up to max places of old_text in text; quotes, no-break spaces, normal form and spaces
 * at the end of lines do not count (edit_tolerant.c).
 */
void edit_find_tolerant(struct arena *a, str text, str old_text, size_t max,
                        struct edit_matches *out);

/* Narrow a place found by it, and the text that replaces it, to what really changes. */
void edit_keep_spelling(struct arena *a, str text, struct edit_range *r, str *new_text);

/* --- finding headings (edit_heading.c) --- */

/* "A#B": the titles of the sections that contain h, then its own. */
str edit_heading_path(const struct edit_job *j, const struct note_heading *h);

/* A heading to be created: its title, and the section for it or NULL. */
struct edit_heading_request {
    str title;
    const struct note_heading *parent;
};

/*
 * The heading that path and line mean. NULL on error. If request is given and there is no
 * such heading, NULL without an error, and *request is filled.
 */
const struct note_heading *edit_find_heading(struct edit_job *j, str path, uint32_t line,
                                             struct edit_heading_request *request);

/* --- near misses (edit_near.c) --- */

/*
 * Describe where the text is that was probably meant and how it differs; false if there
 * is none.
 */
bool edit_explain(struct arena *a, str text, str old_text, size_t excerpt_max, str *out);

/* The likeness of two short texts, 0..1000; case and diacritics are ignored. */
unsigned edit_likeness(str a, str b);
