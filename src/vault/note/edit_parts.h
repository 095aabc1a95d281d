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

uint32_t edit_count_lines(str text);

/* The line break that most lines of text end with; LF if there are none. */
str edit_eol(str text);

/* text with every LF and CRLF replaced by eol; text itself if nothing changes. */
str edit_with_eol(struct arena *a, str text, str eol);

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
    const uint32_t *parents; /* of headings; see edit_heading.c */
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

/*
 * Insert content as whole lines at at (a line start or the end), with blank lines as
 * needed.
 */
MUST_CHECK bool edit_put(struct edit_job *j, size_t at, str content);
/* The same, replacing whole lines [start, end). */
MUST_CHECK bool edit_put_over(struct edit_job *j, size_t start, size_t end, str content);
/* Remove whole lines [start, end), and blank lines that would be duplicate. */
MUST_CHECK bool edit_cut(struct edit_job *j, size_t start, size_t end);

/* Whether most headings are followed by text without a blank line. */
bool edit_has_tight_headings(const struct note *n);

/* Warn if content is directly above at already. */
void edit_warn_repeated(struct edit_job *j, size_t at, str content);

void edit_warn(struct edit_result *out, str warning);

/* Report the lines of out->text that [start, end) touches. */
void edit_set_lines(struct edit_result *out, size_t start, size_t end);

/* --- finding text (edit_replace.c) --- */

struct edit_matches {
    struct edit_range *at;
    size_t n;
};

#define EDIT_NO_TEXT "Text not found in file; " /* and then where it may be */

/* The only place of old_text after from, or an error as in edit.h; hint may be set. */
MUST_CHECK bool edit_find_unique(struct arena *a, str text, size_t from, str old_text,
                                 struct edit_range *at, str *hint, struct err *err);

/* --- finding headings (edit_heading.c) --- */

/* "A#B": the titles of the sections that contain h, then its own. */
str edit_heading_path(const struct edit_job *j, const struct note_heading *h);

/* A heading to be created: its title, and the section for it or NULL. */
struct edit_heading_wish {
    str title;
    const struct note_heading *parent;
};

/*
 * The heading that path and line mean. NULL on error. If wish is given and there is no
 * such heading, NULL without an error, and *wish is filled.
 */
const struct note_heading *edit_find_heading(struct edit_job *j, str path, uint32_t line,
                                             struct edit_heading_wish *wish);

/* --- near misses (edit_near.c) --- */

/*
 * Describe where the text is that was probably meant and how it differs; false if there
 * is none.
 */
bool edit_explain(struct arena *a, str text, str old_text, size_t excerpt_max, str *out);

/* The likeness of two short texts, 0..1000; case and diacritics are ignored. */
unsigned edit_likeness(str a, str b);
