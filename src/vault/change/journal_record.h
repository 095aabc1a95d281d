/*
 * journal_record - the format of one record. Private to journal*.c and proposal.c.
 */
#pragma once

#include "base/json.h"
#include "vault/change/journal.h"

enum {
    JOURNAL_CHAIN = 64,  /* hex digits of a SHA-256 */
    JOURNAL_VERSION = 1, /* of the format; records of the first one do not say it */
};

static inline bool journal_is_of_file(const struct journal_op *op)
{
    return op->kind != JOURNAL_MAKE_FOLDER && op->kind != JOURNAL_REMOVE_FOLDER;
}

/* The name of a kind, and back; a hash as 32 digits, and the member of an object that is
 * one. */
str journal_print_kind(enum journal_kind kind);
bool journal_parse_kind(str name, enum journal_kind *out);
str journal_print_hash(struct arena *a, struct hash_content h);
bool journal_parse_hash(const struct json *j, str key, struct hash_content *out);

/* Operations that do not only make or remove a folder. */
size_t journal_file_ops(const struct journal_change *c);

/* The JSON line of a record, parsed. */
struct journal_line {
    bool newer;  /* it needs a newer version: nothing else is known of it */
    bool is_end; /* else a change */
    uint64_t of; /* the change that ended */
    bool ok;
    struct journal_change change; /* of old contents, only the length is set */
    size_t old_bytes;             /* of all old contents, which follow the line */
};

/* A whole record that follows one with that chain; chain becomes the new record's. */
str journal_print_change(struct arena *a, const struct journal_change *c,
                         char chain[JOURNAL_CHAIN]);
str journal_print_end(struct arena *a, uint64_t number, bool ok,
                      char chain[JOURNAL_CHAIN]);

/* The JSON line alone. Strings point into line or the arena. */
MUST_CHECK bool journal_parse(struct arena *a, str line, struct journal_line *out,
                              struct err *err);

/*
 * Length of the record at the start of text; 0 if it is cut off. Fails if it is not a
 * record or does not follow the chain `follows` (NULL: not checked). chain becomes its
 * own.
 */
MUST_CHECK bool journal_measure(struct arena *a, str text, const char *follows,
                                char chain[JOURNAL_CHAIN], struct journal_line *line,
                                size_t *length, struct err *err);
