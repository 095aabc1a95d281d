#include "app/catalog/replica.h"

#include "app/setup/fresh.h"
#include "app/setup/shared.h"
#include "app/setup/vaults.h"
#include "app/tool_support/read_log.h"
#include "mcp/server.h"
#include "state/lease.h"

/* --- telling --- */

_Static_assert((int)MCP_TELL_MAX <= (int)FEED_LONG_MAX, "what they tell is passed on");

static void peers_tell(void *app, str text)
{
    shared_tell(&((struct app *)app)->shared, FEED_MCP, text);
}

static void peers_put(void *app, str name, str part, str text, int64_t seconds)
{
    shared_put(&((struct app *)app)->shared, name, part, text, seconds);
}

static bool peers_list(void *app, struct arena *a, str name, struct mcp_peer_note **out,
                       size_t *n)
{
    return shared_list(&((struct app *)app)->shared, a, name, out, n);
}

static bool peers_put_some(void *app, str name, str part, int64_t seconds,
                           const struct mcp_peer_limits *limits, bool *full)
{
    return shared_put_some(&((struct app *)app)->shared, name, part, seconds, limits,
                           full);
}

static void peers_touch(void *app, str name, int64_t seconds)
{
    shared_touch(&((struct app *)app)->shared, name, seconds);
}

static bool peers_once(void *app, str name, int64_t seconds, bool *first)
{
    return shared_once(&((struct app *)app)->shared, name, seconds, first);
}

static str peers_self(void *app)
{
    return lease_own(((struct app *)app)->shared.store);
}

static bool peers_is_gone(void *app, str name)
{
    return lease_is_gone(((struct app *)app)->shared.store, name);
}

struct mcp_peers replica_peers(const struct app *app)
{
    return shared_is_on(&app->shared) ? (struct mcp_peers){.tell = peers_tell,
                                                           .put = peers_put,
                                                           .list = peers_list,
                                                           .put_some = peers_put_some,
                                                           .touch = peers_touch,
                                                           .once = peers_once,
                                                           .self = peers_self,
                                                           .is_gone = peers_is_gone}
                                      : (struct mcp_peers){0};
}

/* --- hearing --- */

static void on_heard(void *arg, enum feed_topic topic, str text)
{
    struct app *app = arg;
    if (topic == FEED_CHANGED)
        fresh_heard(app, text);
    else if (topic == FEED_MCP)
        mcp_server_heard(app->mcp, text);
    else if (topic == FEED_SEEN)
        read_log_heard(app->read_log, text);
    else if (topic == FEED_RATES)
        shared_heard_rates(&app->shared, text);
}

static void on_lost(void *arg)
{
    fresh_back(arg);
}

static void sweep_job(void *arg)
{
    struct app *app = arg;
    shared_sweep(&app->shared);
    pool_later(app->pool, SHARED_SWEEP_S * 1000, sweep_job, app);
}

void replica_start(struct app *app)
{
    if (!shared_is_on(&app->shared))
        return;
    shared_listen(&app->shared,
                  &(struct feed_config){.heard = on_heard, .lost = on_lost, .arg = app});
    pool_later(app->pool, SHARED_SWEEP_S * 1000, sweep_job, app);
}
