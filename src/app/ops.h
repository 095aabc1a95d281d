/*
 * ops - a listener for operators: GET /health in detail, and GET /metrics for Prometheus.
 *
 * It asks nobody who they are, so it belongs on loopback or a unix socket. A thread and a
 * loop of its own: it answers while the main one is busy, and may wait for the disk.
 */
#pragma once

#include "app/app.h"
#include "http/server.h"

struct ops;

/* main: the listener that it tells about; sign_in: whether its callers have to. *out is
 * NULL without ops_addr. */
MUST_CHECK bool ops_start(const struct app *app, const struct http_server *main,
                          bool sign_in, struct ops **out, struct err *err);

/* Before the vaults and main go. NULL is fine. */
void ops_stop(struct ops *o);
