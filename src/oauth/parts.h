/*
 * parts - private to src/oauth: the server struct, and what its parts share.
 */
#pragma once

#include "base/lock.h"
#include "base/log.h"
#include "base/monotonic_date.h"
#include "base/pool.h"
#include "oauth/cache.h"
#include "oauth/config.h"
#include "oauth/documents.h"
#include "oauth/proof/jwt.h"
#include "oauth/users.h"
#include "replica/limiter.h"
#include "replica/shared_counter.h"
#include "state/store.h"

enum {
    REGISTRATIONS_SHARED = 20,   /* per minute, by all networks together */
    REGISTRATIONS_RESERVED = 10, /* and for each network, whatever the others do */
    TOKENS_PER_GRANT = 64,       /* the oldest goes first */
    SWEEP_EVERY_S = 600,
    /* More workers than can wait for other servers, so that a request that needs none of
     * them is never held up by one that does. */
    OAUTH_WORKERS = DOCUMENT_AT_ONCE + UPSTREAM_AT_ONCE + 2,
    OAUTH_QUEUE = 128, /* requests that wait; most take a millisecond */
    GATE_WORKERS = 2,  /* that look up tokens (gate.h) */
    GATE_QUEUE = 512,  /* requests that wait for that: a new client may begin with many */
};

/* Who may register a client, also for all servers of a database together. */
extern const struct shared_counter oauth_registrations, oauth_registrations_of_network;

struct jwt_keys {
    struct lock lock;
    struct arena arena;
    struct jwt_key *all; /* the newest first */
    size_t n;
};

/* What the store believes about the clock (dates.c). */
struct dates {
    struct lock lock;
    struct monotonic_date witness;
    atomic_bool doubt;
};

/* The configured clients, which a reload replaces; callers use copies. */
struct oauth_configured {
    struct lock_shared lock;
    struct arena arena;
    const struct oauth_client *all;
    size_t n;
};

struct oauth {
    struct oauth_configured configured;
    struct arena arena;         /* holds the copy below */
    struct oauth_config config; /* all text copied */
    str resource;               /* the MCP endpoint's URL: audience of our tokens */
    str metadata_url;           /* in the challenge */
    str root_metadata_url;      /* the same for requests to the bare address */
    struct store *store;
    struct users *users;
    struct documents *documents;
    struct browser *browser;
    struct pool *work; /* for unauthenticated requests: endpoints and pages. Not the pool
                        * of MCP calls, which must never wait for them. */
    struct pool *lookups; /* of tokens (gate.h), and what must not wait for a page */
    struct cache cache;
    struct limiter *registrations, *registrations_of_network;
    struct jwt_keys keys;
    struct dates dates;
    uint8_t refresh_key[HASH_SIZE];
    atomic_uint_fast64_t users_noted; /* which users_generation(), + 1; 0: none */
    atomic_int_fast64_t swept; /* when expired rows were deleted, since boot; 0: never */
};

/* The stamp of a user's password now (users.h), in the arena; empty for a user of a
 * provider. False if there is no such user. */
bool oauth_stamp(const struct oauth *o, struct arena *a, str user, str *out);

/* Whether the user exists and has the same password as when the stamp was made. */
bool oauth_knows_user(const struct oauth *o, str user, str stamp);

/* The scopes that clients can be given here. */
unsigned oauth_scopes(const struct oauth_config *c);

/* The folders, or vaults, for which a user can choose a level. */
size_t oauth_folders_of(const struct oauth *o, struct arena *a, str user,
                        const str **out);

/* A copy of a list and its texts in the arena. */
const str *copy_texts(struct arena *a, const str *list, size_t n);

/* --- configured clients (clients.c) --- */

/* The one with that id, in the arena; false: there is none. From any thread. */
bool configured_find(struct oauth *o, struct arena *a, str id, struct oauth_client *out);

void configured_set(struct oauth *o, const struct oauth_client *clients, size_t n);

/* A client of a grant that is neither configured nor registered nor has a document: it
 * was removed from the configuration, here or in another process, now or before the
 * start. */
bool clients_is_gone(struct oauth *o, str id, bool registered);

/* Fill *fault; false. */
bool fault_set(struct oauth_fault *fault, int status, const char *code, const char *text);

/* The store failed: 503, so that clients keep their tokens and try again. */
bool fault_of_store(struct oauth_fault *fault, const struct err *err);

/* --- an access token for a grant, within a transaction --- */

struct access_order {
    int64_t grant, latest; /* latest: it must expire by then */
    unsigned scopes;
    str user, client_id;
};
MUST_CHECK bool access_issue(struct oauth *o, struct arena *a,
                             const struct access_order *order, struct oauth_answer *out,
                             struct err *err);

/* --- refresh tokens: id, counter, HMAC (refresh.c) --- */

enum { REFRESH_ROTATIONS = 8 }; /* how many rotation times are remembered */

str refresh_print(struct oauth *o, struct arena *a, int64_t grant, int64_t counter);
MUST_CHECK bool refresh_read(struct oauth *o, str token, int64_t *grant,
                             int64_t *counter);

/* When a grant that is used now expires if it is not used again. */
int64_t refresh_until(const struct oauth *o, int64_t latest, int64_t now);

/* Within a transaction: remember that access was given, for as long as the store exists,
 * so that a server whose last key is revoked does not open (reach.h). */
MUST_CHECK bool access_remember(struct oauth *o, struct err *err);

/* --- within a transaction: the grant and all its tokens; then store_revoked() --- */
MUST_CHECK bool grant_drop(struct oauth *o, int64_t id, struct err *err);

/*
 * The date to delete old rows by (monotonic_date.h), as against clock_now(), by which
 * they can no longer be used. Not within a transaction.
 */
int64_t oauth_date(struct oauth *o);
MUST_CHECK bool dates_open(struct oauth *o, struct err *err);
void dates_close(struct dates *d);

/* Delete expired rows and rotate keys, unless that was done recently. Not within a
 * transaction. */
void grants_sweep(struct oauth *o);

/* --- JWT keys (jwt_keys.c) --- */
MUST_CHECK bool jwt_keys_open(struct oauth *o, struct err *err);
MUST_CHECK bool jwt_keys_rotate(struct oauth *o, struct err *err); /* if it is due */
void jwt_keys_close(struct jwt_keys *keys);
MUST_CHECK bool jwt_keys_sign(struct oauth *o, struct arena *a, str claims, str *out,
                              struct err *err);
bool jwt_keys_verify(struct oauth *o, struct arena *a, str token);
str jwt_keys_print(struct oauth *o, struct arena *a);

/* --- the audit log (SEC-72, SEC-73) --- */

/* secret: the token or code concerned, logged only as a tag; may be empty. */
void audit(enum log_level level, const char *event, str client, str user, str secret,
           const char *why);
