/*
 * open_vaults - a cache of open things: opened on first use, closed when idle, limited in
 * number (LRU). They are vaults, but nothing here depends on that.
 *
 * Users of an item hold a reference, and no item is closed while there is one. An item is
 * opened once, on a thread of open_vaults; other callers wait for that meanwhile, or ask
 * again soon. At the limit, the least recently used item is closed to make room; if all
 * are in use, the caller waits. An item that could not be opened is not tried again for
 * OPEN_VAULTS_RETRY_MS. Safe for any number of threads.
 *
 * Closing may take seconds, because a vault tries a last push. So closings have their own
 * threads, too, and an item that is being closed is not counted as open: its place is
 * free at once, and only its own users wait for the end. OPEN_VAULTS_CLOSINGS_MAX run at a
 * time, and an origin with OPEN_VAULTS_CLOSINGS_ORIGIN of them opens nothing in the place
 * of others until one has ended.
 *
 * An item may have to be fetched before it can be opened, which takes as long as the
 * remote does. So fetches have their own threads, and such an item is not counted as
 * open: however many fetches hang, what is here can be opened. OPEN_VAULTS_FETCHES run at
 * a time; one that takes longer than its turn is no longer counted, so slow remotes do
 * not keep others waiting, until OPEN_VAULTS_FETCHES_MAX run. Of those that wait, the one
 * whose origin has the fewest running is next.
 */
#pragma once

#include "base/err.h"

struct open_vaults;
struct open_item;

enum {
    OPEN_VAULTS_THREADS = 8, /* that open; another one ticks */
    OPEN_VAULTS_FETCHES_MAX = 32,
    OPEN_VAULTS_TURN_MS = 10000,
    OPEN_VAULTS_FETCHES = 4,       /* at a time; the others wait, the first come first */
    OPEN_VAULTS_CLOSINGS_MAX = 16, /* in memory beside those that are open */
    OPEN_VAULTS_CLOSINGS_ORIGIN = 4,
    OPEN_VAULTS_TICK_MS = 200,   /* how often it looks for what to close */
    OPEN_VAULTS_RETRY_MS = 2000, /* after a failure */
    OPEN_VAULTS_FRESH_MS =
        2000, /* how long a caller that waits for an item may take to ask again */
};

enum open_state {
    OPEN_STATE_CLOSED,
    OPEN_STATE_FETCHING,
    OPEN_STATE_OPENING,
    OPEN_STATE_OPEN,
    OPEN_STATE_CLOSING
};

/* Part of the thing; {0} is a closed one. Only open_vaults looks inside. */
struct open_item {
    enum open_state state;
    unsigned users;
    bool fresh;          /* opened, and not used since */
    bool dropped;        /* no longer there */
    bool queued;         /* while it is OPEN_STATE_FETCHING: that has not begun */
    uint64_t origin;     /* set by the owner: those of one remote host have the same */
    uint64_t fetched_ms; /* while it is OPEN_STATE_FETCHING and not queued: since when */
    uint64_t used_ms;    /* when it was last used */
    uint64_t failed_ms;  /* when it could not be fetched or opened; 0: it could */
    struct err why;
    struct open_vaults *owner; /* while it is not closed */
};

struct open_vaults_config {
    size_t open_max;  /* items that are open at a time */
    uint64_t idle_ms; /* how long an item stays open without a use */
    uint64_t turn_ms; /* how long a fetch counts; 0: OPEN_VAULTS_TURN_MS */

    /* On threads of open_vaults, never two at a time for one item. Whether it is not
     * here, and must be fetched before it can be opened; NULL: never. */
    bool (*is_away)(void *arg, struct open_item *item);
    bool (*fetch)(void *arg, struct open_item *item, struct err *err);
    bool (*open)(void *arg, struct open_item *item, struct err *err);
    void (*close)(void *arg, struct open_item *item);

    /* Whether an idle item should stay open while there is room; on the thread of tick(),
     * without a lock, for an open item. NULL: none. */
    bool (*wanted)(void *arg, struct open_item *item);

    /* Called every OPEN_VAULTS_TICK_MS, however long others take to be opened. NULL:
     * nothing. */
    void (*tick)(void *arg);
    void *arg;
};

struct open_vaults *open_vaults_create(const struct open_vaults_config *config);

/* From now on nothing is opened or used any more. */
void open_vaults_stop(struct open_vaults *s);

/* Closes everything. Nothing may be in use any more. NULL is fine. */
void open_vaults_free(struct open_vaults *s);

/*
 * Use an item if it is open: OPEN_STATE_OPEN, and open_vaults_release() is due later.
 * OPEN_STATE_OPENING: it is being opened, or waits for that; ask again soon.
 * OPEN_STATE_FETCHING: the same, but that may take minutes. OPEN_STATE_CLOSED: it cannot
 * be opened, as err says.
 */
enum open_state open_vaults_try(struct open_vaults *s, struct open_item *item,
                                struct err *err);

/* The same, but waits for at most ms, without occupying a worker of a pool, and not for a
 * fetch. Fails with ERR_BUSY if that was not enough. */
MUST_CHECK bool open_vaults_use(struct open_vaults *s, struct open_item *item,
                                unsigned ms, struct err *err);

/* Whether it is being fetched, or waits for that. */
bool open_vaults_is_fetching(struct open_vaults *s, const struct open_item *item);

/* Fails with ERR_BUSY, and what an item waits for that is not open yet. */
bool open_vaults_not_yet(struct open_vaults *s, const struct open_item *item,
                         struct err *err);

void open_vaults_release(struct open_vaults *s, struct open_item *item);

/* Look at it if it is open, which keeps it open until open_vaults_look_away(), but does
 * not count as a use. */
MUST_CHECK bool open_vaults_look(struct open_vaults *s, struct open_item *item);
void open_vaults_look_away(struct open_vaults *s, struct open_item *item);

/* It is not there any more (or is again): it cannot be used, and is closed when
 * its users are done. */
void open_vaults_drop(struct open_vaults *s, struct open_item *item, bool dropped);

/* How many are open or being opened. */
size_t open_vaults_count(struct open_vaults *s);
