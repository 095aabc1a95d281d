/*
 * sync - keep the vault together with a copy elsewhere: a git remote, or whatever a
 * command does. No write ever waits for it or fails because of it.
 *
 * One thread of its own does all the work, one thing at a time: it is told of changes
 * (sync_changed), wakes by its intervals, and is asked by people and webhooks (sync_ask).
 * What was changed it reads in the vault's journal, so that nothing is missed that
 * another process did, or that a crash left. What comes from elsewhere is one change of
 * the vault (change.h): journaled, indexed, announced, undoable. Its tool is "sync", its
 * author the one of the remote's commit; sync_changed() need not be called for it. All
 * calls but start and stop are for any thread; nobody calls anything any more when
 * sync_stop() begins.
 */
#pragma once

#include <stdatomic.h>

#include "vault/vault.h"

struct sync;

enum sync_kind { SYNC_NONE, SYNC_GIT, SYNC_COMMAND };

struct sync_git {
    str remote;               /* URL; empty: the one the repository has */
    str branch;               /* empty: the one checked out, or the remote's default */
    str subfolder;            /* the vault's root within the repository, or empty */
    int64_t depth;            /* of the first clone; 0: all of it */
    str ssh_key, known_hosts; /* paths, or empty */
    str token_file;           /* for https; read at each use */
    str token_user;           /* "x-access-token" if empty */
    str ca_file; /* the certificates that https trusts; empty: the system's */
    str author_name, author_email; /* of changes without a signed-in user */
    bool add_all;                  /* every commit takes all there is (contract 004) */
    int64_t pull_s, push_delay_s;  /* 0: no interval; push at once */
    int64_t timeout_s;             /* of one exchange with the remote; 0: GIT_NETWORK_S */
};

/* Runs without a shell, with PATH, HOME, the locale and what is named RCLONE_*, XDG_*,
 * SSH_* or *_proxy of our environment. */
struct sync_command {
    const str *argv; /* {vault} and {state} are replaced by paths */
    size_t n;
    int64_t interval_s, quiet_s; /* after changes, once nothing happened for so long */
    int64_t timeout_s;
};

/* What sync_prepare() found, for who must know what git will need. */
struct sync_found {
    struct arena *arena;    /* of the caller */
    const char *repository; /* its folder, wherever that is; NULL: there is none */
    str remote;             /* its URL without credentials, or empty */
};

struct sync_config {
    enum sync_kind kind;
    struct sync_git git;
    struct sync_command command;
    const char *vault_folder, *state_folder;
    atomic_bool *stop;        /* of sync_prepare(): ends it soon when true; may be NULL */
    struct sync_found *found; /* or NULL */

    /* Somebody wants to know: called on the sync thread. May be NULL. */
    void (*on_state)(void *app);
    void *app;
};

/*
 * Before the vault is opened: find the repository, or make one; clone into a vault that
 * is missing or empty, also when a crash interrupted that before. Says on stderr what
 * takes long. Needs the network for the first clone only, and fails without it then.
 */
MUST_CHECK bool sync_prepare(const struct sync_config *config, struct err *err);

/* Whether git is there, and the remote, if there is one, answers to our credentials.
 * Touches neither the vault nor its repository. ERR_NOT_FOUND: no git. */
MUST_CHECK bool sync_check(const struct sync_config *config, struct err *err);

/* After sync_prepare(); the config is copied. The vault must outlive the sync. */
MUST_CHECK bool sync_start(const struct sync_config *config, struct vault *v,
                           struct sync **out, struct err *err);

/* Finishes a commit under way, tries a last push for a few seconds. NULL is fine. */
void sync_stop(struct sync *s);

/* A change was made through us, and is in the journal. Returns at once. */
void sync_changed(struct sync *s);

/* Something in the folder is different, whoever did it. Returns at once. */
void sync_seen(struct sync *s);

/* Sync now. wait: until that is done or stop says so; false then with what went wrong. */
MUST_CHECK bool sync_ask(struct sync *s, bool wait, bool (*stop)(void *arg), void *arg,
                         struct err *err);

/* A note that both sides changed in ways that do not go together. */
struct sync_conflict {
    str path;    /* our side */
    str sibling; /* where theirs is kept; empty for hidden files: in the history */
};

struct sync_state {
    enum sync_kind kind;
    str remote, branch; /* without credentials */
    bool busy;
    int64_t ahead, behind;           /* commits; -1: unknown */
    size_t waiting;                  /* changes that are not committed yet */
    int64_t last_try, last_success;  /* seconds since 1970; 0: never */
    uint64_t failures;               /* since the start */
    str last_error;                  /* in the remote's own words, without secrets */
    struct sync_conflict *conflicts; /* those whose sibling is there, newest first */
    size_t n_conflicts;
    str *notices; /* what of the remote is not on disk, and why; newest first */
    size_t n_notices;
};
void sync_state(struct sync *s, struct arena *a, struct sync_state *out);

/* --- history: only with git ---
 *
 * For any thread; each call runs git, which takes some milliseconds. */

struct sync_commit {
    str id, author, email, subject;
    int64_t when;
    str *paths; /* of the vault */
    size_t n_paths;
    str change, tool, client; /* of our own trailers, or empty */
};

struct sync_log {
    str path;         /* of a note or folder, or empty */
    str since, until; /* dates or revisions, or empty */
    size_t skip, limit;
};
MUST_CHECK bool sync_history(struct sync *s, struct arena *a, const struct sync_log *q,
                             struct sync_commit **out, size_t *n, struct err *err);

/* A file as it was at a revision ("HEAD~3", a hash) or date ("2026-11-01": at the end of
 * that day; "2026-11-01T09:30"), following renames. *commit is the commit's id. */
MUST_CHECK bool sync_file_at(struct sync *s, struct arena *a, str path, str revision,
                             str *text, str *commit, struct err *err);

/* "diff -u" of a file between two of those; to empty: as it is on disk now. */
MUST_CHECK bool sync_diff(struct sync *s, struct arena *a, str path, str from, str to,
                          str *diff, struct err *err);
