/*
 * term_table - rows in columns. On a terminal, columns are as wide as their cells if all fit;
 * else the widest become narrower, and what does not fit is cut ("a long na…"). In a pipe
 * nothing is cut.
 */
#pragma once

#include "app/answers/term.h"

/* Makes a column wide enough for a cell. */
void term_table_widen(const struct term *t, size_t *width, str cell);

/* Makes n columns fit beside each other, once their widths are known. */
void term_table_fit(const struct term *t, size_t *widths, size_t n);

/* Whether a cell has a text, so that what is before it needs padding. */
bool term_table_has_cell(const str *cells, size_t n);

/* A line with n cells. */
void term_table_line(struct term *t, const str *cells, const size_t *widths, size_t n,
                     enum term_style first, enum term_style others);

/* The rest of a line: cells with two spaces before each, and none at its end. */
void term_table_rest(struct term *t, const str *cells, const size_t *widths, size_t n,
                     enum term_style style);
