/*
 * fresh - a client that has seen a change never reads an older state at another replica.
 *
 * Two facts about each vault are in the database. A replica that has the same commit as
 * the remote says so, with the number of the last change of its journal in it (heads). A
 * caller who got an answer from a replica has seen its changes up to a number (marks). So
 * another replica knows, before it answers that caller, whether it must have a commit
 * first, and pulls it; or that the change is not pushed yet, and waits for that. After
 * FRESH_MS it answers nevertheless, and says that the answer may be older; and as long as
 * what it waited for hangs, others get such an answer at once.
 *
 * A request says which vault it uses as soon as it knows (tool_use()). What is known of our
 * clone of a vault (app_vault.known) stays when a hosted one is closed; one that is opened
 * for the first time is known to have nothing, so it pulls what the caller has seen.
 *
 * A caller is a user with a program or, without sign-in, a legacy session, or everybody. A
 * page in a browser is for a user, whichever of their programs has seen something.
 * A mark is written only if the vault has changed here since the caller's last answer
 * about it, and looking up marks is one query for each request. With one process, or
 * without a git remote, nothing here does anything.
 */
#pragma once

#include "app/setup/app.h"
#include "base/arena.h"
#include "base/os/thread.h"

enum {
    FRESH_MS = 5000, /* how long a request waits for what its caller has seen */
    FRESH_POLL_MS = 20,
    FRESH_MARKED = 4096, /* marks that are remembered, by hash */
};

/* Of the app: app.fresh. All zeros at first. */
struct fresh {
    atomic_uint_fast64_t back_at; /* when the database was last back; 0: never away */
    struct mutex lock;            /* of the rest */
    struct {
        uint64_t mark, number;
    } marked[FRESH_MARKED];
};

struct fresh_use;
struct fresh_mark;

/* What a request has asked about, in its arena. */
struct fresh_request {
    struct arena *arena;
    str owner;    /* the caller */
    bool person;  /* that is a user and a line feed, or empty for everybody: all callers
                     that begin so have seen it */
    bool several; /* it is about several vaults: one query reads the marks of all */
    bool stale;   /* what it reads may be older than what its caller has seen */

    /* Private. */
    uint64_t began;
    struct fresh_use *uses;
    struct fresh_mark *all;
    size_t n_all;
};

/* What all replicas call a vault; empty for the first of the settings. */
str fresh_name(const struct app_vault *v);

/* The vault is open: the changes in its journal are here. */
void fresh_opened(struct app_vault *v);

/* We have the same commit as the remote: for sync_config.on_level. Tells the others, whose
 * fresh_heard() gets the text: they pull, if the vault is open there. False: the database
 * does not have it. */
MUST_CHECK bool fresh_level(struct app_vault *v, str commit, uint64_t number);
void fresh_heard(struct app *app, str text);

/* The database was away, and is back: what others said, and what callers have seen, may be
 * missing there. So a vault is pulled before it is used. Does not wait. */
void fresh_back(struct app *app);

/*
 * A request is about to use a vault, which is open: how many milliseconds it waits before
 * this is asked again; 0: it may use it. On workers.
 */
unsigned fresh_hold(struct fresh_request *r, struct app_vault *v);

/* The same, but waits for it here, without occupying a worker of a pool, until end by
 * clock_ms(), or stop returns true. For what cannot be run again; stop may be NULL. */
void fresh_wait(struct fresh_request *r, struct app_vault *v, uint64_t end,
                bool (*stop)(void *arg), void *arg);

/* What the request answers about a vault is settled, and only waits to be sent: its caller
 * does not see later changes. Else waiting for those would never end while others write. */
void fresh_settled(struct fresh_request *r, const struct app_vault *v);

/* The request is about to be answered: its caller has seen what is here. */
void fresh_saw(const struct fresh_request *r);

/* What an answer says that may be older than what its caller has seen. */
#define FRESH_STALE                                                                      \
    "This server has not received the latest changes that you have seen: what it "       \
    "shows may be older. Try again later."
