/*
 * oauth - the authorization server of vaultd, and the gate in front of the MCP endpoint.
 *
 * One struct oauth holds everything: the configuration, the store and the parts below.
 * oauth_routes() are rows for the HTTP server; their handlers run on the loop and pass
 * the work to dedicated threads, never to the pool of MCP calls. URLs that we print
 * never depend on the request: all begin with config.url (SEC-10).
 *
 *   gate.h      whether a request may pass, and as whom
 *   grants.h    codes, tokens, grants, sign-ins, API keys: what is in the store
 *   clients.h   clients: configured, registered, or with a metadata document
 *   users.h     users who sign in with a password
 *   provider.h  users who sign in elsewhere: GitHub, OpenID Connect
 *   pages.h     the HTML pages
 */
#pragma once

#include "http/server.h"
#include "oauth/config.h"

struct oauth;

/* What oauth_create() refuses before it opens anything. */
MUST_CHECK bool oauth_check(const struct oauth_config *config, struct err *err);

/* Opens the store, checks hashes (SEC-53) and URLs. */
MUST_CHECK bool oauth_create(const struct oauth_config *config, struct oauth **out,
                             struct err *err);

/* Whether the clock was in doubt when it was last needed: nothing is deleted by it then,
 * although what it shows as expired cannot be used. From any thread. */
bool oauth_doubts_clock(const struct oauth *o);

/* For how long the database has not answered, in ms; 0: it answers (store_away_ms()). */
uint64_t oauth_away_ms(const struct oauth *o);

/* Whether anyone could sign in or has a key: users, a provider, configured clients or
 * keys. True if the store does not answer. From any thread. */
bool oauth_has_people(struct oauth *o);

/* Read the users file again. ERR_INVALID: the users stay as they were. */
MUST_CHECK bool oauth_reload_users(struct oauth *o, struct err *err);

/*
 * Compare the users with those before, if they may have changed: a user who was removed
 * and came back with another password is another person, and loses the access to vaults
 * of that name (vault_table.h), unless a key has it. Of the changes while no server runs,
 * only the result is known, so a user who was replaced then looks like one with a new
 * password.
 */
MUST_CHECK bool oauth_note_users(struct oauth *o, struct err *err);

/* Replace the configured clients; copied. ERR_INVALID: nothing changed. The grants of
 * removed clients are deleted, as by oauth_forget_removed(). */
MUST_CHECK bool oauth_set_clients(struct oauth *o, const struct oauth_client *clients,
                                  size_t n, struct err *err);

/* Delete the grants, codes and consents of clients that are not configured any more, so
 * that they stay revoked for every process, and if the client is configured again. For a
 * server whose settings name the clients. */
MUST_CHECK bool oauth_forget_removed(struct oauth *o, struct err *err);

/* Run a job that looks into the store for a moment, not on the loop. False if too many
 * wait: try again later. */
MUST_CHECK bool oauth_look(struct oauth *o, void (*job)(void *arg), void *arg);

/* Waits for requests in progress. Call it after the loop has ended and before
 * http_server_free(). */
void oauth_stop(struct oauth *o);
void oauth_free(struct oauth *o);

/* Rows for the route table, the last one without path, each with the oauth as its
 * context. Valid as long as the oauth. */
const struct http_route *oauth_routes(struct oauth *o);
