/*
 * journal_parts - the journal's segments. Private to journal*.c.
 */
#pragma once

#include "base/os/file.h"
#include "vault/change/journal.h"
#include "vault/change/journal_record.h"

/* A file of records. */
struct journal_segment {
    uint64_t first; /* part of its name; no change in it has a lower number */
    size_t size;    /* bytes read or written so far */
    int64_t newest; /* date of its records */
    bool damaged;   /* the bytes after size cannot be read; they are kept */
    bool ended;     /* the next record begins a new one */
};

/* The position of a change. */
struct journal_place {
    uint64_t segment; /* by its first number */
    size_t at, size;
};

struct journal {
    int dir, lock;
    char chain[JOURNAL_CHAIN];
    uint64_t next;
    uint64_t first; /* the number of the first change ever */
    struct journal_segment *segments;
    size_t n_segments;
    struct journal_entry *entries;
    struct journal_place *places; /* of the entries */
    size_t n;
};

/* The chain before the first record ever. */
extern const char journal_first_chain[JOURNAL_CHAIN + 1];

enum { JOURNAL_FILE_NAME = 64 };
int journal_change_file(const struct journal *j, uint64_t first, enum file_own how);

/*
 * At most `most` bytes of a segment, from a byte on; one that does not exist (any more) is
 * empty. They are read and not mapped: another program may truncate the file at any time.
 */
struct journal_bytes {
    str bytes;
    size_t file;  /* the size of the segment */
    void *memory; /* of bytes, to be freed; or NULL */
};
MUST_CHECK bool journal_load(const struct journal *j, uint64_t first, size_t from,
                             size_t most, struct journal_bytes *out, struct err *err);

/*
 * List the segments and read what was added since. If this fails, nothing may be written:
 * it would overwrite records that were not read.
 */
MUST_CHECK bool journal_read_on(struct journal *j, struct err *err);

/* s has a record of c now. */
void journal_date_segment(struct journal_segment *s, const struct journal_change *c);

/* Never 0, except for an empty text. */
uint64_t journal_hash_of(str key);

void journal_drop_segments(struct journal *j, size_t n);

struct journal_segment *journal_add_segment(struct journal *j, uint64_t first);
void journal_add_entry(struct journal *j, const struct journal_change *c,
                       struct journal_place place);
void journal_end_entry(struct journal *j, uint64_t number, enum journal_state state);
