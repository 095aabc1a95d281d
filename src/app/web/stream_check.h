/*
 * stream_check - ends the event streams of callers who are not let in any more (SEC-54).
 *
 * A request passes the gate once, and a stream may stay open for days. So the loop looks
 * once a second whether a grant was revoked, a user is gone, or a token has expired; then
 * the caller's streams end and its calls are cancelled. After the database has been away
 * for STORE_AWAY_MAX_MS, any grant may have been revoked: then all streams end, as the gate
 * lets nobody in. Calls that were let in before end by themselves.
 */
#pragma once

#include "mcp/endpoint.h"
#include "oauth/oauth.h"

struct stream_check {
    struct oauth *oauth; /* NULL: nobody signs in, and nothing is checked */
    struct mcp_endpoint *endpoint;

    /* Private. */
    uint64_t generation; /* of the grants when streams were last checked */
    bool unsure;         /* the store was busy then */
};

/* On the loop. */
void stream_check(struct stream_check *c);
