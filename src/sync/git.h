/*
 * git - one repository and the vault in it, by running git.
 *
 * Git never touches a file of the vault here: contents go in and out as objects, and the
 * vault changes through vault/change/change.h. Every run has an argument vector, an
 * environment and settings of our own (no hooks, no filters, no prompts, https and ssh
 * only), bounds on time and output, and complains without secrets (mask.h). After
 * git_open() nothing in it changes, so threads may share it; what is written is the sync
 * thread's.
 *
 * Paths are those of the repository unless said otherwise; the vault's have g->prefix in
 * front. Ids are hex, of whatever length the repository's are.
 */
#pragma once

#include <stdatomic.h>

#include "base/sbuf.h"
#include "sync/sync.h"

enum {
    GIT_LOCAL_MS = 10 * 60 * 1000,
    GIT_NETWORK_S = 15 * 60, /* unless configured; a transfer that stalls ends earlier */
    GIT_OUT_MAX = 512 << 20,
    GIT_BATCH_BYTES = 64 << 20, /* of contents that go to git at a time */
    GIT_NICE = 10,              /* who calls a tool goes first */
};

/* The last commit of the remote that is in ours; its history may be rewritten later. */
#define GIT_SEEN "refs/vaultd/seen"

/* Where fast-import puts the last commit it made, since it wants to put it somewhere. */
#define GIT_NEXT "refs/vaultd/next"

struct git {
    struct arena arena; /* has what is below */
    const char *vault;  /* folder */
    const char *home;   /* folder of ours: settings, our index, what is under way */
    const char *dir;    /* the repository; NULL: not known yet */
    bool ours;          /* it is in our own folder, nobody else uses it */
    bool sha256;        /* its ids are of SHA-256, not SHA-1 */
    str prefix;         /* of the vault in the repository: "" or "notes/" */
    struct sync_git config;
    str url;            /* without credentials; empty: there is no remote */
    str user, password; /* that were in it */
    str branch, tracking;
    const char *const *env;
    atomic_bool *stop; /* of the network; may be NULL */
};

/* Where ours is kept for the vault: made if missing. */
MUST_CHECK bool git_home(struct git *g, const struct sync_config *config,
                         struct err *err);

/* The environment for dir, url and the credentials in config or url, which are taken out
 * of it (git_env.c). */
MUST_CHECK bool git_set_env(struct git *g, struct err *err);

void git_release(struct git *g);

struct git_how {
    str input;
    unsigned ms;             /* 0: GIT_LOCAL_MS */
    bool network;            /* ends when g->stop says so */
    const char *const *more; /* further environment, or NULL */
    int *code;               /* the exit code, when not 0 is no failure; or NULL */
    str *errors;             /* what it complained of, also when it failed; or NULL */
    void (*on_line)(void *arg, str line);
};

/* What it printed, in the arena. Fails with git's own words. */
MUST_CHECK bool git_run(const struct git *g, struct arena *a, const struct git_how *how,
                        const char *const *args, str *out, struct err *err);
#define GIT_HOW(...) (&(struct git_how){__VA_ARGS__})
#define GIT_ARGS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* The same without its last line feed: an id, a name. Empty when it exits with 1, as git
 * says "there is none". */
MUST_CHECK bool git_line(const struct git *g, struct arena *a, const char *const *args,
                         str *out, struct err *err);

/* The commit that a name means; empty: none. */
MUST_CHECK bool git_commit_of(const struct git *g, struct arena *a, const char *name,
                              str *id, struct err *err);

/* Whether commit is an ancestor of, or the same as, other. */
MUST_CHECK bool git_is_in(const struct git *g, struct arena *a, str commit, str other,
                          bool *is, struct err *err);

/* --- objects (git_objects.c) --- */

MUST_CHECK bool git_put_blobs(const struct git *g, struct arena *a, const str *texts,
                              size_t n, str *ids, struct err *err);
MUST_CHECK bool git_get_blobs(const struct git *g, struct arena *a, const str *ids,
                              size_t n, str *texts, struct err *err);
MUST_CHECK bool git_blob_sizes(const struct git *g, struct arena *a, const str *ids,
                               size_t n, size_t *sizes, struct err *err);

enum { GIT_FILE = 0100644, GIT_PROGRAM = 0100755, GIT_TREE = 040000 };

/* One name of a tree; mode 0: it shall be gone. */
struct git_entry {
    str path, id;
    unsigned mode;
};

/* All files below a commit's vault folder, by paths of the vault. */
MUST_CHECK bool git_list(const struct git *g, struct arena *a, str commit,
                         struct git_entry **out, size_t *n, struct err *err);

struct git_diff {
    char status; /* A M D T R, as git has them */
    unsigned old_mode, mode;
    str old_id, id;
    str old_path, path; /* the same but for R */
};

/* Between two commits, of which from may be empty. */
MUST_CHECK bool git_diff(const struct git *g, struct arena *a, str from, str to,
                         bool renames, struct git_diff **out, size_t *n, struct err *err);

/* --- trees and commits (git_tree.c, git_remote.c) --- */

/* The tree of a commit (empty: none) with some names set; a file that was a
 * program stays one. Sorts the edits. */
MUST_CHECK bool git_edit_tree(const struct git *g, struct arena *a, str commit,
                              struct git_entry *edits, size_t n, str *tree,
                              struct err *err);

struct git_person {
    str name, email;
};

struct git_commit {
    str tree, message;
    struct git_person author; /* we, if it is empty */
    int64_t when;             /* the author's; 0: now */
    const str *parents;
    size_t n;
};

/* As git takes them: never empty, without what means something to it. */
struct git_person git_author(const struct git *g, struct arena *a,
                             const struct git_commit *c);
struct git_person git_ourselves(const struct git *g, struct arena *a);

MUST_CHECK bool git_make_commit(const struct git *g, struct arena *a,
                                const struct git_commit *c, str *id, struct err *err);

/* --- commits in a row (git_import.c) --- */

/* What git calls a content. */
str git_blob_id(const struct git *g, struct arena *a, str text);

struct git_import {
    const struct git *g;
    struct arena *a;
    struct arena contents;
    struct sbuf blobs, commits;
    size_t n;
};
void git_import_begin(struct git_import *m, const struct git *g, struct arena *a);
void git_import_release(struct git_import *m);

/* A content that commits name by its id. Nothing of it is borrowed. */
MUST_CHECK bool git_import_text(struct git_import *m, str text, struct err *err);

/* A commit on the one before, the first one on its parent, if any. The tree is that one's
 * with some names set; a name that is gone may never have been there. */
void git_import_commit(struct git_import *m, const struct git_commit *c,
                       const struct git_entry *edits, size_t n);

/* Make them all. */
MUST_CHECK bool git_import_end(struct git_import *m, str *last, struct err *err);

/* --- the remote (git_remote.c) --- */

/* Fetch the branch; *id is empty when the remote has none. depth 0: what is new; below
 * 0: all that a clone of some depth left out. */
MUST_CHECK bool git_fetch(const struct git *g, struct arena *a, int64_t depth, str *id,
                          struct err *err);

/* *rejected: the remote has something that we have not. ms 0: as long as it takes. */
MUST_CHECK bool git_push(const struct git *g, struct arena *a, str id, unsigned ms,
                         bool *rejected, struct err *err);
