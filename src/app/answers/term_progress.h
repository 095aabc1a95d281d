/*
 * term_progress - a line on stderr about work that takes longer than a moment: how much is
 * done, how fast, and how long the rest takes. Only on a terminal; removed at the end.
 */
#pragma once

#include "base/arena.h"

enum { TERM_PROGRESS_AFTER_MS = 500 };

struct term_progress {
    const char *what, *unit; /* "Reading the vault", "files" */
    uint64_t began, drawn;   /* clock_ms() */
    size_t first; /* what was done when it began, which says nothing about speed */
    bool terminal, begun, shown;
};

/* Both texts are borrowed. */
struct term_progress term_progress_begin(const char *what, const char *unit);

/* Call it often: it draws at most ten times a second, and not before TERM_PROGRESS_AFTER_MS.
 * all: 0 if it is not known. */
void term_progress_show(struct term_progress *p, size_t done, size_t all);
void term_progress_end(struct term_progress *p);

/* The same for work that cannot be counted, with the time it takes: a thread draws it until
 * term_busy_end(), which must be called before anything else is written to the terminal. NULL: not
 * on a terminal. */
struct term_busy;
struct term_busy *term_busy_begin(const char *what);
void term_busy_end(struct term_busy *b);

/* A sentence for the user, without the line: what is kept after Ctrl-C, for example. */
void term_progress_say(struct term_progress *p, str text);

/* The line for a terminal of that width; ms: since it began. */
str term_progress_line(struct arena *a, const struct term_progress *p, size_t done,
                       size_t all, uint64_t ms, size_t width);
