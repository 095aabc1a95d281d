/*
 * transaction - what a browser is in the middle of: authorizing a client, or signing in
 * to see /account.
 *
 * Everything the OAuth request said is kept here, nothing of it in a form (SEC-49). A
 * transaction belongs to one browser, by a cookie, and lives TRANSACTION_TTL_S. Its page
 * carries two names of it: the handle finds it in a URL and is no secret; the ticket
 * proves a form was ours and works once. At most TRANSACTIONS_MAX are kept: a browser's
 * address that has more than its share loses its own oldest, else the oldest of all goes.
 *
 * Whoever takes a transaction out of the table has it alone: nobody else finds it until
 * it is put back. Safe from any thread; seconds of clock_now()'s kind are passed in.
 */
#pragma once

#include "oauth/provider.h"
#include "oauth/rights.h"

enum {
    TRANSACTION_TTL_S = 10 * 60,
    TRANSACTIONS_MAX = 2048,
    TRANSACTIONS_PER_PEER = TRANSACTIONS_MAX / 4, /* while it is full */
    TRANSACTION_STATE_MAX = 4096,
};

enum transaction_stage {
    TRANSACTION_LOGIN,
    TRANSACTION_CONSENT,
    TRANSACTION_AWAY, /* at a provider */
};

struct upstream;

struct transaction {
    struct arena arena;  /* what everything below lives in */
    str handle;          /* of URLs */
    str ticket;          /* of the form that is shown now */
    uint8_t browser[32]; /* SHA-256 of the cookie */
    uint64_t peer;       /* hash of the address */
    int64_t created;
    enum transaction_stage stage;

    const char *place; /* of ours, where to go then: the fields of a client are empty;
                          NULL: for a client */
    str client_id, client_name, redirect_uri;
    bool redirect_given; /* in the request; else it is the only one */
    str state;           /* p NULL: there was none */
    str challenge;
    unsigned scopes; /* asked for */

    str user;                   /* who signed in; empty: nobody yet */
    struct oauth_rights rights; /* chosen, before a trip to a provider */
    const struct upstream *upstream;
    struct provider_trip trip;

    struct transaction *next;
};

struct transactions;

struct transactions *transactions_create(void);
void transactions_free(struct transactions *t);

/* An empty one with handle, ticket and time; not in the table yet. */
struct transaction *transaction_new(str browser_cookie, str peer, int64_t now);
void transaction_free(struct transaction *x); /* one that is not in the table */

/* A new ticket, so that the form shown before is spent. */
void transaction_renew(struct transaction *x);

/* Into the table, which owns it then. */
void transactions_put(struct transactions *t, struct transaction *x);

/* Out of the table: the one of this browser with this ticket, handle or state of a trip,
 * in this stage; NULL when there is none. */
enum transaction_key { BY_TICKET, BY_HANDLE, BY_STATE };
struct transaction *transactions_take(struct transactions *t, enum transaction_key kind,
                                      str key, str browser_cookie,
                                      enum transaction_stage stage, int64_t now);

/* Whether a live transaction has this cookie: it is one that we gave. */
bool transactions_know(struct transactions *t, str browser_cookie, int64_t now);

/* The browser got another cookie: its transactions go with it. */
void transactions_move(struct transactions *t, str from_cookie, str to_cookie);

size_t transactions_count(struct transactions *t);
