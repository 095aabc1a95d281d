/*
 * inline_parts - the parts of reading inline fields; for inline*.c only.
 *
 * inline.c finds the lines that have any and the items they belong to, inline_line.c the
 * fields of a line and the dates of tasks.
 */
#pragma once

#include "vault/forms/inline.h"

struct inline_scan {
    struct arena *arena;
    const struct note *note;
    struct inline_field *fields;
    uint32_t n;
    struct span *hidden; /* in which nothing is read, in order, not overlapping */
    uint32_t n_hidden;
    struct span last; /* the line that was read last */
    uint32_t counted; /* a place whose line is known: */
    uint32_t line;
    uint32_t item; /* of the current line, as in struct inline_field */
    bool of_task;
    uint32_t task; /* in note->tasks: earlier ones are not needed anymore */
};

/* The first hidden span that ends after at, or n_hidden. */
uint32_t inline_hidden_after(const struct inline_scan *s, uint32_t at);

/* A new field of the current line; NULL if there are too many. */
struct inline_field *inline_add(struct inline_scan *s);

/* Add the fields of a line; text is where it begins after the marker of an item. */
void inline_read_line(struct inline_scan *s, struct span line, uint32_t text);

/* Add the emoji dates of all tasks. */
void inline_read_dates(struct inline_scan *s);

bool inline_is_key_char(uint32_t c);
