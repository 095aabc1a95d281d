/*
 * reach - who can reach the server over HTTP, and whether they must sign in. This is the
 * only place that decides it.
 *
 * The decision is made once, from the settings and from what the store contains, before the
 * first request and in the same way by vaultd serve and vaultd doctor. Whether a file exists
 * decides nothing. What happens later (the last key is revoked, the state folder is lost)
 * cannot open a server that began with sign-in.
 *
 * Clients sign in if
 *   - --auth required says so,
 *   - a setting names users or programs, or vaults are hosted (--vaults-dir),
 *   - several servers may share the state (--state-db),
 *   - the store has a key or a grant, or had one: revoking the last key opens nothing.
 * Otherwise the server is for the programs of this machine. It does not start if others can
 * reach it, that is, if
 *   - the listen address is not loopback,
 *   - a socket is bound elsewhere: systemd may pass any socket,
 *   - the host of the server URL or an allowed host is not loopback, or proxies are
 *     trusted: then it is behind a proxy.
 * A request that says that it came through a proxy, or has another Host, is refused.
 *
 * Only --auth none opens the server to others. It contradicts users, programs, hosted vaults
 * and keys: with them the server does not start. So does the profile that has no sign-in by
 * its contract (obsidian-vault-mcp), which opens nothing in which access was ever given.
 *
 * A Unix socket alone counts as local, as its file decides who may connect. A proxy in
 * front of it gives itself away by one of the other signs.
 */
#pragma once

#include "app/setup/settings.h"
#include "http/request.h"
#include "http/server.h"

/* The database of grants, in the state folder. */
str reach_database(struct arena *a, const struct settings *s);

/* For store_open(): the URL of --state-db, else that database, or NULL for memory. */
const char *reach_state(struct arena *a, const struct settings *s);

/* What the store says about access. */
struct reach_content {
    bool keys;    /* there are API keys */
    bool given;   /* there are keys or grants, or there were */
    bool unknown; /* the store could not be read: as if access had been given */
};

/* Reads it; creates and changes nothing. */
void reach_look(const struct settings *s, struct reach_content *out);

/* Decides: *signs_in: clients must sign in. Fails with ERR_INVALID, saying what to do, if the
 * settings contradict each other or the content, or if others could reach the server without
 * signing in. */
MUST_CHECK bool reach_decide(const struct settings *s, const struct reach_content *c,
                             bool *signs_in, struct err *err);

/* Both, and what the profile needs: fills s->signs_in. */
MUST_CHECK bool reach_settle(struct settings *s, struct reach_content *c,
                             struct err *err);

/* Whether the settings or the content have a user, a program or a key that could sign in. */
bool reach_has_people(const struct settings *s, const struct reach_content *c);

/* For the log, the banner, vaultd status and vaultd doctor. */
#define REACH_NO_PEOPLE                                                                  \
    "clients must sign in, but there is no user or key: add a key with vaultd key add "  \
    "NAME, or give --auth-users-file"

/* The same for the sockets that are really bound. elsewhere: one of them is not local;
 * signs_in: clients do sign in. */
MUST_CHECK bool reach_check_bound(const struct settings *s, bool elsewhere, bool signs_in,
                                  struct err *err);

/* Whether a request may be answered without sign-in: always with --auth none, else if
 * it comes from this machine. */
bool reach_is_open_to(const struct settings *s, const struct http_request *r);

/* The same; if it may not be, it is refused (403). */
bool reach_admit(const struct settings *s, struct http_exchange *x);
