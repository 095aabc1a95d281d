/*
 * stream_check - ends the event streams of callers whose access was revoked (SEC-54).
 *
 * A request passes the gate once, and a stream may stay open for days. So the loop looks
 * twice a second whether something was revoked, or users or clients were read again; then
 * a thread of the gate looks up the token of each stream and call. If it is gone, or
 * allows something else than before, the caller's streams end and its calls are
 * cancelled, and the client connects again. After the database has been away for
 * STORE_AWAY_MAX_MS, anything may have been revoked: then all streams end, as the gate
 * refuses all. Calls that were admitted before end by themselves.
 */
#pragma once

#include <stdatomic.h>

#include "mcp/endpoint.h"
#include "oauth/oauth.h"

struct oauth_grant;

struct stream_check {
    struct oauth *oauth; /* NULL: no sign-in, nothing is checked */
    struct mcp_endpoint *endpoint;

    /* What a grant allows now, as mcp_caller.grant; with the context below. */
    str (*grant)(void *context, struct arena *a, const struct oauth_grant *g);
    void *context;

    /* Private. */
    uint64_t generation; /* of the grants when streams were last checked */
    atomic_bool unsure;  /* the store was busy then */
    atomic_bool running; /* a thread is looking */
};

/* On the loop. */
void stream_check(struct stream_check *c);
