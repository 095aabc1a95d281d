/*
 * caller - who makes requests, and whether that is still allowed.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "base/map.h"

/* All empty without a sign-in. */
struct mcp_caller {
    str user;      /* the user name */
    str client;    /* the program that the user authorized */
    str client_id; /* what the sign-in knows it by */
    str grant;     /* what it may do, in the app's format; empty: everything */
    str owner;    /* of sessions and tasks: only the same owner's requests may use them */
    void *rights; /* the grant as mcp_config.read_grant parsed it for this request */
    int64_t id;   /* id of the grant, for mcp_endpoint_check(); 0: cannot be revoked */
    str proof;    /* of its token, for the same; maybe empty */
    int64_t expires; /* when its token does, seconds since 1970; 0: never */
    uint64_t share; /* whose share of workers and memory it uses (base/pool.h); 0: none */
};

/*
 * Counts a request of caller, which changes something or not. True: it may run in
 * *wait_ms, which is at most most_ms. False: it is not counted, and err says when to try
 * again. From any thread.
 */
typedef bool mcp_turn_fn(void *context, const struct mcp_caller *caller, bool changes,
                         uint64_t most_ms, uint64_t *wait_ms, struct err *err);

/* The requests of a caller cost as much as n more: they were large, or took long. From
 * any thread. */
typedef void mcp_charge_fn(void *context, const struct mcp_caller *caller, unsigned n);

/* --- private to src/mcp --- */

/* Which callers are still allowed: whose token is neither expired nor revoked. */
struct mcp_check {
    int64_t now;           /* seconds since 1970 */
    struct map refused;    /* mcp_caller_key() */
    struct arena *scratch; /* for keys */
};

/* Who a caller is, and what it may do, as one text. */
str mcp_caller_key(struct arena *a, const struct mcp_caller *caller);

bool mcp_is_welcome(const struct mcp_check *c, const struct mcp_caller *caller,
                    int64_t expires);

/* Different callers, for mcp_check_callers(). */
struct mcp_callers {
    struct arena *arena;
    struct map keys; /* mcp_caller_key(), by index of all */
    struct mcp_caller *all;
    size_t n;
};
void mcp_callers_add(struct mcp_callers *list, const struct mcp_caller *caller);
