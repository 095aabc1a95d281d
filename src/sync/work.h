/*
 * work - what the git driver does, one thing at a time, on the sync thread.
 *
 * HEAD only moves by work_advance(): what it is about to do is noted in our folder
 * first, so that a crash in between is finished at the next start. Two processes with one
 * vault take turns (work_lock).
 */
#pragma once

#include <pthread.h>

#include "sync/git.h"

enum { WORK_NOTICES_MAX = 50, WORK_ID = 72 };

struct work {
    struct git *g;
    struct vault *v;
    char index_at[WORK_ID]; /* the commit that our index shows, or "" */
    struct work_stamp {
        uint64_t file, ns;
    } index_stamp; /* of our index as we left it: another process may share it */
    uint64_t done; /* the last change of the journal that is committed */

    /* What a person should know, newest first; malloc'ed. */
    char *notices[WORK_NOTICES_MAX];
    size_t n_notices;
    struct {
        char *path, *sibling;
    } conflicts[WORK_NOTICES_MAX];
    size_t n_conflicts;
    pthread_mutex_t lock; /* of both lists */
};

void work_init(struct work *w, struct git *g, struct vault *v);
void work_release(struct work *w);

/* One that is there already is not repeated. */
void work_notice(struct work *w, str path, const char *why);
void work_conflict(struct work *w, str path, str sibling);

/* Small files of our own in g->home, replaced whole. Reading a missing one gives "". */
MUST_CHECK bool work_save(const struct git *g, const char *name, str text,
                          struct err *err);
str work_saved(const struct git *g, struct arena *a, const char *name);
void work_forget(const struct git *g, const char *name);

/* Waits a little for others; -1: somebody else works. */
int work_lock(const struct git *g);

/* Fails when a merge or rebase of a person is under way: that is theirs to end. */
MUST_CHECK bool work_is_free(const struct git *g, struct err *err);

/* --- work_advance.c --- */

/* HEAD becomes to, if it is from. With a key it belongs to the vault's change that has
 * it, which is made between begin and advance. */
struct work_step {
    str from, to, key;
    uint64_t done;                 /* with it, changes up to this one are committed */
    const struct git_entry *edits; /* what differs, if that is known; or NULL */
    size_t n;
};
MUST_CHECK bool work_begin(struct work *w, struct arena *a, const struct work_step *s,
                           struct err *err);
void work_cancel(struct work *w);
MUST_CHECK bool work_advance(struct work *w, struct arena *a, const struct work_step *s,
                             struct err *err);

/* Remember that changes up to number are committed. */
MUST_CHECK bool work_note_done(struct work *w, struct arena *a, uint64_t number,
                               struct err *err);

/* Learn which are. If nobody ever noted it, all before a time are not our business. */
MUST_CHECK bool work_read_done(struct work *w, struct arena *a, int64_t since,
                               struct err *err);

/* Finish what was begun before a crash, or forget it. */
MUST_CHECK bool work_recover(struct work *w, struct arena *a, struct err *err);

/* --- work_index.c --- */

/* Our index, which tells what differs on disk, shows commit. */
MUST_CHECK bool work_index(struct work *w, struct arena *a, str commit, struct err *err);

/* The same after a step from the commit it shows. */
MUST_CHECK bool work_index_step(struct work *w, struct arena *a,
                                const struct work_step *s, struct err *err);

/* A file of the vault, and what our index has for it. */
struct work_file {
    str path, id; /* id is empty: nothing */
    unsigned mode;
};

/* The files that are not as in our index: below the paths given (sorted), or all (n 0).
 * By path; ignored files and noise are left out. */
MUST_CHECK bool work_differs(struct work *w, struct arena *a, const str *paths, size_t n,
                             struct work_file **out, size_t *n_out, struct err *err);

/* Of these paths those that are, or could be, in the repository. */
MUST_CHECK bool work_look_up(struct work *w, struct arena *a, const str *paths, size_t n,
                             struct work_file **out, size_t *n_out, struct err *err);

/* The person's index, so that "git status" says what is true. */
MUST_CHECK bool work_users_index(struct work *w, struct arena *a,
                                 const struct work_step *s, struct err *err);

/* --- work_commit.c --- */

/*
 * Commit the changes in the journal that are not committed yet, each the files it
 * touched, as it left them. all: whatever else differs goes with the last one. *id: the
 * last commit; empty when there was nothing to commit.
 */
struct work_wish {
    bool all;
    bool alone;  /* and also when there is no change */
    str subject; /* of the commit then, or empty */
};
MUST_CHECK bool work_commit(struct work *w, struct arena *a, const struct work_wish *wish,
                            str *id, struct err *err);

/* --- pull.c --- */

/* Merge a commit of the remote into the vault and HEAD. */
MUST_CHECK bool work_pull(struct work *w, struct arena *a, str theirs, struct err *err);
