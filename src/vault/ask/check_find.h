/*
 * check_find - what is wrong with one file, before it is put into words. Private to
 * check*.c.
 */
#pragma once

#include "vault/ask/check.h"
#include "vault/ask/duplicates.h"
#include "vault/ask/schema.h"

enum { CHECK_SHOWN = 3 }; /* files that a message names */

/* Something found in a file. At most CHECK_SHOWN + 1 others are kept; all twins are. */
struct check_found {
    enum check_kind kind;
    enum check_severity severity;
    uint32_t line;
    size_t order;   /* among those of the same line and kind */
    str what;       /* the link, subpath, id or name as written */
    file_id target; /* of a link; NO_FILE: none */
    uint32_t other_line;
    bool embed; /* of a link */
    bool alias; /* of CHECK_NAME: what is an alias, not the title */
    bool tasks; /* of CHECK_STALE: number is that of open tasks */
    uint32_t
        number; /* of files that link here; of CHECK_DUPLICATE: percent; of CHECK_POLICY:
                        enum policy */
    int64_t changed; /* of CHECK_STALE: seconds since 1970 */
    const file_id *others;
    size_t n_others;
};

/* A name of a note. */
struct check_called {
    str folded;
    file_id file;
    bool alias;
};

/* Collected before the first file is checked. */
struct check_facts {
    const struct index *index;
    const struct check_limits *limits;
    unsigned kinds;
    struct check_called *called; /* by name, titles first, then by path */
    size_t n_called;
    bool *orphan;     /* by id */
    uint32_t *linked; /* by id: files that link there; NULL: not needed */
    bool *hub;        /* by id; the same */
    file_id *hubs;    /* these, most links first */
    size_t n_hubs;
    int64_t stale_before;         /* seconds since 1970 */
    struct duplicate *duplicates; /* by id; NULL: not needed */
    struct schemas schemas;       /* if CHECK_VALUE is wanted */
    bool partial;                 /* it was stopped before it knew all of this */
};

/* --- notes that stand out (check_notes.c) --- */

void check_notes_learn(const struct check_limits *limits, struct arena *a,
                       struct check_facts *facts);

/* What stands out about a note: at most CHECK_NOTES_MAX of these. */
enum { CHECK_NOTES_MAX = 3 };
size_t check_notes_find(const struct check_facts *facts, const struct file *f,
                        struct check_found out[CHECK_NOTES_MAX]);

void check_learn(const struct index *x, struct arena *a,
                 const struct check_limits *limits, struct check_facts *out);

/* Everything found in f, by line and kind; in the arena. */
size_t check_file(const struct check_facts *facts, struct arena *a, const struct file *f,
                  struct check_found **out);
