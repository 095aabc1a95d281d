/*
 * operator - a listener for operators: GET /health in detail, GET /metrics for Prometheus,
 * and with the key of its socket, POST /proposals for vaultd proposals, accept and reject.
 *
 * It requires no sign-in, so it is only on loopback or a Unix socket. It always listens
 * on a socket in the state folder, which only its owner can open, for vaultd status; and
 * on --ops-addr. It has its own thread and loop: it answers while the main loop is busy,
 * and may wait for the disk.
 */
#pragma once

#include "app/setup/app.h"
#include "http/server.h"

struct oauth;

/* STATE/run/PID.sock */
#define OPS_FOLDER "run"
#define OPS_SUFFIX ".sock"

struct ops;

/* main: the listener that it reports on; oauth: of the clients that
 * sign in there, or NULL; both borrowed. */
MUST_CHECK bool ops_start(struct app *app, const struct http_server *main,
                          struct oauth *oauth, struct ops **out, struct err *err);

/* Call it before the vaults and main are freed; and free it when the pool of calls is, whose
 * workers may still be answering. NULL is allowed. */
void ops_stop(struct ops *o);
void ops_free(struct ops *o);
