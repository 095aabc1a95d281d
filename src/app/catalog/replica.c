#include "app/catalog/replica.h"

#include "app/setup/vaults_replica.h"
#include "app/tool_support/read_log.h"
#include "mcp/config.h"
#include "replica/lease.h"
#include "replica/pubsub.h"
#include "replica/read_your_writes.h"
#include "replica/replica.h"

/* --- the protocol's view --- */

_Static_assert((int)MCP_TELL_MAX <= (int)PUBSUB_LONG_MAX, "what they tell is sent");
_Static_assert((int)MCP_KEY_SIZE == (int)REPLICA_KEY_SIZE, "replicas share it");

static struct replica *replica_of(void *app)
{
    return &((struct app *)app)->replica;
}

static void peers_tell(void *app, str text)
{
    replica_publish(replica_of(app), REPLICA_TOPIC_MCP, text);
}

static void peers_put(void *app, str name, str part, str text, int64_t seconds)
{
    replica_put(replica_of(app), name, part, text, seconds);
}

static bool peers_list(void *app, struct arena *a, str name, struct mcp_peer_note **out,
                       size_t *n)
{
    struct replica_note *notes;
    if (!replica_list(replica_of(app), a, name, &notes, n))
        return false;
    *out = ARENA_ARRAY(a, struct mcp_peer_note, *n + 1);
    for (size_t i = 0; i < *n; i++)
        (*out)[i] = (struct mcp_peer_note){notes[i].part, notes[i].text};
    return true;
}

static bool peers_put_some(void *app, str name, str part, int64_t seconds,
                           const struct mcp_peer_limits *limits, bool *full)
{
    struct replica_limits l = {.group = limits->group,
                               .all = limits->all,
                               .group_max = (size_t)limits->group_max,
                               .all_max = (size_t)limits->all_max};
    return replica_put_some(replica_of(app), name, part, seconds, &l, full);
}

static void peers_touch(void *app, str name, int64_t seconds)
{
    replica_touch(replica_of(app), name, seconds);
}

static bool peers_once(void *app, str name, int64_t seconds, bool *first)
{
    return replica_once(replica_of(app), name, seconds, first);
}

static str peers_self(void *app)
{
    return lease_own(replica_of(app)->store);
}

static bool peers_is_gone(void *app, str name)
{
    return lease_is_gone(replica_of(app)->store, name);
}

struct mcp_peers replica_peers(const struct app *app)
{
    return replica_is_shared(&app->replica)
               ? (struct mcp_peers){.tell = peers_tell,
                                    .put = peers_put,
                                    .list = peers_list,
                                    .put_some = peers_put_some,
                                    .touch = peers_touch,
                                    .once = peers_once,
                                    .self = peers_self,
                                    .is_gone = peers_is_gone}
               : (struct mcp_peers){0};
}

/* --- messages of others --- */

static void on_mcp(void *arg, str text)
{
    mcp_server_heard(((struct app *)arg)->mcp, text);
}

static void on_read(void *arg, str text)
{
    read_log_heard(((struct app *)arg)->read_log, text);
}

static void sweep_job(void *arg)
{
    struct app *app = arg;
    replica_sweep(&app->replica);
    pool_later(app->pool, REPLICA_SWEEP_S * 1000, sweep_job, app);
}

void replica_start(struct app *app)
{
    if (!replica_is_shared(&app->replica))
        return;
    app->replica.ryw = ryw_create();
    replica_subscribe(&app->replica, REPLICA_TOPIC_MCP, on_mcp, app);
    replica_subscribe(&app->replica, READ_LOG_TOPIC, on_read, app);
    vaults_replica_subscribe(app);
    pool_later(app->pool, REPLICA_SWEEP_S * 1000, sweep_job, app);
}
