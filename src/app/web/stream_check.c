#include "app/web/stream_check.h"

#include "mcp/endpoint.h"
#include "oauth/grants.h"
#include "oauth/oauth.h"
#include "state/store.h"

static bool is_welcome(void *context, int64_t id)
{
    struct stream_check *c = context;
    return grant_is_alive(c->oauth, id, &c->unsure);
}

void stream_check(struct stream_check *c)
{
    if (c->oauth == NULL)
        return;
    if (oauth_away_ms(c->oauth) > STORE_AWAY_MAX_MS) {
        mcp_endpoint_end_streams(c->endpoint);
        return;
    }
    uint64_t generation = grants_generation(c->oauth);
    bool changed = generation != c->generation || c->unsure;
    c->generation = generation;
    c->unsure = false;
    mcp_endpoint_check(c->endpoint, changed ? is_welcome : NULL, c);
}
