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
    SYNC_QUEUE_MAX = 1000,           /* changes that wait; further ones join the last */
    SYNC_PUSHES = 5,                 /* attempts while the remote moves on */
    SYNC_TIDY_MS = 24 * 3600 * 1000, /* between two runs of git gc */
};

/* A change that waits to be committed. */
struct pending {
    struct pending *next;
    struct arena arena;
    struct sync_change change;
};

struct sync {
    struct sync_config config; /* texts in the arena */
    struct arena arena;
    struct vault *v;
    struct git git;
    struct work work;
    pthread_t thread;

    pthread_mutex_t lock;
    pthread_cond_t changed; /* anything below */
    struct pending *queue, **queue_end;
    size_t waiting;
    uint64_t asked, answered; /* tickets of sync_ask() */
    struct err answer;        /* how the last round ended */
    uint64_t quiet_at;        /* when it was quiet long enough for a command */
    bool stopping, broken;
    struct sync_state state; /* texts in state_arena */
    struct arena state_arena;

    /* the thread's own */
    atomic_bool stop_network;
    uint64_t pull_at, push_at, commit_at; /* clock_ms(); 0: nothing is due */
    uint64_t tidy_at;
    unsigned failures;
    uint64_t done; /* the last change that is committed */
    bool caught_up;
};

/* What the thread does next; last: it is being stopped. */
struct round {
    bool pull, push, last;
};

/* --- sync.c --- */

/* The first change that waits, or NULL; the thread alone takes them away. */
struct pending *sync_first(struct sync *s);
void sync_drop_first(struct sync *s);
size_t sync_waiting(struct sync *s);
void sync_enqueue(struct sync *s, const struct sync_change *c);

/* --- driver_git.c, driver_command.c --- */

MUST_CHECK bool driver_git_round(struct sync *s, const struct round *r, struct err *err);
MUST_CHECK bool driver_command_round(struct sync *s, struct err *err);
