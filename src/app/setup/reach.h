/*
 * reach - who can reach the server over HTTP, and whether they must sign in. This is the
 * only place that decides it.
 *
 * Others, that is anyone but the programs of this machine, can reach it if
 *   - the listen address is not loopback,
 *   - a socket is bound elsewhere: systemd may pass any socket,
 *   - the host of the server URL or an allowed host is not loopback, or proxies are
 *     trusted: then it is behind a proxy,
 *   - a request says that it came through a proxy, or has another Host,
 *   - the state folder has the database of grants: somebody has signed in, or had a key.
 * Then every client signs in, or the server does not start; a request that shows it too
 * late for that is refused. Only --auth none opens the server to others.
 *
 * A Unix socket alone counts as local, as its file decides who may connect. A proxy in
 * front of it gives itself away by one of the other signs.
 *
 * The decision is made once, before the first request. What happens later (the last key
 * is revoked, the state folder is lost) cannot open a server that began with sign-in.
 */
#pragma once

#include "app/setup/settings.h"
#include "http/request.h"
#include "http/server.h"

/* The database of grants, in the state folder. */
str reach_database(struct arena *a, const struct settings *s);

/* For store_open(): the URL of --state-db, else that database, or NULL for memory. */
const char *reach_state(struct arena *a, const struct settings *s);

/* Whether it exists; also true if that cannot be found out. */
bool reach_has_database(const struct settings *s);

/* Whether clients must sign in. */
bool reach_signs_in(const struct settings *s);

/* Fails with ERR_INVALID, saying what to do, if others can reach the server by these
 * settings without signing in. For --stdio there is nothing to check. */
MUST_CHECK bool reach_check(const struct settings *s, struct err *err);

/* The same for the sockets that are really bound. elsewhere: one of them is not local;
 * signs_in: clients do sign in. */
MUST_CHECK bool reach_check_bound(const struct settings *s, bool elsewhere, bool signs_in,
                                  struct err *err);

/* Whether a request may be answered without sign-in: always with --auth none, else if
 * it comes from this machine. */
bool reach_is_open_to(const struct settings *s, const struct http_request *r);

/* The same; if it may not be, it is refused (403). */
bool reach_admit(const struct settings *s, struct http_exchange *x);
