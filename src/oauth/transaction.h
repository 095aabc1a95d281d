/*
 * transaction - what a browser is currently doing: authorizing a client, or signing in to
 * see /account.
 *
 * All data of the OAuth request is kept here, none of it in a form (SEC-49). A
 * transaction is bound to one browser by a cookie, and lives TRANSACTION_TTL_S. Its page
 * carries two names for it: the handle identifies it in a URL and is not secret; the
 * ticket proves that a form was ours and works once. At most TRANSACTIONS_MAX are kept:
 * if an address has more than its share, its oldest is dropped, else the oldest of all.
 *
 * A thread that takes a transaction out of the table owns it: no other thread finds it
 * until it is put back. Safe from any thread; times are seconds as from clock_now(),
 * passed in.
 */
#pragma once

#include "oauth/proof/seal.h"
#include "oauth/provider.h"
#include "oauth/rights.h"

enum {
    TRANSACTION_TTL_S = 10 * 60,
    TRANSACTIONS_MAX = 2048,
    TRANSACTIONS_PER_PEER = TRANSACTIONS_MAX / 4, /* applied when the table is full */
    TRANSACTION_STATE_MAX = 4096,
};

enum transaction_stage {
    TRANSACTION_LOGIN,
    TRANSACTION_CONSENT,
    TRANSACTION_AWAY, /* the browser is at a provider */
};

struct upstream;

struct transaction {
    struct arena arena;     /* holds everything below */
    str handle;             /* for URLs */
    str ticket;             /* of the form shown now */
    uint8_t browser[32];    /* SHA-256 of the cookie */
    uint8_t seal[SEAL_KEY]; /* from the cookie, too (transaction_store.h) */
    uint64_t peer;          /* hash of the address */
    int64_t created;
    enum transaction_stage stage;

    const char *place; /* our own page to go to afterwards; NULL: for a client */
    str client_id, client_name, redirect_uri;
    str state; /* p NULL: not given */
    str challenge;
    unsigned scopes; /* requested */

    str user;                   /* the signed-in user; empty: none yet */
    struct oauth_rights rights; /* chosen before going to a provider */
    const struct upstream *upstream;
    struct provider_trip trip;

    struct transaction *next;
};

struct transactions;

/* shared: where all replicas keep them; NULL: in memory. */
struct store;
struct transactions *transactions_create(struct store *shared);
void transactions_free(struct transactions *t);

/* An empty transaction with handle, ticket and time; not in the table yet. */
struct transaction *transaction_new(str browser_cookie, str peer, int64_t now);
void transaction_free(struct transaction *x); /* only if it is not in the table */

/* It belongs to the browser with this cookie from now on. */
void transaction_bind(struct transaction *x, str browser_cookie);

/* A new ticket, which invalidates the form shown before. */
void transaction_renew(struct transaction *x);

/* Put it into the table, which then owns it. */
void transactions_put(struct transactions *t, struct transaction *x);

/* Take a transaction of this browser out of the table, by its ticket, its handle or its
 * state at a provider, in this stage; NULL if there is none. */
enum transaction_key { BY_TICKET, BY_HANDLE, BY_STATE };
struct transaction *transactions_take(struct transactions *t, enum transaction_key kind,
                                      str key, str browser_cookie,
                                      enum transaction_stage stage, int64_t now);

/* Whether a live transaction has this cookie, that is, whether we set it. */
bool transactions_know(struct transactions *t, str browser_cookie, int64_t now);

/* The browser got another cookie: rebind its transactions to it. */
void transactions_move(struct transactions *t, str from_cookie, str to_cookie);

size_t transactions_count(struct transactions *t);
