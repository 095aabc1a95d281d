/*
 * work - the steps of the git driver, one at a time, on the sync thread.
 *
 * HEAD moves only in work_advance(): the step is recorded in our folder first, so after a
 * crash the next start finishes it. Two processes with the same vault take turns
 * (work_lock).
 */
#pragma once

#include "base/lock.h"
#include "sync/git.h"
#include "sync/unsynced.h"

enum { WORK_NOTICES_MAX = 50, WORK_ID = 72 };

struct work {
    struct git *g;
    struct vault *v;
    struct git_reader reader; /* closed when a round ends */
    char index_at[WORK_ID];   /* the commit that our index represents, or "" */
    struct work_stamp {
        uint64_t file, ns;
    } index_stamp; /* of our index as we left it: it may be shared with another process */
    uint64_t done; /* the last change in the journal that is committed */
    uint64_t covered; /* the same, or those that a pull has made after it */
    size_t changed;   /* files that pulls have changed */

    /* Notices for the user, newest first; malloc'ed. */
    char *notices[WORK_NOTICES_MAX];
    size_t n_notices;
    struct {
        char *path, *sibling;
    } conflicts[WORK_NOTICES_MAX];
    size_t n_conflicts;
    struct lock lock; /* for both lists */
};

void work_init(struct work *w, struct git *g, struct vault *v);
void work_release(struct work *w);

/* A notice that already exists is not repeated: then false. */
bool work_notice(struct work *w, str path, const char *why);

/* A notice, also in the log, that files are left alone. */
void work_leave(struct work *w, const struct unsynced_reason *reason);
void work_conflict(struct work *w, str path, str sibling);

/* Small files in g->home, replaced atomically. A missing one reads as "". */
MUST_CHECK bool work_save(const struct git *g, const char *name, str text,
                          struct err *err);
str work_saved(const struct git *g, struct arena *a, const char *name);
void work_forget(const struct git *g, const char *name);

/* Waits up to ten seconds for other processes; -1: failed. Close the result to unlock. */
int work_lock(const struct git *g);

/* Fails if the user has an unfinished merge, rebase, cherry-pick or revert, or has
 * checked out another branch or only some of the files. */
MUST_CHECK bool work_is_free(const struct git *g, struct err *err);

/* --- work_advance.c --- */

/* Move HEAD from from to to. With a key, the step belongs to the change of the vault that
 * has this key and is made between begin and advance. */
struct work_step {
    str from, to, key;
    str seen;                      /* the commit of the remote that it merges, or empty */
    uint64_t done;                 /* changes up to this one are committed by it */
    const struct git_entry *edits; /* the differences if known, or NULL */
    size_t n;
};
MUST_CHECK bool work_begin(struct work *w, struct arena *a, const struct work_step *s,
                           struct err *err);
void work_cancel(struct work *w);
MUST_CHECK bool work_advance(struct work *w, struct arena *a, const struct work_step *s,
                             struct err *err);

/* A pull has made this change, which needs no commit. */
void work_pulled(struct work *w, uint64_t number);

/* Record that changes up to number are committed. */
MUST_CHECK bool work_note_done(struct work *w, struct arena *a, uint64_t number,
                               struct err *err);

/* Read that number. If none was recorded, changes before a time are ignored. */
MUST_CHECK bool work_read_done(struct work *w, struct arena *a, int64_t since,
                               struct err *err);

/* Finish or discard the step that a crash interrupted. If it fails, the step is kept for
 * the next time. */
MUST_CHECK bool work_recover(struct work *w, struct arena *a, struct err *err);

/* --- work_index.c --- */

/* Make our index, which is used to find what differs on disk, represent commit. */
MUST_CHECK bool work_index(struct work *w, struct arena *a, str commit, struct err *err);

/* The same after a step from the commit that it represents. */
MUST_CHECK bool work_index_step(struct work *w, struct arena *a,
                                const struct work_step *s, struct err *err);

/* A file of the vault, and its entry in our index. */
struct work_file {
    str path, id; /* id empty: none */
    unsigned mode;
};

/* The files that differ from our index: below the given paths (sorted), or all (n 0).
 * Ordered by path; ignored files and noise are left out. */
MUST_CHECK bool work_differs(struct work *w, struct arena *a, const str *paths, size_t n,
                             struct work_file **out, size_t *n_out, struct err *err);

/* Those of these paths that are, or could be, in the repository. */
MUST_CHECK bool work_look_up(struct work *w, struct arena *a, const str *paths, size_t n,
                             struct work_file **out, size_t *n_out, struct err *err);

/* Update the user's index, so "git status" is correct. */
MUST_CHECK bool work_users_index(struct work *w, struct arena *a,
                                 const struct work_step *s, struct err *err);

/* --- work_commit.c --- */

/*
 * Commit the changes in the journal that are not committed yet, each with the files it
 * touched, as it left them. all: the last commit includes everything else that differs.
 * *id: the last commit; empty if there was nothing to commit.
 */
struct work_request {
    bool all;
    bool alone;  /* commit even if the journal has no change */
    str subject; /* of a commit without a change, or empty */
};
MUST_CHECK bool work_commit(struct work *w, struct arena *a,
                            const struct work_request *request, str *id, struct err *err);

/* --- pull.c --- */

/* Merge a commit of the remote into the vault and HEAD, unless they have it. */
MUST_CHECK bool work_pull(struct work *w, str theirs, struct err *err);
