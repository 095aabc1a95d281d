/*
 * vault_table - the table of vaults in the store: which there are, and who may use which.
 *
 * It only keeps texts: the callers know which names and folders are valid. Names that
 * differ only in the case of ASCII letters are the same. A vault has no users until some are
 * allowed; VAULT_TABLE_EVERYBODY allows everyone who has signed in.
 *
 * A vault gets an identity when it is added, which no other one ever has, also not a later
 * one of the same name. Whatever is kept about a vault is kept under its identity: who may
 * use it, what callers have seen of it, its journal and index.
 */
#pragma once

#include "state/store.h"

#define VAULT_TABLE_EVERYBODY "*"

enum {
    VAULT_TABLE_MAX = STORE_ROWS_MAX, /* vaults */
    VAULT_TABLE_PERSON_MAX = 256,     /* bytes in a person's name */
    VAULT_TABLE_TEXT_MAX = 4096,      /* bytes in a folder or remote */
};

/* Where a vault that was added before there were identities has its state: under the hash
 * of its path. */
#define VAULT_TABLE_EARLIER "earlier-"

struct vault_table_person {
    str name;
    int64_t place; /* when they were allowed: less than that of others allowed later */
};

struct vault_table_row {
    str identity; /* lower case letters, digits, '-' and '_' */
    str name;
    str folder; /* an absolute path; empty: that of its name in the folder of all vaults */
    str remote; /* a URL; empty: none */
    int64_t created;
    struct vault_table_person *people; /* who may use it, sorted by name */
    size_t n_people;
};

struct vault_table {
    struct vault_table_row *rows; /* in the order they were added in */
    size_t n;
};

/* Everything, in the arena. If the table changes meanwhile, a vault may be missing, or
 * people, but none has the people of another. */
MUST_CHECK bool vault_table_read(struct store *s, struct arena *a,
                                 struct vault_table *out, struct err *err);

/* Fails with ERR_EXISTS for a name that is taken, and with ERR_LIMIT. Of the row, only name,
 * folder and remote are used; its identity is made. */
MUST_CHECK bool vault_table_add(struct store *s, const struct vault_table_row *row,
                                struct err *err);

/* Fails with that ERR_EXISTS. */
bool vault_table_taken(str name, struct err *err);

/* The rest fail with ERR_NOT_FOUND if there is no such vault. */
MUST_CHECK bool vault_table_remove(struct store *s, str name, struct err *err);
MUST_CHECK bool vault_table_allow(struct store *s, str name, str person, struct err *err);

/* Also with ERR_NOT_FOUND if the person was not allowed. */
MUST_CHECK bool vault_table_deny(struct store *s, str name, str person, struct err *err);

/* In all vaults; *denied: in how many. */
MUST_CHECK bool vault_table_forget(struct store *s, str person, int *denied,
                                   struct err *err);
