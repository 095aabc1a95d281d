/*
 * journal - every change of a vault, with what was there before.
 *
 * Append-only files ("segments") in a folder of the state directory. A record is a line
 * of JSON, the old contents as they were, and a line with the SHA-256 of both and of the
 * record before: a chain, so that whatever was altered or lost in it is noticed. A change
 * is on disk before its first file is touched; its end is noted later and lazily. Records
 * hold paths and contents of notes, names of tools and users, never a secret of ours.
 *
 * Several processes may share it: hold the lock while using it. Not safe for two threads
 * at a time.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "base/hash.h"

enum {
    JOURNAL_SEGMENT_MAX = 16 << 20, /* bytes, then a new segment begins */
    JOURNAL_OPS_MAX = 200000,       /* in one change */
    JOURNAL_KEPT_BYTES = 256 << 20, /* the oldest segments beyond it are dropped, */
    JOURNAL_KEPT_DAYS = 90,         /* and those that are older */
};

enum journal_kind {
    JOURNAL_WRITE,         /* path gets new content, or comes to be */
    JOURNAL_MOVE,          /* file or folder path becomes to */
    JOURNAL_DELETE,        /* file path is gone */
    JOURNAL_MAKE_FOLDER,   /* path */
    JOURNAL_REMOVE_FOLDER, /* path, empty */
};

struct journal_op {
    enum journal_kind kind;
    str path, to;
    bool existed;               /* of WRITE: there was a file before */
    struct hash_content before; /* of a file that existed */
    struct hash_content after;  /* of WRITE */
    unsigned mode;              /* of a file or folder that is taken away; 0: not known */
    str old;                    /* its content before */
};

struct journal_change {
    uint64_t number;  /* from 1, in order; given by journal_append */
    int64_t time;     /* seconds since 1970 */
    str tool;         /* what was called */
    str who, client;  /* by whom, through what; empty if not known */
    str key, request; /* for repeated calls: the client's key, and what was asked */
    str answer;       /* what was answered to it, the caller's own text */
    uint64_t undoes;  /* the change this one takes back; 0: none */
    struct journal_op *ops;
    size_t n;
};

enum journal_state { JOURNAL_OPEN, JOURNAL_DONE, JOURNAL_ABORTED };

/* One line of the list. */
struct journal_entry {
    uint64_t number, undoes;
    uint64_t undone_by; /* a change that took this one back; 0: none */
    int64_t time;
    enum journal_state state;
    uint64_t key; /* hash of the key; 0: none */
};

struct journal;

/* folder is made if it is missing (0700). A torn record at the end is cut off. */
MUST_CHECK bool journal_open(const char *folder, struct journal **out, struct err *err);
void journal_close(struct journal *j);

/* Wait for other processes, then see what they wrote. */
MUST_CHECK bool journal_lock(struct journal *j, struct err *err);
void journal_unlock(struct journal *j);

/* All that are kept, oldest first; valid until the next append or lock. */
size_t journal_entries(const struct journal *j, const struct journal_entry **out);
const struct journal_entry *journal_find(const struct journal *j, uint64_t number);

/* The latest change before a number that was neither undone nor is an undo itself; 0:
 * there is none. */
uint64_t journal_undoable(const struct journal *j, uint64_t before);

/* "write", "move" and so on, for people. */
str journal_kind_name(enum journal_kind kind);

/* Write c durably and give it its number. It is open until it is ended, which may fail:
 * then it stays open. */
MUST_CHECK bool journal_append(struct journal *j, struct journal_change *c,
                               struct err *err);
void journal_end(struct journal *j, uint64_t number, enum journal_state state);

/* A change with everything, in the arena; without old contents if !contents. Fails with
 * CHANGE_NOT_FOUND, or JOURNAL_DAMAGED when it is not what was written. */
MUST_CHECK bool journal_read(const struct journal *j, struct arena *a, uint64_t number,
                             bool contents, struct journal_change *out, struct err *err);

/* That it is not there. Returns false. */
bool journal_not_found(struct err *err, uint64_t number);

/* The latest change with that key since a time; NULL if there is none. */
const struct journal_entry *journal_with_key(const struct journal *j, str key,
                                             int64_t since);

/* Read everything and check the chain. *n: changes seen. Says where it is broken. */
MUST_CHECK bool journal_verify(const struct journal *j, size_t *n, struct err *err);

/* Drop the oldest segments above the caps. The segment in use always stays. */
void journal_prune(struct journal *j, size_t kept_bytes, int64_t older_than);
