/*
 * Calls that wait without a thread. A waiting request is parked, as one that has asked
 * its client is (ask.c), and run again when its time has come. Timers only name the
 * server: they look for requests that are due, so none points to a request that is gone.
 */
#include "base/clock.h"
#include "mcp/call.h"
#include "mcp/core.h"

void mcp_wait(struct mcp_call *call, unsigned ms)
{
    struct mcp_request *r = ((struct mcp_running_call *)call)->request;
    r->wait_ms = ms > 0 ? ms : 1;
}

void **mcp_kept(struct mcp_call *call)
{
    return &((struct mcp_running_call *)call)->request->kept;
}

static void wake_due(void *arg)
{
    struct mcp_server *s = arg;
    uint64_t now = clock_ms();
    pthread_mutex_lock(&s->lock);
    for (struct mcp_request *r = s->running; r != NULL; r = r->next)
        if (r->wake_at != 0 && r->wake_at <= now)
            mcp_unpark(r);
    pthread_mutex_unlock(&s->lock);
}

void mcp_sleep(struct mcp_request *r)
{
    struct mcp_server *s = r->server;
    unsigned ms = r->wait_ms;
    pthread_mutex_lock(&s->lock);
    r->wake_at = clock_ms() + ms;
    r->parked = true;
    if (atomic_load(&r->cancelled))
        mcp_unpark(r);
    else
        pool_later(s->config.pool, ms, wake_due, s);
    pthread_mutex_unlock(&s->lock);
}
