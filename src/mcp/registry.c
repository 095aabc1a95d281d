/*
 * The registry: requests without an answer, and the memory that they may use.
 *
 * A request outlives its connection while it waits for a worker, for its turn, or for an
 * answer of its client. So the bytes of all requests are counted, for each caller and in
 * all. Where there is no room for one more, the request that has waited longest for its
 * client is given up; if none waits for a client, the new one is refused.
 */
#include <stdlib.h>

#include "base/clock.h"
#include "mcp/core.h"
#include "mcp/request.h"

static bool registry_is_of(const struct mcp_request *r, uint64_t share)
{
    return share == 0 || r->caller.share == share;
}

static size_t bytes_in(const struct mcp_request *list, uint64_t share)
{
    size_t n = 0;
    for (const struct mcp_request *r = list; r != NULL; r = r->next)
        n += registry_is_of(r, share) ? r->bytes : 0;
    return n;
}

/* The bytes of one caller's requests, or with 0 of all. */
static size_t registry_bytes(const struct mcp_server *s, uint64_t share)
{
    return bytes_in(s->running, share) + bytes_in(s->reading, share);
}

/* The one that has waited longest for its client's answer. */
static struct mcp_request *oldest_waiting(const struct mcp_server *s, uint64_t share)
{
    struct mcp_request *oldest = NULL;
    for (struct mcp_request *r = s->running; r != NULL; r = r->next)
        if (r->waiting && r->bytes > 0 && registry_is_of(r, share) &&
            (oldest == NULL || r->waiting_since <= oldest->waiting_since))
            oldest = r;
    return oldest;
}

static bool make_room_for(struct mcp_server *s, uint64_t share, size_t more, size_t most)
{
    while (registry_bytes(s, share) + more > most) {
        struct mcp_request *r = oldest_waiting(s, share);
        if (r == NULL)
            return false;
        r->unanswered = "too many questions are open, and this one is the oldest";
        r->bytes = 0; /* it is freed as soon as a worker has answered it */
        mcp_unpark(r);
    }
    return true;
}

bool mcp_make_room(struct mcp_server *s, uint64_t share, size_t more)
{
    return (share == 0 || make_room_for(s, share, more, MCP_BYTES_SHARE)) &&
           make_room_for(s, 0, more, MCP_BYTES_ALL);
}

static void add_to(struct mcp_request **list, struct mcp_request *r, size_t bytes)
{
    r->list = list;
    r->bytes = bytes;
    r->prev = NULL;
    r->next = *list;
    if (*list != NULL)
        (*list)->prev = r;
    *list = r;
}

static void remove_from_list(struct mcp_request *r)
{
    if (r->list == NULL)
        return;
    if (r->prev != NULL)
        r->prev->next = r->next;
    else
        *r->list = r->next;
    if (r->next != NULL)
        r->next->prev = r->prev;
    r->prev = r->next = NULL;
    r->list = NULL;
}

static bool enlist(struct mcp_request *r, struct mcp_request **list, size_t bytes)
{
    struct mcp_server *s = r->server;
    lock_take(&s->lock);
    remove_from_list(r);
    bool fits = mcp_make_room(s, r->caller.share, bytes);
    if (fits)
        add_to(list, r, bytes);
    lock_drop(&s->lock);
    return fits;
}

bool mcp_enlist(struct mcp_request *r)
{
    return enlist(r, &r->server->running, arena_size(&r->arena));
}

bool mcp_enlist_reading(struct mcp_request *r, size_t body)
{
    enum { COPIES = 3 }; /* the body as received, its copy, and what is parsed */
    return enlist(r, &r->server->reading, size_mul(body, COPIES));
}

void mcp_delist(struct mcp_request *r)
{
    lock_take(&r->server->lock);
    remove_from_list(r);
    lock_drop(&r->server->lock);
}

struct mcp_request *mcp_request_create(struct mcp_server *s)
{
    lock_take(&s->lock);
    struct mcp_request *r = s->spare;
    if (r != NULL) {
        s->spare = r->next;
        s->n_spare--;
    }
    uint64_t serial = ++s->serials;
    lock_drop(&s->lock);
    if (r == NULL)
        r = mem_zero(sizeof(*r));
    *r = (struct mcp_request){.server = s, .arena = r->arena, .serial = serial};
    r->started_ns = clock_ns();
    return r;
}

void mcp_request_from(struct mcp_request *r, const struct mcp_caller *caller)
{
    r->caller = (struct mcp_caller){.user = arena_str(&r->arena, caller->user),
                                    .client = arena_str(&r->arena, caller->client),
                                    .client_id = arena_str(&r->arena, caller->client_id),
                                    .grant = arena_str(&r->arena, caller->grant),
                                    .owner = arena_str(&r->arena, caller->owner),
                                    .id = caller->id,
                                    .proof = arena_str(&r->arena, caller->proof),
                                    .share = caller->share,
                                    .expires = caller->expires};
    const struct mcp_config *c = &r->server->config;
    if (c->read_grant != NULL && r->caller.grant.n > 0)
        r->caller.rights = c->read_grant(c->app, &r->arena, r->caller.grant);
    r->principal = r->caller.owner;
}

void mcp_request_free(struct mcp_request *r)
{
    struct mcp_server *s = r->server;
    mcp_drop_held(r);
    mcp_delist(r);
    arena_reset(&r->arena);
    lock_take(&s->lock);
    bool keep = s->n_spare < MCP_SPARE_REQUESTS;
    if (keep) {
        r->next = s->spare;
        s->spare = r;
        s->n_spare++;
    }
    lock_drop(&s->lock);
    if (!keep) {
        arena_release(&r->arena);
        free(r);
    }
}
