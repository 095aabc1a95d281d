/*
 * edit_table - a table cut into rows and cells; for edit_table*.c only.
 *
 * A row is lossless: table_line() gives the bytes that it was read from.
 */
#pragma once

#include "vault/note/edit_parts.h"

enum { TABLE_COLUMNS_MAX = 200 };

struct table_row {
    str lead;           /* of its line: quote and list markers, indentation */
    bool opens, closes; /* a pipe precedes the first cell, follows the last one */
    str *cells;         /* with the spaces around their texts */
    size_t n;           /* at most TABLE_COLUMNS_MAX + 1 */
    str rest;           /* of the line, after the last pipe or cell */
    str eol;            /* empty: the note ends here */
};

enum { TABLE_HEADER, TABLE_DELIMITERS, TABLE_FIRST };

struct table_column {
    size_t width;
    size_t left, right; /* spaces around each text, 0 or 1 */
};

struct table {
    size_t start, end;      /* of its lines in the text, with the last line break */
    struct table_row *rows; /* the header, the delimiters, then the others */
    size_t n;
    size_t added; /* bytes, at least, by columns that became wider */
    bool aligned;
    struct table_column *columns; /* as many as the header has cells */
};

struct tables {
    struct table *items;
    size_t n;
};

/* The tables that begin in that range of the text. */
struct tables tables_of(struct arena *a, str text, struct edit_range in);

/* The text of a cell, without spaces around it; empty if the row is too short. */
str table_cell(const struct table_row *r, size_t i);

/* The width that text needs in a cell. */
size_t table_needed(const struct table *t, const struct table_row *r, size_t column,
                    str text);

/* The last cell of a row without a last pipe has no width. */
bool table_has_width(const struct table_row *r, size_t i);

/* text as it is written in a cell; the same if it is written already. */
str table_written(struct arena *a, str text);

/* The line of a row, without its line break. */
str table_line(struct arena *a, const struct table_row *r);

/* What an edit does to the table that begins at start. */
struct table_change {
    size_t start, at; /* at: the row, where it was if it is removed */
    bool added, removed;
    size_t *columns; /* of each cell in the request */
};

/*
 * edit_table_check.c: whether the new text has the table that was meant. The row has the
 * cells of the request and otherwise those that it had; all other rows are the same byte
 * for byte or, in an aligned table, cell for cell; each has its own line break.
 */
bool table_is_as_meant(const struct edit_job *j, const struct edit_row *e,
                       const struct table_change *c);
