/*
 * term_fold - a line that is wider than the terminal, as several: broken between words, and
 * below the text where it has a number, a path or another short column before it.
 */
#pragma once

#include "base/sbuf.h"

/* The columns that a line takes; sequences for colours take none. */
size_t term_fold_width(str line);

/* Adds line, which has no line feed, to out: as it is if it fits, else in lines of at most width
 * columns, with line feeds between them. */
void term_fold(str line, size_t width, struct sbuf *out);
