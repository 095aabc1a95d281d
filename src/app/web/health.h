/*
 * health - whether the vaults can be served: one word for whoever asks, everything for
 * operators (ops.h).
 *
 * starting: an index is not there yet. failing: a vault's folder is gone or cannot be
 * read, or nobody has time to look. Looking may wait for the disk: not on the loop.
 */
#pragma once

#include "app/setup/app.h"
#include "base/json_write.h"
#include "http/server.h"

enum health { HEALTH_OK, HEALTH_STARTING, HEALTH_FAILING };

enum health health_of(const struct app *app);

/* As a value with the members of one object, without the end: callers may add more. */
void health_describe(const struct app *app, struct jsonw *w);

/* Answer with 200, or with 503 unless all is well. */
void health_reply(struct http_exchange *x, enum health health, str json);

/* {"status":"ok"}, without counts or names; looks on the pool. */
void health_handle(struct http_exchange *x, struct app *app);
