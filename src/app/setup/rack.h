/*
 * rack - things that are opened at their first use and closed when nobody has used them
 * for a while, at most some at a time. Here these are vaults; the rack does not know.
 *
 * Whoever uses an item holds a reference, and no item is closed while there is one. An item
 * is opened once, on a thread of the rack, and whoever wants it meanwhile waits for that,
 * or is told to come back. When as many are open as may be, the one that was least recently
 * used is closed for the next one; if all are in use, that one waits. An item that could
 * not be opened is not tried again for RACK_RETRY_MS. Safe for any number of threads.
 *
 * An item may have to be fetched before it can be opened, which takes as long as others
 * like. So that has threads of its own, and such an item is not counted as open: however
 * many fetches hang, what is here can be opened.
 */
#pragma once

#include "base/err.h"

struct rack;
struct rack_item;

enum {
    RACK_THREADS = 8,     /* that open and close; another one ticks */
    RACK_FETCHES = 4,     /* at a time; the others wait, the first come first */
    RACK_TICK_MS = 200,   /* how often the rack looks for what to close */
    RACK_RETRY_MS = 2000, /* after a failure */
    RACK_FRESH_MS = 2000, /* how long whoever wanted an item may take to come back */
};

enum rack_state { RACK_CLOSED, RACK_FETCHING, RACK_OPENING, RACK_OPEN, RACK_CLOSING };

/* Part of the thing; {0} is a closed one. Only the rack looks inside. */
struct rack_item {
    enum rack_state state;
    unsigned users;
    bool fresh;         /* opened, and nobody has used it since */
    bool dropped;       /* no longer on the rack */
    bool queued;        /* while it is RACK_FETCHING: that has not begun */
    uint64_t used_ms;   /* when it was last used */
    uint64_t failed_ms; /* when it could not be fetched or opened; 0: it could */
    struct err why;
    struct rack *rack; /* while it is not closed */
};

struct rack_config {
    size_t open_max;  /* items that are open at a time */
    uint64_t idle_ms; /* how long an item stays open without a use */

    /* On threads of the rack, never two at a time for one item. Whether it is not here,
     * and must be fetched before it can be opened; NULL: never. */
    bool (*is_away)(void *arg, struct rack_item *item);
    bool (*fetch)(void *arg, struct rack_item *item, struct err *err);
    bool (*open)(void *arg, struct rack_item *item, struct err *err);
    void (*close)(void *arg, struct rack_item *item);

    /* Whether an idle item should stay open while there is room; on the thread of tick(),
     * without a lock, for an open item. NULL: none. */
    bool (*wanted)(void *arg, struct rack_item *item);

    /* Called every RACK_TICK_MS, however long others take to be opened. NULL: nothing. */
    void (*tick)(void *arg);
    void *arg;
};

struct rack *rack_create(const struct rack_config *config);

/* From now on nothing is opened or used any more. */
void rack_stop(struct rack *s);

/* Closes everything. Nothing may be in use any more. NULL is fine. */
void rack_free(struct rack *s);

/*
 * Use an item if it is open: RACK_OPEN, and rack_release() is due later. RACK_OPENING: it
 * is being opened, or waits for that; ask again soon. RACK_FETCHING: the same, but that may
 * take minutes. RACK_CLOSED: it cannot be opened, as err says.
 */
enum rack_state rack_try(struct rack *s, struct rack_item *item, struct err *err);

/* The same, but waits for at most ms, without occupying a worker of a pool, and not for a
 * fetch. Fails with ERR_BUSY if that was not enough. */
MUST_CHECK bool rack_use(struct rack *s, struct rack_item *item, unsigned ms,
                         struct err *err);

/* Whether it is being fetched, or waits for that. */
bool rack_is_fetching(struct rack *s, const struct rack_item *item);

/* Fails with ERR_BUSY, and what an item waits for that is not open yet. */
bool rack_not_yet(struct rack *s, const struct rack_item *item, struct err *err);

void rack_release(struct rack *s, struct rack_item *item);

/* Look at it if it is open, which keeps it open until rack_look_away(), but does not count
 * as a use. */
MUST_CHECK bool rack_look(struct rack *s, struct rack_item *item);
void rack_look_away(struct rack *s, struct rack_item *item);

/* It is not on the rack any more (or is again): it cannot be used, and is closed when
 * those who use it are done. */
void rack_drop(struct rack *s, struct rack_item *item, bool dropped);

/* How many are open, or on the way. */
size_t rack_count(struct rack *s);
