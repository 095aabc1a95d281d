/*
 * parts - the inside of a struct sync, for sync.c and the drivers. Private to src/sync.
 */
#pragma once

#include <pthread.h>

#include "sync/work.h"

enum {
    SYNC_RETRY_MS = 5000,            /* after a failure, doubled each time up to */
    SYNC_RETRY_MAX_MS = 300000,      /* so much */
    SYNC_STOP_PUSH_MS = 5000,        /* a last push while stopping */
    SYNC_SETTLE_MS = 500,            /* without a change, before they are committed; */
    SYNC_SETTLE_MAX_MS = 2000,       /* not longer if they keep coming */
    SYNC_QUIET_MS = 5000,            /* after an edit by hand; Obsidian saves all along */
    SYNC_PUSHES = 5,                 /* attempts while the remote moves on */
    SYNC_TIDY_MS = 24 * 3600 * 1000, /* between two runs of git gc */
};

struct sync {
    struct sync_config config; /* texts in the arena */
    struct arena arena;
    struct vault *v;
    struct git git;
    struct work work;
    pthread_t thread;

    pthread_mutex_t lock;
    pthread_cond_t changed;   /* anything below */
    size_t waiting;           /* changes that were told */
    uint64_t asked, answered; /* tickets of sync_ask() */
    struct err answer;        /* how the last round ended */
    uint64_t quiet_at;        /* when it was quiet long enough for a command */
    uint64_t commit_at;       /* clock_ms(); 0: no change was told */
    uint64_t first_at;        /* when the first of them was; 0: none was */
    uint64_t retry_at;        /* not before, since the last round failed */
    uint64_t look_at;         /* the same of what others did to the folder */
    bool stopping, broken;
    struct sync_state state; /* texts in state_arena */
    struct arena state_arena;

    /* the thread's own */
    atomic_bool stop_network;
    int64_t started;
    uint64_t pull_at, push_at; /* clock_ms(); 0: nothing is due */
    uint64_t tidy_at;
    unsigned failures;
};

/* What the thread does next; last: it is being stopped. */
struct round {
    bool commit, look, pull, push, last;
    uint64_t ticket; /* who asked before it gets its outcome */
    size_t waiting;  /* changes that were told before it */
};

/* The changes that were told before the round are dealt with (sync.c). */
void sync_settled(struct sync *s, const struct round *r);

/* --- driver_git.c, driver_command.c --- */

MUST_CHECK bool driver_git_round(struct sync *s, const struct round *r, struct err *err);
/* Whether somebody else did something that is to be committed. */
bool driver_git_has_work(struct sync *s);
MUST_CHECK bool driver_command_round(struct sync *s, const struct round *r,
                                     struct err *err);
