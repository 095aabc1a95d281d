/*
 * help_show - prints a help text: as it is in a pipe; on a terminal within its width, with
 * headings, options and commands set off, and in a pager if it does not fit on the screen.
 */
#pragma once

#include "base/arena.h"

/* text: of at most 80 columns, with blank lines between its parts. */
void help_show(struct arena *a, str text);
