/*
 * term - text for people: colours and columns on a terminal, plain lines in a pipe.
 *
 * Output is collected and written at the end, or when there is much of it. Control
 * characters that come from notes or names are shown as U+FFFD, line feeds and tabs as
 * spaces, so that a note cannot manipulate the reader's terminal. On a terminal, lines that
 * are wider are folded (term_fold.h), except those of term_text(), term_diff() and
 * term_json(), which may be copied.
 */
#pragma once

#include "base/os/machine.h"
#include "base/sbuf.h"
#include "vault/text/textscan.h"

enum term_style {
    TERM_PLAIN,
    TERM_STRONG,
    TERM_FAINT,
    TERM_PATH,
    TERM_LINE,
    TERM_MATCH,
    TERM_GOOD,
    TERM_WARN,
    TERM_BAD,
};

enum term_colour { TERM_AUTO, TERM_ALWAYS, TERM_NEVER };

struct term {
    int fd;
    bool colour;
    bool pages;   /* at the end, what does not fit on the screen is shown in a pager */
    size_t width; /* columns; 0: not a terminal, do not cut */
    struct sbuf out;
    size_t line;        /* where the last line of out begins */
    int failed;         /* errno of the write that failed, else 0 */
    struct term *notes; /* for remarks that must not be mixed with results: stderr */
};

/* Colours: on a terminal, unless NO_COLOR is set or TERM is dumb. A pager: only if *t is
 * given to term_use_pager(), and on a terminal that is not dumb. */
struct term term_open(struct arena *a, int fd, enum term_colour colour);

/* Whether TERM says that a terminal shows no colours; Windows does not set it. */
bool term_is_dumb_on(enum machine_system system, const char *kind);
void term_close(struct term *t);
void term_use_pager(struct term *t);

/* Write what has been collected, e.g. before a question. */
void term_flush(struct term *t);

/* One line, or a part of it: a line feed at the end stays one. */
void term_put(struct term *t, enum term_style style, str text);
void term_printf(struct term *t, enum term_style style, const char *fmt, ...)
    PRINTF_LIKE(3, 4);

/* A line with the marks in it, in order, as TERM_MATCH. If the line is wider than width
 * columns (0: no limit), only the part around the first mark. */
void term_found(struct term *t, str line, const struct textscan_mark *marks, size_t n,
                size_t width);

/* Any number of lines, with their tabs. */
void term_text(struct term *t, str text);

/* The same for Markdown: headings, links and tags stand out, properties and code recede. */
void term_markdown(struct term *t, str text);

/* A diff in colours, as git shows it. */
void term_diff(struct term *t, str diff);

/* JSON, where control characters can be escaped instead. */
void term_json(struct term *t, str json);

/*
 * Where the rest of the line comes from: "path:12:" in a pipe; on a terminal the line
 * number below the path, which is printed only if it changed. Returns the columns left, 0
 * in a pipe. Line 0 means no line.
 */
size_t term_place(struct term *t, str path, uint32_t line, bool new_path);

/* "3 notes", "1 note"; in the arena of the terminal. */
str term_count(const struct term *t, size_t n, const char *one, const char *many);

/* text padded with spaces to width columns, after it or before it. */
void term_left(struct term *t, enum term_style style, str text, size_t width);
void term_right(struct term *t, enum term_style style, str text, size_t width);

/* A line with a label, padded to width, and a text. */
void term_labelled(struct term *t, const char *label, size_t width, str text);

/* Where to say that a list is not complete: below it, or in a pipe on stderr. */
struct term *term_remarks(struct term *t);

/* "vaultd: …", with the detail in parentheses. */
struct err;
void term_error(struct term *t, const struct err *err);

/* The columns that text takes. */
size_t term_width(str text);

/* A number in the first five columns; -1: leave them empty. */
void term_number(struct term *t, enum term_style style, int64_t number);

/* 1536 as "1.5 KB"; seconds since 1970 as "2026-11-16 09:30", local time. */
str term_size(struct arena *a, int64_t bytes);
str term_time(struct arena *a, int64_t seconds);

/* How long something takes or lasts: "40 s", "12 min", "3 h 5 min", "2 d 4 h". */
str term_duration(struct arena *a, int64_t seconds);

/*
 * Every time that people see: how long ago on a terminal ("3 minutes ago", "yesterday 09:30",
 * as term_time() from a week on), else as term_time(). At most TERM_WHEN columns. term_when_iso()
 * is the same for a time of JSON; other texts are as they are. term_ago() is the part that
 * depends on nothing else.
 */
enum { TERM_WHEN = sizeof("2026-11-16 09:30") - 1 };
str term_when(const struct term *t, int64_t seconds);
str term_when_iso(const struct term *t, str iso);
str term_ago(struct arena *a, int64_t seconds, int64_t now);
