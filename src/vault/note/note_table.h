/*
 * note_table - the rows and cells of the tables in a note, as its scanner finds them.
 *
 * What precedes a row on its line (quote and list markers, indentation) is known to the
 * scanner only: an edit of a table asks here and does not parse the line again.
 */
#pragma once

#include "vault/note/note.h"

/* Rows of all tables, in order. Those of one table begin within its region; the first is
 * the header and the second has the delimiters. */
struct note_rows {
    struct span *items; /* without spaces at both ends */
    uint32_t n, cap;
};

/* The same as note_scan(), with the rows of all tables. */
void note_scan_rows(struct arena *a, str text, struct note *out, struct note_rows *rows);

/*
 * The next cell of a row, with the spaces around it; *at is 0 for the first. Cells are
 * separated by pipes without a backslash before them. False after the last one.
 */
bool note_next_cell(str row, size_t *at, str *cell);
