/*
 * health - whether the vaults can be served: one word for everyone, details for operators
 * (operator.h).
 *
 * degraded: the database of --state-db does not answer; clients that are known are still
 * served. starting: an index is not ready yet. stopping: --stop-delay has not passed yet.
 * failing: a vault's folder is missing, was replaced or cannot be read, the database has been
 * away for too long, or the pool is too busy to check. The check may wait for the disk, so it
 * must not run on the loop.
 */
#pragma once

#include "app/setup/app.h"
#include "base/json_write.h"
#include "http/server.h"

struct oauth;

enum health {
    HEALTH_OK,
    HEALTH_DEGRADED,
    HEALTH_STARTING,
    HEALTH_STOPPING,
    HEALTH_FAILING
};

/* oauth NULL: without sign-in. */
enum health health_of(const struct app *app, const struct oauth *oauth);

/* Begins an object and writes its members, without the end: callers may add more. */
void health_describe(const struct app *app, const struct oauth *oauth, struct jsonw *w);

/* Answers with 200, or with 503 if the status is neither ok nor degraded. */
void health_reply(struct http_exchange *x, enum health health, str json);

/* {"status":"ok"}, without counts or names; checks on the pool, which should be one that
 * only does this: anyone may ask. */
void health_handle(struct http_exchange *x, const struct app *app,
                   const struct oauth *oauth, struct pool *pool);
