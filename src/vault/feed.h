/*
 * feed - what has changed in a vault, whoever changed it: a log of its files, of bounded
 * size, in a file of the state folder.
 *
 * Each entry has a time, in milliseconds, that is later than those of all before it, so a
 * time is a position in the log; feed_cursor() makes it a number that also says of which log.
 * Several processes may append to one log: who notices a change first adds it, and the
 * others find that it is known, by the state that it leaves. A file that changes again and
 * again by the same hand within FEED_MERGE_MS has one entry. The oldest entries are dropped,
 * and the log knows from which time on it is complete.
 *
 * Knows no index and no callers: vault_feed.h does. One thread appends; feed_read() is for
 * any thread.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/lock.h"
#include "base/map.h"
#include "base/os/file.h"
#include "base/stop.h"

enum {
    FEED_MAX = 10000,             /* entries that are kept */
    FEED_BYTES_MAX = 4 << 20,     /* of the file; then half of it is dropped */
    FEED_NAME_MAX = 200,          /* bytes of the name of a user, client or tool */
    FEED_MERGE_MS = 10 * 60000,   /* between two changes of a file that become one */
    FEED_OVERLAP_MS = 10 * 60000, /* by which a cursor of another log is earlier */
    FEED_LOCK_MS = 5000,          /* to wait for other processes */
    FEED_TAG_BITS = 11,
};

enum feed_kind { FEED_CREATED, FEED_CHANGED, FEED_MOVED, FEED_DELETED };
enum { FEED_KINDS = FEED_DELETED + 1 };
extern const char *const feed_kind_names[FEED_KINDS]; /* "created" and so on */

struct feed_entry {
    int64_t at;
    enum feed_kind kind;
    str path, from;           /* from: of FEED_MOVED */
    bool concealed;           /* clients are not to learn of it */
    str who, client, tool;    /* empty: another program */
    uint64_t change;          /* in the journal; or 0 */
    struct hash_content left; /* the state of path afterwards; 0: it is gone */
    bool over;                /* a later entry has taken its place */
};

/* The entries in memory, and what they say about each path. */
struct feed_log {
    struct arena arena;
    struct feed_entry *items;
    size_t n, over;
    struct map paths;
    uint32_t *latest; /* the entry, by the number of the path */
    int64_t since;    /* complete after this time */
    unsigned tag;     /* of this log, not 0 */
};

struct feed {
    char *path; /* or NULL: only in memory */
    struct lock lock;
    struct feed_log log;   /* changed with the lock, by one thread */
    int64_t seen;          /* everything up to this time is in the log; with the lock */
    struct file_stat file; /* that was read up to: */
    uint64_t size;
};

void feed_init(struct feed *f, const char *path);
void feed_release(struct feed *f);

/*
 * Read what others have added, and add those of the n entries that are not known, which get
 * their times. gap: what happened before is not known. Fails if the file cannot be locked,
 * read or written: then call it again with the same entries.
 */
MUST_CHECK bool feed_add(struct feed *f, const struct feed_entry *fresh, size_t n,
                         bool gap, const struct stop *stop, struct err *err);

/* Make everything durable. */
MUST_CHECK bool feed_sync(struct feed *f, struct err *err);

/* --- for the thread that appends --- */

/* Whether a change of the journal is in the log, for that path. */
bool feed_has_change(const struct feed_log *l, uint64_t change, str path);

/* --- for all --- */

/* A copy of the log's entries, of which those that are over are left out. */
struct feed_copy {
    struct feed_entry *items;
    size_t n;
    int64_t since, seen;
    unsigned tag;
};
void feed_read(struct feed *f, struct arena *a, struct feed_copy *out);

int64_t feed_cursor(int64_t at, unsigned tag);
void feed_cursor_parts(int64_t cursor, int64_t *at, unsigned *tag);
