/*
 * ops - a listener for operators: GET /health in detail, and GET /metrics for Prometheus.
 *
 * It asks nobody who they are, so it belongs on loopback or a unix socket. It always
 * listens on a socket in the state folder, which only its owner can enter, for vaultd
 * status; and where --ops-addr says. A thread and a loop of its own: it answers while the
 * main one is busy, and may wait for the disk.
 */
#pragma once

#include "app/setup/app.h"
#include "http/server.h"

/* STATE/run/PID.sock */
#define OPS_FOLDER "run"
#define OPS_SUFFIX ".sock"

struct ops;

/* main: the listener that it tells about; sign_in: whether its callers have to. */
MUST_CHECK bool ops_start(const struct app *app, const struct http_server *main,
                          bool sign_in, struct ops **out, struct err *err);

/* Before the vaults and main go. NULL is fine. */
void ops_stop(struct ops *o);
