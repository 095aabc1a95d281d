/*
 * auth_flow - what a browser is currently doing: authorizing a client, or signing in to
 * see /account.
 *
 * All data of the OAuth request is kept here, none of it in a form (SEC-49). An
 * auth flow is bound to one browser by a cookie, and lives AUTH_FLOW_TTL_S. Its page
 * carries two names for it: the handle identifies it in a URL and is not secret; the
 * ticket proves that a form was ours and works once. At most AUTH_FLOWS_MAX are kept:
 * if an address has more than its share, its oldest is dropped, else the oldest of all.
 *
 * A thread that takes an auth flow out of the table owns it: no other thread finds it
 * until it is put back. Safe from any thread; times are seconds as from clock_now(),
 * passed in.
 */
#pragma once

#include "oauth/proof/seal.h"
#include "oauth/provider.h"
#include "oauth/rights.h"

enum {
    AUTH_FLOW_TTL_S = 10 * 60,
    AUTH_FLOWS_MAX = 2048,
    AUTH_FLOWS_PER_PEER = AUTH_FLOWS_MAX / 4, /* applied when the table is full */
    AUTH_FLOW_STATE_MAX = 4096,
};

enum auth_flow_stage {
    AUTH_FLOW_LOGIN,
    AUTH_FLOW_CONSENT,
    AUTH_FLOW_AWAY, /* the browser is at a provider */
};

struct upstream;

struct auth_flow {
    struct arena arena;     /* holds everything below */
    str handle;             /* for URLs */
    str ticket;             /* of the form shown now */
    uint8_t browser[32];    /* SHA-256 of the cookie */
    uint8_t seal[SEAL_KEY]; /* from the cookie, too (auth_flow_store.h) */
    uint64_t peer;          /* hash of the address */
    int64_t created;
    enum auth_flow_stage stage;

    const char *place; /* our own page to go to afterwards; NULL: for a client */
    str client_id, client_name, redirect_uri;
    str state; /* p NULL: not given */
    str challenge;
    unsigned scopes; /* requested */

    str user;                   /* the signed-in user; empty: none yet */
    struct oauth_rights rights; /* chosen before going to a provider */
    const struct upstream *upstream;
    struct provider_sign_in sign_in;

    struct auth_flow *next;
};

struct auth_flows;

/* shared: where all replicas keep them; NULL: in memory. */
struct store;
struct auth_flows *auth_flows_create(struct store *shared);
void auth_flows_free(struct auth_flows *t);

/* An empty auth flow with handle, ticket and time; not in the table yet. */
struct auth_flow *auth_flow_new(str browser_cookie, str peer, int64_t now);
void auth_flow_free(struct auth_flow *x); /* only if it is not in the table */

/* It belongs to the browser with this cookie from now on. */
void auth_flow_bind(struct auth_flow *x, str browser_cookie);

/* A new ticket, which invalidates the form shown before. */
void auth_flow_renew(struct auth_flow *x);

/* Put it into the table, which then owns it. */
void auth_flows_put(struct auth_flows *t, struct auth_flow *x);

/* Take an auth flow of this browser out of the table, by its ticket, its handle or its
 * state at a provider, in this stage; NULL if there is none. */
enum auth_flow_key { BY_TICKET, BY_HANDLE, BY_STATE };
struct auth_flow *auth_flows_take(struct auth_flows *t, enum auth_flow_key kind, str key,
                                  str browser_cookie, enum auth_flow_stage stage,
                                  int64_t now);

/* Whether a live auth flow has this cookie, that is, whether we set it. */
bool auth_flows_know(struct auth_flows *t, str browser_cookie, int64_t now);

/* The browser got another cookie: rebind its auth flows to it. */
void auth_flows_move(struct auth_flows *t, str from_cookie, str to_cookie);

size_t auth_flows_count(struct auth_flows *t);
