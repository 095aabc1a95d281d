#include "app/web/stream_check.h"

#include "mcp/endpoint.h"
#include "oauth/grants.h"
#include "oauth/oauth.h"
#include "state/store.h"

static bool is_welcome(void *context, const struct mcp_caller *caller)
{
    struct stream_check *c = context;
    struct arena a = {0};
    struct oauth_grant now;
    bool unsure = false;
    bool alive = grant_is_alive(c->oauth, &a, caller->id, caller->proof, &now, &unsure);
    if (alive && !unsure)
        alive = str_eq(c->grant(c->context, &a, &now), caller->grant);
    if (unsure)
        atomic_store(&c->unsure, true);
    arena_release(&a);
    return alive;
}

static void look_at_callers(void *arg)
{
    struct stream_check *c = arg;
    struct err err;
    if (!oauth_note_users(c->oauth, &err))
        atomic_store(&c->unsure, true);
    mcp_endpoint_check(c->endpoint, is_welcome, c);
    atomic_store(&c->running, false);
}

/* If no thread is free, the next tick tries again. */
static void begin_look(struct stream_check *c, uint64_t generation)
{
    atomic_store(&c->running, true);
    atomic_store(&c->unsure, false);
    if (oauth_look(c->oauth, look_at_callers, c))
        c->generation = generation;
    else
        atomic_store(&c->running, false);
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
    bool changed = generation != c->generation || atomic_load(&c->unsure);
    mcp_endpoint_check(c->endpoint, NULL, NULL);
    if (changed && !atomic_load(&c->running))
        begin_look(c, generation);
}
