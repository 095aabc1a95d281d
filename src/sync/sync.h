/*
 * sync - keep the vault in sync with a git remote, or with whatever a command uses. No
 * write ever waits for it or fails because of it.
 *
 * A separate thread does all the work, one step at a time: it is notified of changes
 * (sync_changed), wakes up at intervals, and is triggered by users and webhooks
 * (sync_ask). It reads the changes from the vault's journal, so it misses nothing that
 * another process did or that a crash interrupted. A pull makes one change of the vault
 * (change.h), which is journaled, indexed, announced and undoable like any other. Its
 * tool is "sync", its author is that of the remote's commit, and sync_changed() need not
 * be called for it. All functions except start and stop may be called on any thread, but
 * not after sync_stop() has begun.
 */
#pragma once

#include "sync/config.h"
#include "sync/conflict.h"
#include "vault/vault.h"

struct sync;

/*
 * Before the vault is opened: find or create the repository; clone into a vault that is
 * missing or empty, or whose clone was interrupted by a crash. Logs what takes long.
 * Needs the network only for the first clone, and fails then without it.
 */
MUST_CHECK bool sync_prepare(const struct sync_config *config, struct err *err);

/* Whether sync_prepare() needs the network: there is a remote, and no clone of it
 * here. */
bool sync_is_away(const struct sync_config *config);

/* Whether git is installed and the remote, if there is one, accepts our credentials.
 * Changes no file of the vault or its repository. ERR_NOT_FOUND: no git. */
MUST_CHECK bool sync_check(const struct sync_config *config, struct err *err);

/* After sync_prepare(); the config is copied. The vault must outlive the sync. */
MUST_CHECK bool sync_start(const struct sync_config *config, struct vault *v,
                           struct sync **out, struct err *err);

enum { SYNC_STOP_PUSH_MS = 4000 };

/* Begin to stop: commit what is pending, and try a last push, which ends at push_by
 * (clock_ms(); usually SYNC_STOP_PUSH_MS from now), however long the commit takes. Does
 * not wait, so that several do it at the same time. NULL is fine. */
void sync_begin_stop(struct sync *s, uint64_t push_by);

/* The same, and waits for the end. NULL is fine. */
void sync_stop(struct sync *s, uint64_t push_by);

/* A change was made through vaultd, and is in the journal. Returns immediately. */
void sync_changed(struct sync *s);

/* Something in the folder changed, for any reason. Returns immediately. */
void sync_seen(struct sync *s);

/* The remote has changed: pull at once, or together with what else is reported
 * within SYNC_HEARD_MS. Returns immediately. */
void sync_heard(struct sync *s);

/* Sync now, and do not wait for it: *ticket is for sync_answer(). */
MUST_CHECK bool sync_ask(struct sync *s, uint64_t *ticket, struct err *err);

/* Push the changes reported so far, and do not wait for it: *ticket is for sync_answer().
 * Pulls only if the remote has changed. Does nothing if all of them are pushed. */
MUST_CHECK bool sync_push(struct sync *s, uint64_t *ticket, struct err *err);

/* When the last pull began that succeeded, by clock_ms(); 0: none yet. NULL is fine. */
uint64_t sync_pulled_at(struct sync *s);

/* Whether the remote has the changes reported so far. */
bool sync_is_pushed(struct sync *s);

/* How that sync ended; err says why it failed. From any thread, without waiting. */
enum sync_answer { SYNC_GOING_ON, SYNC_SUCCEEDED, SYNC_REFUSED };
enum sync_answer sync_answer(struct sync *s, uint64_t ticket, struct err *err);

/* Sync now and wait until it is done, or stop returns true (ERR_BUSY). For threads that
 * nothing else waits for: never on a worker of the pool of calls. */
MUST_CHECK bool sync_wait(struct sync *s, bool (*stop)(void *arg), void *arg,
                          struct err *err);

struct sync_state {
    enum sync_kind kind;
    str remote, branch;     /* without credentials */
    int64_t running_since;  /* a sync is going on, seconds since 1970; 0: none is */
    int64_t ahead, behind;  /* commits; -1: unknown */
    int64_t pulled, pushed; /* commits since the start, if sync_git.counts */
    size_t changed;         /* files that pulls changed since the start */
    size_t waiting;         /* changes that are not committed yet */
    int64_t last_try, last_success;  /* seconds since 1970; 0: never */
    uint64_t failures;               /* since the start */
    str last_error;                  /* as the remote reported it, without secrets */
    struct sync_conflict *conflicts; /* those whose sibling exists, newest first */
    size_t n_conflicts;
    str *notices; /* files of the remote that are not on disk, and why; newest first */
    size_t n_notices;
};
void sync_state(struct sync *s, struct arena *a, struct sync_state *out);

/* --- history: only with git ---
 *
 * On any thread; each call runs git, which takes some milliseconds. */

struct sync_commit {
    str id, author, email, subject;
    int64_t when;
    str *paths; /* vault paths */
    size_t n_paths;
    str change, tool, client; /* from our trailers, or empty */
};

struct sync_log {
    str path;         /* a note or folder, or empty */
    str since, until; /* dates or revisions, or empty */
    str key;          /* only the change with this key in its journal, or empty */
    size_t skip, limit;

    /* Each commit with all its paths, also the old ones of renames, to judge who may see
     * it: also files other than path. Renames are not followed, merges not listed. */
    bool whole;
};
MUST_CHECK bool sync_history(struct sync *s, struct arena *a, const struct sync_log *q,
                             struct sync_commit **out, size_t *n, struct err *err);

/* A file as it was at a revision ("HEAD~3", a hash) or date ("2026-11-01": at the end of
 * that day; "2026-11-01T09:30"), following renames. *commit is the commit's id. */
MUST_CHECK bool sync_file_at(struct sync *s, struct arena *a, str path, str revision,
                             str *text, str *commit, struct err *err);

/* How the same fails for a file that never existed. Returns false. */
bool sync_missing_at(struct sync *s, struct arena *a, str path, str revision,
                     struct err *err);

/* "diff -u" of a file between two revisions or dates; to empty: the file on disk, as the
 * caller sees it. */
MUST_CHECK bool sync_diff(struct sync *s, struct arena *a, struct vault *as, str path,
                          str from, str to, str *diff, struct err *err);
