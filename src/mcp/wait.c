/*
 * Requests that wait without a thread: until their handler's time has come, or for their
 * turn. A waiting request is parked, as one that has asked its client is (ask.c), and run
 * again when it is due. Timers only name the server: they look for requests that are due,
 * so none points to a request that is gone.
 */
#include "base/clock.h"
#include "mcp/call_running.h"
#include "mcp/core.h"

void mcp_wait(struct mcp_call *call, unsigned ms)
{
    struct mcp_request *r = ((struct mcp_running_call *)call)->request;
    r->wait_ms = ms > 0 ? ms : 1;
}

struct mcp_kept_row {
    struct mcp_kept_row *next;
    const struct mcp_kept *key;
    void *value;
};

void *mcp_request_kept(struct mcp_request *r, const struct mcp_kept *key)
{
    struct mcp_kept_row **at = &r->kept;
    while (*at != NULL && (*at)->key != key)
        at = &(*at)->next;
    if (*at == NULL) {
        *at = ARENA_NEW(&r->arena, struct mcp_kept_row);
        **at =
            (struct mcp_kept_row){.key = key, .value = arena_zero(&r->arena, key->size)};
    }
    return (*at)->value;
}

void *mcp_record_kept(const struct mcp_record *r, const struct mcp_kept *key)
{
    const struct mcp_kept_row *row = r->request->kept;
    while (row != NULL && row->key != key)
        row = row->next;
    return row != NULL ? row->value : NULL;
}

void *mcp_kept(struct mcp_call *call, const struct mcp_kept *key)
{
    return mcp_request_kept(((struct mcp_running_call *)call)->request, key);
}

void **mcp_held(struct mcp_call *call)
{
    return &((struct mcp_running_call *)call)->request->held;
}

void mcp_drop_held(struct mcp_request *r)
{
    const struct mcp_config *c = &r->server->config;
    if (r->held != NULL)
        c->let_go(c->app, &r->caller, r->held);
    r->held = NULL;
}

/* Join the requests that wait for their turn, if there are not too many. */
static bool join_turns(struct mcp_request *r)
{
    struct mcp_server *s = r->server;
    size_t n = 0, own = 0;
    lock_take(&s->lock);
    for (const struct mcp_request *o = s->running; o != NULL; o = o->next) {
        n += o->in_turn;
        own += o->in_turn && o->caller.share == r->caller.share;
    }
    r->in_turn = n < MCP_TURNS_MAX && (r->caller.share == 0 || own < MCP_TURNS_SHARE);
    bool joined = r->in_turn;
    lock_drop(&s->lock);
    return joined;
}

static void leave_turns(struct mcp_request *r)
{
    lock_take(&r->server->lock);
    r->in_turn = false;
    lock_drop(&r->server->lock);
}

/* Count it: it may run now or, if it can wait that long, in *ms. */
static bool book_turn(struct mcp_request *r, bool changes, uint64_t *ms, struct err *err)
{
    const struct mcp_turns *t = &r->turns;
    if (t->take(t->context, &r->caller, changes, 0, ms, err))
        return true;
    if (!join_turns(r))
        return false;
    if (t->take(t->context, &r->caller, changes, MCP_TURN_MS, ms, err))
        return true;
    leave_turns(r);
    return false;
}

bool mcp_take_turn(struct mcp_request *r, bool changes, struct err *err)
{
    uint64_t ms = 0;
    struct err why = {0};
    if (r->turns.take == NULL)
        return true;
    if (!r->had_turn && !book_turn(r, changes, &ms, &why)) {
        *err = why;
        return false;
    }
    r->had_turn = true;
    r->wait_ms = (unsigned)ms;
    if (ms > 0)
        return false;
    if (r->in_turn)
        leave_turns(r);
    return true;
}

void mcp_is_answering(const struct mcp_request *r)
{
    const struct mcp_config *c = &r->server->config;
    if (c->answering != NULL && r->held != NULL)
        c->answering(c->app, r->held);
}

static void wake_due(void *arg)
{
    struct mcp_server *s = arg;
    uint64_t now = clock_ms();
    lock_take(&s->lock);
    for (struct mcp_request *r = s->running; r != NULL; r = r->next)
        if (r->wake_at != 0 && r->wake_at <= now)
            mcp_unpark(r);
    lock_drop(&s->lock);
}

void mcp_sleep(struct mcp_request *r)
{
    struct mcp_server *s = r->server;
    unsigned ms = r->wait_ms;
    lock_take(&s->lock);
    r->wake_at = clock_ms() + ms;
    r->parked = true;
    if (atomic_load(&r->cancelled))
        mcp_unpark(r);
    else
        pool_later(s->config.pool, ms, wake_due, s);
    lock_drop(&s->lock);
}
