/*
 * sync_parts - the members of struct sync, for sync.c and the drivers. Private to src/sync.
 */
#pragma once

#include "base/lock.h"
#include "base/os/thread.h"
#include "sync/sync.h"
#include "sync/work.h"

enum {
    SYNC_RETRY_MS = 5000,       /* after a failure, doubled each time */
    SYNC_RETRY_MAX_MS = 300000, /* up to this */
    SYNC_SETTLE_MS = 500,       /* wait without changes before a commit, */
    SYNC_SETTLE_MAX_MS = 2000,  /* but at most this long */
    SYNC_HEARD_MS = 20,         /* wait for other reports before a pull */
    SYNC_QUIET_MS = 5000,       /* after an edit by hand; Obsidian saves continually */
    SYNC_PUSHES = 5,            /* attempts while the remote keeps changing */
    SYNC_TIDY_MS = 24 * 3600 * 1000, /* between two runs of git gc */
};

/* What becomes due. */
enum sync_job {
    SYNC_COMMIT, /* of reported changes; with a command, its run after them */
    SYNC_LOOK,   /* for changes that others made, to commit them */
    SYNC_PULL,
    SYNC_SEND, /* a push of what is committed */
    SYNC_JOBS
};

struct sync {
    struct sync_config config; /* texts in the arena */
    struct arena arena;
    struct vault *v;
    struct git git;
    struct work work;
    struct thread thread;

    struct lock lock;
    struct cond changed;      /* anything below */
    size_t waiting;           /* changes reported to us */
    uint64_t asked, answered; /* tickets of sync_ask() and sync_push() */
    uint64_t asked_pull;      /* the last one of sync_ask() */
    uint64_t made, pushed;    /* changes reported, counted from the start, and how many of
                                 them the remote has; all earlier ones count as 1 */
    struct err answer;        /* how the last round ended */
    uint64_t due[SYNC_JOBS];  /* clock_ms(); 0: it is not */
    uint64_t first_at;        /* when the first change to commit was reported; 0: none */
    uint64_t retry_at;        /* no commit before this, after a failed round */
    bool stopping, broken;
    struct sync_state state; /* texts in state_arena */
    struct arena state_arena;

    /* for the sync thread */
    atomic_bool stop_network;
    atomic_uint_fast64_t pulled_at; /* sync_pulled_at() */
    int64_t started;
    bool has_commits;    /* the repository has a first commit */
    char level[WORK_ID]; /* the commit and number that on_level has taken */
    uint64_t level_number;
    uint64_t tidy_at;
    unsigned failures;
    uint64_t push_by; /* clock_ms(): when the push while stopping ends */
};

/* What the thread does next; last: the sync is being stopped. */
struct round {
    bool commit, look, pull, push, last;
    bool level;      /* we and the remote have the same commit */
    bool more;       /* changes were added to it that are not committed yet */
    uint64_t ticket; /* requests up to this one get its result */
    size_t waiting;  /* changes reported before it, not committed yet */
    uint64_t made;   /* changes reported before it, in all */
};

/* When a job is due, if it is (sync.c). sync_plan: at that time, unless it is due. */
uint64_t sync_due(struct sync *s, enum sync_job job);
void sync_plan(struct sync *s, enum sync_job job, uint64_t at);

/* The changes reported before the round are done (sync.c). */
void sync_settled(struct sync *s, const struct round *r);

/* What was asked for and reported since the round began is part of it, too: renew before a
 * pull, and catch up before a push, which says whether there is more to commit. */
void sync_renew(struct sync *s, struct round *r);
bool sync_catch_up(struct sync *s, struct round *r);

/* Whether others have pushed since (sync_heard()). */
bool sync_has_heard(struct sync *s);

/* The remote has them. */
void sync_pushed(struct sync *s, const struct round *r);

/* --- driver_git.c, driver_command.c --- */

/* May add to the round what was reported during it. */
MUST_CHECK bool driver_git_round(struct sync *s, struct round *r, struct err *err);
/* Whether another program made changes that have to be committed. */
bool driver_git_has_work(struct sync *s);
MUST_CHECK bool driver_command_round(struct sync *s, const struct round *r,
                                     struct err *err);
