/*
 * model_text - answers in plain text, as a model reads them: nothing is escaped, and nothing is
 * said twice.
 *
 * The first line says what this is and how much of it there is; then come the lines of
 * the answer. Lines with a number begin with it ("12: text"). What is about the answer
 * rather than in it is in brackets at the end: where to go on, and notes.
 */
#pragma once

#include "app/answers/named_tools.h"
#include "base/sbuf.h"

struct hidden_list;

enum {
    MODEL_TEXT_REST = 120
}; /* bytes in an answer besides its list: notes, where to go on */

struct model_text {
    struct sbuf *out;
    size_t max; /* most bytes in the whole answer; SIZE_MAX: no limit */
    const struct answer_tools *tools; /* that may be named; NULL: all */
};

/* Bytes left, less those needed for what follows a list. */
size_t mt_room(const struct model_text *s);

/* Write item i of a result, with its line break. */
typedef void mt_item(struct model_text *s, const void *result, size_t i);

/* Write as many of the n items as fit, but at least one. Returns how many. */
size_t mt_items(struct model_text *s, const void *result, size_t n, mt_item *put);

/* "1 file", "2 files". */
void mt_count(struct model_text *s, size_t n, const char *one, const char *several);

/* Text as it is; the next thing is on a new line even if the text ends without a break.
 */
void mt_text(struct model_text *s, str text);

/* Text on one line: line breaks become spaces. */
void mt_line(struct model_text *s, str text);

/* "[more: offset 20]", unless end is total. */
void mt_next(struct model_text *s, size_t end, size_t total);

/* "[note]", if there is one. */
void mt_note(struct model_text *s, str note);

/* The texts, with commas between them. */
void mt_list(struct model_text *s, const str *items, size_t n);

/* Which text people do not see, if any; of: what the lines are counted in, or "". */
void mt_hidden(struct model_text *s, const struct hidden_list *hidden, const char *of);
