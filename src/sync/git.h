/*
 * git - one repository and the vault in it, through the git program.
 *
 * Git never touches a file of the vault here: contents go in and out as objects, and the
 * vault changes through vault/change/change.h. Every run has an argument vector, its own
 * environment and settings (no hooks, no filters, no prompts, https and ssh only; the
 * settings of the repository are not read: own.c), limits on time and output, and
 * errors without secrets (mask.h). After repo_open() the struct
 * does not change, so threads may share it; only the sync thread writes to the
 * repository.
 *
 * Paths are relative to the repository unless noted otherwise; those of the vault begin
 * with g->prefix. Ids are hex, of the length that the repository uses.
 */
#pragma once

#include <stdatomic.h>

#include "base/map.h"
#include "base/sbuf.h"
#include "sync/config.h"

enum {
    GIT_LOCAL_MS = 10 * 60 * 1000,
    GIT_NETWORK_S = 15 * 60, /* default; a transfer that stalls ends earlier */
    GIT_OUT_MAX = 512 << 20,
    GIT_BATCH_BYTES = 64 << 20, /* of contents passed to git in one run */
    GIT_NICE = 10,              /* tool calls have priority */
};

/* The last commit that we merged from the remote or pushed to it. The history of the
 * remote may be rewritten later. */
#define GIT_SEEN "refs/vaultd/seen"

/* The ref for commits of fast-import, which needs one. */
#define GIT_NEXT "refs/vaultd/next"

struct git {
    struct arena arena; /* for the members below */
    const char *vault;  /* folder */
    const char *home;   /* our folder: settings, our index, the step in progress */
    const char *dir;    /* the repository; NULL: not known yet */
    const char *common; /* the same, or the repository to which a work tree belongs */
    const char *own;    /* our git folder for it, which git uses; NULL: not made yet */
    str settings;       /* in it */
    str origin;         /* the repository's own remote, or empty */
    bool ours;          /* it is in our state folder, not used by anyone else */
    bool sha256;        /* its ids are SHA-256, not SHA-1 */
    str prefix;         /* of the vault in the repository: "" or "notes/" */
    struct sync_git config;
    str url;            /* without credentials; empty: there is no remote */
    str user, password; /* that were in the URL */
    str branch, tracking;
    const char *const *env;
    atomic_bool *stop; /* stops network access; may be NULL */
};

/* Set g->vault and g->home. Both folders are created if missing. */
MUST_CHECK bool git_home(struct git *g, const struct sync_config *config,
                         struct err *err);

/* Set the environment for dir, url and the credentials in config or url, and remove them
 * from url (git_env.c). */
MUST_CHECK bool git_set_env(struct git *g, struct err *err);

/* The folder that the operator named as the remote; empty: it is not one. */
str git_local_path(const struct git *g);

void git_release(struct git *g);

struct git_how {
    str input;
    unsigned ms;             /* 0: GIT_LOCAL_MS, or with network its time limit */
    bool network;            /* ends when g->stop is set */
    const char *const *more; /* more environment, or NULL */
    int *code;               /* the exit code, if 1 is not a failure; or NULL */
    str *errors;             /* its stderr, also if it failed; or NULL */
    void (*on_line)(void *arg, str line);
};

/* Run git; the output is in the arena. On failure the message is git's own. */
MUST_CHECK bool git_run(const struct git *g, struct arena *a, const struct git_how *how,
                        const char *const *args, str *out, struct err *err);
#define GIT_HOW(...) (&(struct git_how){__VA_ARGS__})
#define GIT_ARGS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* The same without the final line feed: an id, a name. Empty if git exits with 1, which
 * means "not found". */
MUST_CHECK bool git_line(const struct git *g, struct arena *a, const char *const *args,
                         str *out, struct err *err);

/* Start git in the same way, to answer several requests (base/process.h). */
struct process_session;
struct process_result;
MUST_CHECK bool git_start(const struct git *g, const char *const *args,
                          struct process_session **out, struct err *err);

/* Fail with what git said about a run of this command. */
bool git_complain(const struct git *g, struct arena *a, const char *verb,
                  const struct process_result *r, struct err *err);

/* Whether text is a whole id of an object. */
bool git_is_id(const struct git *g, str text);

/* The commit that a name refers to; empty: none. */
MUST_CHECK bool git_commit_of(const struct git *g, struct arena *a, const char *name,
                              str *id, struct err *err);

/* Whether commit is other or an ancestor of it. */
MUST_CHECK bool git_is_in(const struct git *g, struct arena *a, str commit, str other,
                          bool *is, struct err *err);

/* --- objects (git_objects.c) --- */

MUST_CHECK bool git_put_blobs(const struct git *g, struct arena *a, const str *texts,
                              size_t n, str *ids, struct err *err);

enum { GIT_FILE = 0100644, GIT_PROGRAM = 0100755, GIT_TREE = 040000 };

/* A mode from its octal digits. */
unsigned git_mode(str digits);

/* One name of a tree; mode 0: remove it. */
struct git_entry {
    str path, id;
    unsigned mode;
};

/* All files below the vault's folder in a commit, with vault paths. */
struct git_reader;
MUST_CHECK bool git_list(struct git_reader *r, struct arena *a, str commit,
                         struct git_entry **out, size_t *n, struct err *err);

struct git_diff {
    char status; /* A M D T R, as in git */
    unsigned old_mode, mode;
    str old_id, id;
    str old_path, path; /* equal except for R */
};

/* The changes between two commits; from may be empty. */
MUST_CHECK bool git_diff(const struct git *g, struct arena *a, str from, str to,
                         bool renames, struct git_diff **out, size_t *n, struct err *err);

/* --- reading objects (git_reader.c) --- */

/*
 * One "git cat-file" for many questions. The first one starts it; it sees objects that are
 * made later, too. It is sent whole ids and nothing else, and an answer counts only if it
 * is for that id and has the length that it states: names and contents of a remote cannot
 * change what is asked or understood. For one thread.
 */
struct git_reader {
    const struct git *g;
    bool old; /* git before 2.36, which needs two programs: for sizes and for contents */
    struct process_session *sessions[2]; /* NULL: not running */
    struct arena arena;                  /* for the commits and trees below */
    struct map known;                    /* ids */
    str *texts;
    size_t n_texts;
};
void git_reader_init(struct git_reader *r, const struct git *g);

/* End the program; the next question starts another one. */
void git_reader_close(struct git_reader *r);

/* Contents and sizes of blobs; fails if one is missing. */
MUST_CHECK bool git_get_blobs(struct git_reader *r, struct arena *a, const str *ids,
                              size_t n, str *texts, struct err *err);
MUST_CHECK bool git_blob_sizes(struct git_reader *r, struct arena *a, const str *ids,
                               size_t n, size_t *sizes, struct err *err);

struct git_commit_info {
    str tree;
    str *parents;
    size_t n;
    str author;
    bool recoded; /* its author is not in UTF-8 */
};

/* tree is empty if the repository does not have the commit, as in a shallow clone. */
MUST_CHECK bool git_read_commit(struct git_reader *r, struct arena *a, str id,
                                struct git_commit_info *out, struct err *err);

/* The content of a tree, which the reader keeps; empty if it is missing. And its next
 * name, with the bytes of the id; the content is cut before what follows. */
MUST_CHECK bool git_read_tree(struct git_reader *r, str id, str *text, struct err *err);
bool git_next_entry(const struct git *g, str *tree, str *mode, str *name, str *id);

/* What a commit has at a path of the repository; mode 0: nothing. The empty path is its
 * whole tree. */
MUST_CHECK bool git_find(struct git_reader *r, struct arena *a, str commit, str path,
                         struct git_entry *out, struct err *err);

/* --- counting (git_count.c) --- */

/* Whether a commit has more than this many new or changed names, files and folders; from
 * may be empty. They are counted without listing them: a few objects of a hostile remote
 * can have more names than memory can hold, because folders may have equal contents. */
MUST_CHECK bool git_has_more(struct git_reader *r, str from, str to, size_t most,
                             bool *more, struct err *err);

/* --- commits (git_import.c) --- */

struct git_person {
    str name, email;
};

struct git_commit {
    str message;
    struct git_person author; /* ourselves if it is empty */
    int64_t when;             /* of the author; 0: now */
    const str *parents;
    size_t n;
    const str *tree; /* with names to be changed; empty: none; NULL: that of the parent */
};

/* In a form that git accepts: not empty, without special characters. */
struct git_person git_author(const struct git *g, struct arena *a,
                             const struct git_commit *c);
struct git_person git_ourselves(const struct git *g, struct arena *a);

/* The id that git gives to a blob with this text. */
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

/* Add a blob, to which commits refer by its id. The text is copied. */
MUST_CHECK bool git_import_text(struct git_import *m, str text, struct err *err);

/* Add a commit after the previous one; only the first may name parents. Its tree is that
 * of the previous commit, or of the first parent, with some names changed; a removed name
 * need not exist, and a folder is removed with everything in it. */
void git_import_commit(struct git_import *m, const struct git_commit *c,
                       const struct git_entry *edits, size_t n);

/* Create all of them; *tree is that of the last one. */
MUST_CHECK bool git_import_end(struct git_import *m, str *last, str *tree,
                               struct err *err);

/* --- the remote (git_remote.c) --- */

/* Fetch the branch; *id is empty if the remote has none. depth above 0: only that many
 * commits; 0: what is new; below 0: also everything that a shallow clone left out. */
MUST_CHECK bool git_fetch(const struct git *g, struct arena *a, int64_t depth, str *id,
                          struct err *err);

/* *rejected: the remote has commits that we do not have. ms 0: as for other network
 * access. */
MUST_CHECK bool git_push(const struct git *g, struct arena *a, str id, unsigned ms,
                         bool *rejected, struct err *err);
