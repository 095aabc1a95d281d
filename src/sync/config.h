/*
 * config - how a vault is synced: with which remote or command, and the app's callbacks.
 */
#pragma once

#include <stdatomic.h>

#include "base/arena.h"
#include "base/err.h"

enum sync_kind { SYNC_NONE, SYNC_GIT, SYNC_COMMAND };

struct sync_git {
    str remote;               /* URL; empty: that of the repository */
    str branch;               /* empty: the one checked out, or the remote's default */
    str subfolder;            /* the vault root within the repository, or empty */
    int64_t depth;            /* of the first clone; 0: all of it */
    str ssh_key, known_hosts; /* paths, or empty */
    str token_file;           /* for https; read at each use */
    str token_host; /* "host" or "host:port", the only one that gets it; empty: the remote's */
    bool join;      /* merge a remote that has no commit in common with the vault */
    bool counts; /* say how many commits were pulled and pushed, which costs a git each */
    bool own_clone; /* a repository that is a clone of another remote is refused */
    str token_user; /* "x-access-token" if empty */
    str ca_file;    /* certificates trusted for https; empty: the system's */
    str author_name, author_email; /* of changes without a signed-in user */
    bool plugins;                  /* write plugins of Obsidian that were pulled */
    bool add_all;                  /* every commit includes all changes (contract 004) */
    int64_t pull_s, push_delay_s;  /* 0: no interval; push immediately */
    int64_t timeout_s; /* for one exchange with the remote; 0: GIT_NETWORK_S */
};

/* Runs without a shell, with PATH, HOME, the locale and RCLONE_*, XDG_*, SSH_* and
 * *_proxy from our environment. */
struct sync_command {
    const str *argv; /* {vault} and {state} are replaced by paths */
    size_t n;
    int64_t interval_s, quiet_s; /* quiet_s: time without changes before it runs */
    int64_t timeout_s;
};

/* What sync_prepare() found, for callers that must know what git needs. */
struct sync_found {
    struct arena *arena;    /* provided by the caller */
    const char *repository; /* its folder; NULL: there is none */
    str remote;             /* its URL without credentials, or empty */
};

struct sync_config {
    enum sync_kind kind;
    struct sync_git git;
    struct sync_command command;
    const char *vault_folder, *state_folder;
    const char *state_key; /* in the state folder; NULL: a hash of the vault's path */
    atomic_bool *stop;     /* for sync_prepare(): ends it soon when true; may be NULL */
    struct sync_found *found; /* or NULL */

    /* The state changed: called on the sync thread. May be NULL. */
    void (*on_state)(void *app);
    /* A commit of the remote was pulled, and is in the vault: called on the sync thread,
     * as soon as that is so. May be NULL. */
    void (*on_pulled)(void *app, str commit);
    /* The remote and we have the same commit, which contains all changes of the journal
     * up to number: called on the sync thread when either is new, or false was returned
     * for it before. May be NULL. */
    bool (*on_level)(void *app, str commit, uint64_t number);
    /* Before a push (begin), and after it: others push to the same remote, and each
     * waits for its turn. Called on the sync thread; waits some seconds at most. May
     * be NULL. */
    void (*on_turn)(void *app, bool begin);
    void *app;
};

/* The folder, created if missing, in which git keeps its own files for this vault. */
MUST_CHECK bool sync_home(struct arena *a, const struct sync_config *config,
                          const char **out, struct err *err);
