/*
 * change_parts - steps of a change. Private to change*.c.
 */
#pragma once

#include <stdatomic.h>

#include "base/lock.h"
#include "base/map.h"
#include "base/monotonic_date.h"
#include "base/timed_lock.h"
#include "vault/change/change.h"
#include "vault/change/change_moves.h"

struct changes {
    const struct fs_root *root;
    struct journal *journal;
    char *folder; /* of the journal */
    size_t bytes; /* of the journal */
    struct monotonic_date witness;
    atomic_bool doubt; /* about the clock */
    int vault;         /* the root again, to lock out servers with another state folder */
    struct timed_lock lock;
    atomic_bool closing;
    /* Since when another program keeps changes from being made (clock_ms(); 0: none
     * does), when it was last seen in the way, and which one it is; written with the
     * lock. */
    atomic_uint_fast64_t blocked, seen;
    _Atomic(const char *) blocker;
};

/* Paths, and the operation of the change that was last recorded for each. */
struct change_paths {
    struct map map;
    uint32_t *ops;
    size_t n;
};

/* A change being made: the operations as recorded in the journal, and the new texts. */
struct making {
    struct changes *c;
    const struct fs_root *root; /* with the caller's limits */
    struct arena *a;
    const struct change_guard *guard;
    struct journal_change record;
    struct fs_seen *was; /* by operation: a file, when it was planned */
    str *texts;
    unsigned *modes; /* of new files and folders; 0: the default */
    size_t temps, done;
    struct map brought;                    /* what moves lead to */
    struct map looked;                     /* parent folders: they exist, or will */
    struct map made;                       /* folders that are made */
    struct change_paths written, arrivals; /* of files written; to which moves lead */
};

/* Operations are made in the order of their phases, 0 to 3. */
int change_phase(enum journal_kind kind);

/* The date to give to a change, and to drop old ones by. */
int64_t change_date(struct changes *c, int64_t now);

/* Look at the files, check that they are as expected, and list the operations. */
MUST_CHECK bool change_plan(struct making *m, const struct change *change,
                            struct err *err);

/* Like changes_make(), for callers that hold the journal, of a request that is new. */
MUST_CHECK bool change_make_held(struct changes *c, struct arena *a,
                                 const struct change *change, struct change_result *out,
                                 struct err *err);

/* changes_was_made() for callers that hold the journal; and the result of a repeated
 * request. */
MUST_CHECK bool change_was_made(struct changes *c, struct arena *a,
                                const struct idempotency *once,
                                struct journal_change *before, struct err *err);
struct change_result change_repeated(const struct journal_change *before);

/* Whether a failure is caused by the disk or system, so that a retry may succeed. */
bool change_may_pass(const struct err *err);

/* The state of an operation of the journal; UNKNOWN: the disk cannot be read. path is
 * where its file or folder should be now; for a move, its final destination. */
enum change_state { CHANGE_BEFORE, CHANGE_AFTER, CHANGE_OTHER, CHANGE_UNKNOWN };
enum change_state change_look(const struct fs_root *root, struct arena *a,
                              const struct journal_op *op, str path, struct err *err);

/* Record what is at path as what op moves: identity and hash. A missing file has none. */
MUST_CHECK bool change_identify(const struct fs_root *root, struct arena *a, str path,
                                struct journal_op *op, struct err *err);

/* Before the next operation is recorded: that it writes path; what it moves, as it will be
 * when the operations before it are made. */
void change_remember_write(struct making *m, str path);
MUST_CHECK bool change_plan_move(struct making *m, struct journal_op *op,
                                 struct err *err);

/* Whether the journal says which file or folder op moved; older versions did not. */
bool change_is_recorded(const struct journal_op *op);

/* Whether both are one file or folder; false if the file system does not tell. */
bool change_is_same(const struct journal_identity *a, const struct journal_identity *b);

/* AFTER: what op moved is at path, whatever its text is by now; BEFORE: nothing is there;
 * OTHER: something else is. If that is not recorded, anything is AFTER. */
enum change_state change_find_moved(const struct fs_root *root, struct arena *a,
                                    const struct journal_op *op, str path,
                                    struct err *err);

/* The changes since one of them, as far as the journal tells; read when first asked for,
 * once. {.since = number} has not been read. */
struct change_later {
    uint64_t since;
    bool read, complete; /* complete: all of them are there */
    struct later_change *changes;
    size_t n;
};

/* ", by changes 7, 5": the latest of them that are about a path; what others have done is
 * not known. */
str change_later_about(struct changes *c, struct arena *a, struct change_later *l,
                       str path);

/* Whether vaultd itself has replaced what a move left at path, in changes since, and all
 * that is there is theirs. */
bool change_is_replaced(struct changes *c, struct arena *a, struct change_later *l,
                        const struct journal_op *op, str path);

/* AFTER: path exists. Whether it is found only because the file system ignores case: it is
 * spelled as `to`. */
enum change_state change_look_for(const struct fs_root *root, struct arena *a, str path,
                                  struct err *err);
bool change_is_respelled(const struct fs_root *root, struct arena *a, str path, str to);

/* Make or revert one operation; temp is the name of its temporary file, was what its file
 * was, mode is for a new folder. */
MUST_CHECK bool change_do(const struct fs_root *root, struct arena *a,
                          const struct journal_op *op, const struct fs_seen *was,
                          unsigned mode, const char *temp, struct err *err);
MUST_CHECK bool change_revert(const struct fs_root *root, struct arena *a,
                              const struct journal_op *op, const char *temp,
                              struct err *err);

/* Revert the first n operations of a change, as far as they were made. Files that others
 * changed in the meantime stay as they are; fails if the disk does. */
MUST_CHECK bool change_revert_all(struct changes *c, struct arena *a,
                                  const struct journal_change *change, size_t n,
                                  struct err *err);

/* The place of a file that was seen before: a symlink that is there now is not followed if
 * there was none. was may be NULL. */
MUST_CHECK bool change_place(const struct fs_root *root, struct arena *a, str path,
                             const struct fs_seen *was, struct fs_place *out,
                             struct err *err);

/* Make the directory entries of a change durable, whether it was made or reverted; was: what
 * its files were, or NULL. */
MUST_CHECK bool change_sync(const struct fs_root *root, struct arena *a,
                            const struct journal_change *c, const struct fs_seen *was,
                            struct err *err);

/* The temporary file of operation i of a change. */
enum { CHANGE_TEMP_NAME = 80 };
void change_temp_name(char out[CHANGE_TEMP_NAME], const struct journal_change *c,
                      size_t i);

/* Remove leftover temporary files of a change, unless they hold someone else's text. */
void change_drop_temps(struct changes *c, struct arena *a,
                       const struct journal_change *change);

/*
 * If the last change in the journal is open (left by this process or one that died),
 * record that it is complete, or roll it back. No other change can be made until that
 * succeeds.
 */
MUST_CHECK bool change_recover(struct changes *c, struct err *err);
