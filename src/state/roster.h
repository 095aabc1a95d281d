/*
 * roster - the table of vaults in the store: which there are, and who may use which.
 *
 * It only keeps texts: the callers know which names and folders are valid. Names that
 * differ only in the case of ASCII letters are the same. A vault that nobody was allowed to
 * use can be used by nobody; ROSTER_EVERYBODY allows everyone who has signed in.
 */
#pragma once

#include "state/store.h"

#define ROSTER_EVERYBODY "*"

enum {
    ROSTER_MAX = STORE_ROWS_MAX, /* vaults */
    ROSTER_PERSON_MAX = 256,     /* bytes in a person's name */
    ROSTER_TEXT_MAX = 4096,      /* bytes in a folder or remote */
};

struct roster_row {
    str name;
    str folder; /* an absolute path; empty: that of its name in the folder of all vaults */
    str remote; /* a URL; empty: none */
    int64_t created;
    str *people; /* who may use it, sorted */
    size_t n_people;
};

struct roster {
    struct roster_row *rows; /* the oldest first */
    size_t n;
};

/* Everything, in the arena. */
MUST_CHECK bool roster_read(struct store *s, struct arena *a, struct roster *out,
                            struct err *err);

/* Fails with ERR_EXISTS for a name that is taken, and with ERR_LIMIT. Of the row, only name,
 * folder and remote are used. */
MUST_CHECK bool roster_add(struct store *s, const struct roster_row *row,
                           struct err *err);

/* The rest fail with ERR_NOT_FOUND if there is no such vault. */
MUST_CHECK bool roster_remove(struct store *s, str name, struct err *err);
MUST_CHECK bool roster_allow(struct store *s, str name, str person, struct err *err);

/* Also with ERR_NOT_FOUND if the person was not allowed. */
MUST_CHECK bool roster_deny(struct store *s, str name, str person, struct err *err);
