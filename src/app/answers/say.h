/*
 * say - answers in plain text, as a model reads them: nothing is escaped, and nothing is
 * said twice.
 *
 * The first line says what this is and how much of it there is; then come the lines of
 * the answer. Lines with a number begin with it ("12: text"). What is about the answer
 * rather than in it is in brackets at the end: where to go on, and notes.
 */
#pragma once

#include "base/sbuf.h"

struct hidden_list;

enum { SAY_REST = 120 }; /* bytes in an answer besides its list: notes, where to go on */

struct say {
    struct sbuf *out;
    size_t max; /* most bytes in the whole answer; SIZE_MAX: no limit */
};

/* Bytes left, less those needed for what follows a list. */
size_t say_room(const struct say *s);

/* Write item i of a result, with its line break. */
typedef void say_item(struct say *s, const void *result, size_t i);

/* Write as many of the n items as fit, but at least one. Returns how many. */
size_t say_items(struct say *s, const void *result, size_t n, say_item *put);

/* "1 file", "2 files". */
void say_count(struct say *s, size_t n, const char *one, const char *several);

/* Text as it is; the next thing is on a new line even if the text ends without a break.
 */
void say_text(struct say *s, str text);

/* Text on one line: line breaks become spaces. */
void say_line(struct say *s, str text);

/* "[more: offset 20]", unless end is total. */
void say_next(struct say *s, size_t end, size_t total);

/* "[note]", if there is one. */
void say_note(struct say *s, str note);

/* The texts, with commas between them. */
void say_list(struct say *s, const str *items, size_t n);

/* Which text people do not see, if any; of: what the lines are counted in, or "". */
void say_hidden(struct say *s, const struct hidden_list *hidden, const char *of);
