/*
 * journal - every change of a vault, with the contents it replaced.
 *
 * Append-only files ("segments") in a folder of the state directory. A record is a line
 * of JSON, the old contents, and a line with the SHA-256 of both and of the previous
 * record. This chain makes any alteration or loss noticeable. The record of a change is
 * on disk before its first file is touched; its end is recorded later, without a sync.
 * Records contain paths and contents of notes, names of tools and users, and no secrets
 * of vaultd.
 *
 * Several processes may share a journal: hold the lock while using it. For one thread at
 * a time.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/stop.h"

enum {
    JOURNAL_SEGMENT_MAX = 16 << 20, /* bytes, then a new segment begins, or earlier: */
    JOURNAL_SEGMENT_PART = 16,      /* when it is this part of all bytes: 1/16 */
    JOURNAL_OPS_MAX = 200000,       /* in one change */
    JOURNAL_KEPT_BYTES = 1 << 30,   /* all segments, unless the settings say otherwise */
    JOURNAL_KEPT_DAYS = 90,         /* older segments are dropped */
    JOURNAL_SAFE_DAYS = 30,         /* younger ones never, however large they are */
    JOURNAL_GRANT_PART = 4,         /* one grant may fill this part of the bytes: 1/4 */
    JOURNAL_UNDO_PART = 8,          /* this part is left for undoing: 1/8 */
    JOURNAL_OPEN_MS = 1000,         /* to wait for other processes when it is opened */
};

enum journal_kind {
    JOURNAL_WRITE,         /* create path, or replace its content */
    JOURNAL_MOVE,          /* move file or folder path to `to` */
    JOURNAL_DELETE,        /* delete file path */
    JOURNAL_MAKE_FOLDER,   /* make path */
    JOURNAL_REMOVE_FOLDER, /* remove path, which is empty */
};

/* Which file or folder it is. Names are given to others, and inodes to new files, which
 * the time of creation tells; 0: not known. */
struct journal_identity {
    uint64_t inode;
    int64_t born_ns, size;
};

struct journal_op {
    enum journal_kind kind;
    str path, to;
    bool existed;               /* of WRITE: there was a file before */
    bool folder;                /* of MOVE: it is a folder */
    struct journal_identity is; /* of what was at path; after a MOVE it is at `to` */
    struct hash_content before; /* of a file that existed */
    struct hash_content after;  /* of WRITE and MOVE: what it leaves; 0: not known. Of a
                                   folder, that of its names */
    unsigned mode;              /* of a removed file or folder; 0: unknown */
    str old;                    /* the content before */
};

struct journal_change {
    uint64_t number;  /* ascending; assigned by journal_append */
    int64_t time;     /* seconds since 1970 */
    int64_t dated;    /* the date that was believed (monotonic_date.h); 0: time */
    bool confirmed;   /* the user was asked */
    bool concealed;   /* clients are not to learn of it */
    str tool;         /* that was called */
    str who, client;  /* the user and the program; empty if unknown */
    str grant;        /* whose budget it counts against; empty: none */
    str accepted_by;  /* who accepted the proposal that it was; empty: it was none */
    str key, request; /* to recognise repeated calls: the client's key, and the request */
    str answer;       /* the answer of the call, opaque here */
    uint64_t undoes;  /* the change that this one undoes; 0: none */
    uint64_t files; /* that it touches, with those in moved folders; 0: as many as ops */
    struct journal_op *ops;
    size_t n;
};

enum journal_state { JOURNAL_OPEN, JOURNAL_DONE, JOURNAL_ABORTED };

/* A change in the list, without its contents. */
struct journal_entry {
    uint64_t number, undoes;
    uint64_t undone_by; /* the change that undid this one; 0: none */
    int64_t time, dated;
    enum journal_state state;
    uint64_t key, grant; /* hashes; 0: none */
    size_t size;         /* bytes of its record */
    uint64_t files;      /* that it touches */
    uint64_t only;       /* a hash of the path, if it is one; else 0 */
    bool confirmed;
    bool hidden; /* it moves or deletes something in a hidden folder, such as the trash */
};

struct journal;

/* folder is created if missing (0700). An incomplete record at the end is cut off. If
 * another process has it locked for longer than JOURNAL_OPEN_MS, it is read later, by
 * journal_lock(). */
MUST_CHECK bool journal_open(const char *folder, struct journal **out, struct err *err);
void journal_close(struct journal *j);

/* Wait for other processes until stop says so (BUSY), then read what they wrote. */
MUST_CHECK bool journal_lock(struct journal *j, const struct stop *stop, struct err *err);
void journal_unlock(struct journal *j);

/* All changes kept, oldest first; valid until the next append or lock. */
size_t journal_entries(const struct journal *j, const struct journal_entry **out);
const struct journal_entry *journal_find(const struct journal *j, uint64_t number);

/* The latest change before a number that is neither undone nor an undo; 0: none. */
uint64_t journal_undoable(const struct journal *j, uint64_t before);

/* "write", "move" and so on, for people. */
str journal_kind_name(enum journal_kind kind);

/* The number of the first change of a journal that is empty; 1, unless this is called. */
void journal_begin_at(struct journal *j, uint64_t first);

/* The number that the next change gets. */
uint64_t journal_next(const struct journal *j);

/* Write c durably and assign its number. It is open until journal_end(), and stays open
 * if that fails. */
MUST_CHECK bool journal_append(struct journal *j, struct journal_change *c,
                               struct err *err);
void journal_end(struct journal *j, uint64_t number, enum journal_state state);

/* A whole change, in the arena; without old contents if !contents. Fails with
 * CHANGE_NOT_FOUND, or JOURNAL_DAMAGED if the record is not what was written. */
MUST_CHECK bool journal_read(const struct journal *j, struct arena *a, uint64_t number,
                             bool contents, struct journal_change *out, struct err *err);

/* Sets the error for a change that does not exist. Returns false. */
bool journal_not_found(struct err *err, uint64_t number);

/* The latest change with that key since a date; NULL if there is none. */
const struct journal_entry *journal_with_key(const struct journal *j, str key,
                                             int64_t since);

/* Read everything and check the chain; the error says where it breaks. *n: changes. */
MUST_CHECK bool journal_verify(const struct journal *j, size_t *n, struct err *err);

/* Drop the segments whose records are all older than that. The segment in use always
 * stays. */
void journal_prune(struct journal *j, int64_t older_than);

/*
 * Make room for c, in a journal of that many bytes: drop what is older than
 * JOURNAL_KEPT_DAYS, and if that is not enough, what is older than JOURNAL_SAFE_DAYS. c
 * has its date. Fails with HISTORY_FULL if there is no room, or if the grant has used up
 * its part.
 */
MUST_CHECK bool journal_make_room(struct journal *j, const struct journal_change *c,
                                  size_t bytes, struct err *err);

/* The files that a grant changed since a date, since a time by the clock, and since the
 * user was last asked. One that was changed alone counts once, others in each change. */
size_t journal_files_by(const struct journal *j, str grant, int64_t since, int64_t time);

/* The newest date of all records; 0: there are none. */
int64_t journal_newest(const struct journal *j);
