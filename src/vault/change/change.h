/*
 * change - file operations that are made together or not at all, and can be undone.
 *
 * A change is recorded in the journal (journal.h) with everything it replaces, then made
 * through temporary files next to their targets (base/fs_edit.h). When the call returns,
 * the change is on disk. After a failure everything is as before. After a crash, the next
 * start finds out how far the change got and rolls back what is half done. Edits made by
 * others in the meantime are never overwritten: the change fails and says so. This module
 * knows only files; the callers decide what to write and keep the index up to date.
 *
 * There is one change at a time, across threads and across processes that use the same
 * vault, even with different state folders (if the file system supports locks).
 */
#pragma once

#include "base/fs_edit.h"
#include "vault/change/journal.h"

enum {
    CHANGE_FILE_MAX = FS_EDIT_MAX,  /* bytes of a file, old or new */
    CHANGE_REPEAT_S = 24 * 60 * 60, /* how long an idempotency key is remembered */
    CHANGE_LOCK_MS = 10000,         /* how long to wait for other threads and programs */
    CHANGE_REOPEN_MS = 250,         /* the same to open another folder; all wait then */
};

enum change_expects {
    CHANGE_ANY,  /* whatever is there */
    CHANGE_NEW,  /* nothing is there */
    CHANGE_SAME, /* a file whose hash is `was` */
};

struct change_op {
    enum journal_kind kind;
    str path, to; /* clean, from the root; hidden paths only for vaultd's own files */
    str text;     /* of WRITE */
    enum change_expects expects; /* of a file that is written, deleted or moved */
    struct hash_content was;
    unsigned mode; /* of a new file or folder; 0: the default */
};

/* On whose behalf a change is made, as the journal records it. */
struct actor {
    str tool, who, client;
    str grant;       /* whose budget it counts against; empty: no budget */
    bool confirmed;  /* the user was asked */
    str accepted_by; /* who accepted it, if it was a proposal (proposal.h); or empty */
};

/* A request that is made only once for CHANGE_REPEAT_S; no key: as often as it is
 * sent. */
struct idempotency {
    str key, request;
    str answer; /* stored, and returned if the request is repeated */
    str owner;  /* who proposes it (actor.grant): proposals of others are not repeated */
};

/* What the vault allows while a change is made; all zeros: everything. */
struct change_guard {
    /* The vault as the caller may use it: the root of changes_open(), with limits to
     * where symlinks lead. */
    const struct fs_root *root;

    /* Called when everything is on disk, before the change counts: a failure reverts all
     * of it. Runs while the journal is held. */
    bool (*precommit)(void *arg, struct err *err);
    void *precommit_arg;
};

/*
 * Operations are made in this order: folders made, files written and deleted, moves,
 * folders removed; within each as listed. So a file that is written and moved is written
 * under its old path. Missing parent folders of new files are made automatically. A
 * change should not move or remove what it made or moved itself, nor move something to a
 * path where it deletes a file: that can be made, but not undone.
 */
struct change {
    struct actor by;
    struct idempotency once;
    struct change_guard guard;
    struct change_op *ops;
    size_t n;
    uint64_t undoes;
    uint64_t files; /* that it touches, with those in moved folders; 0: as many as ops */
    bool concealed; /* clients are not to learn of it */
};

struct change_result {
    uint64_t number;
    bool repeated; /* made by an earlier call, whose answer this is */
    str answer;
    str proposal; /* of vault_made_before(): it was proposed, under this id; or empty */
    str *paths;   /* files and folders that have changed, in the arena */
    size_t n_paths;
    const struct change_op *undoing; /* of an undo: its operations */
    size_t n_undoing;
    uint64_t files; /* of an undo: with those in folders that it moves; 0: as many */
};

struct changes;

/*
 * For the vault at root (borrowed), with the journal in folder. Recovers from a crash: an
 * unfinished change is completed in the journal or rolled back.
 */
MUST_CHECK bool changes_open(const struct fs_root *root, const char *folder,
                             struct changes **out, struct err *err);
void changes_close(struct changes *c);

/* The size of the journal (journal.h) instead of JOURNAL_KEPT_BYTES; before changes are
 * made. */
void changes_limit(struct changes *c, size_t bytes);

/* As journal_begin_at(); before anything else is done with them. */
void changes_begin_at(struct changes *c, uint64_t first);

/* Threads that wait for other threads or programs give up. NULL is fine. */
void changes_stop(struct changes *c);

/* The program that keeps changes from being made, by a lock of the vault or its journal,
 * and for how long it has been in the way; NULL: none was, in the last CHANGE_LOCK_MS. */
const char *changes_blocked(struct changes *c, uint64_t *ms);

/*
 * Fails with ERR_CONFLICT, ERR_EXISTS or ERR_NOT_FOUND if a file is not as expected, with
 * HISTORY_FULL if what it replaces cannot be kept for undo, with the names of fs_edit.h
 * if the disk fails; then nothing is changed. A change that changes nothing succeeds and
 * gets number 0.
 */
MUST_CHECK bool changes_make(struct changes *c, struct arena *a,
                             const struct change *change, struct change_result *out,
                             struct err *err);

/* Whether the same request was made before: then *before is that change, without old
 * texts, else its number is 0. Fails with KEY_REUSED if it was another request. */
MUST_CHECK bool changes_was_made(struct changes *c, struct arena *a,
                                 const struct idempotency *once,
                                 struct journal_change *before, struct err *err);

/* The failure when a key was used for something else. Returns false. */
bool change_key_reused(struct err *err);

/*
 * Undo a change by making its inverse as a new change (which can be undone, too): *undo
 * says who asks, and gets the operations. Fails with ERR_CONFLICT, naming the files that
 * have changed since.
 */
MUST_CHECK bool changes_undo(struct changes *c, struct arena *a, uint64_t number,
                             struct change *undo, struct change_result *out,
                             struct err *err);

/* The operations with which that change would be undone, in out->undoing; nothing is
 * changed. Fails like changes_undo(). */
MUST_CHECK bool changes_plan_undo(struct changes *c, struct arena *a, uint64_t number,
                                  struct change_result *out, struct err *err);

/* The files that a grant changed in the last seconds, and since the user was last
 * asked. */
MUST_CHECK bool changes_files_by(struct changes *c, str grant, int64_t seconds, size_t *n,
                                 struct err *err);

/* Let the descriptor of the vault's root mean the folder fd (borrowed). Fails with BUSY
 * if changes are being made for CHANGE_REOPEN_MS. */
MUST_CHECK bool changes_reopen(struct changes *c, int fd, struct err *err);

/* Whether the clock was in doubt at the last change: nothing is dropped by it then. From
 * any thread. */
bool changes_doubt_clock(const struct changes *c);

/* Lock the journal for reading; other changes wait until it is unlocked. Fails with BUSY
 * if others have it for CHANGE_LOCK_MS; as long as another program has it after that, at
 * once. */
MUST_CHECK bool changes_lock_all(struct changes *c, struct journal **out,
                                 struct err *err);
void changes_unlock(struct changes *c);
