/*
 * check_find - the inside of check.h: what is wrong with one file, before it is put into
 * words. Private to check*.c.
 */
#pragma once

#include "vault/ask/check.h"

enum { CHECK_SHOWN = 3 }; /* files that a message names */

/* Something found in a file. Of others, only the first CHECK_SHOWN + 1 may be there. */
struct check_found {
    enum check_kind kind;
    enum check_severity severity;
    uint32_t line;
    size_t order;   /* of those of one line and kind */
    str what;       /* the link, subpath, id or name as it is written */
    file_id target; /* where a link leads; NO_FILE: nowhere */
    uint32_t other_line;
    bool embed; /* of a link */
    bool alias; /* of CHECK_NAME: what is an alias, else the title */
    const file_id *others;
    size_t n_others;
};

/* A name that a note has. */
struct check_called {
    str folded;
    file_id file;
    bool alias;
};

/* What is known before the first file is looked at. */
struct check_facts {
    const struct index *index;
    unsigned kinds;
    struct check_called *called; /* by name, titles first, then by path */
    size_t n_called;
    bool *orphan; /* by id */
};

void check_learn(const struct index *x, struct arena *a, unsigned kinds,
                 struct check_facts *out);

/* Everything found in f, by line and kind; in the arena. */
size_t check_file(const struct check_facts *facts, struct arena *a, const struct file *f,
                  struct check_found **out);
