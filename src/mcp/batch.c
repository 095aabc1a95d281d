#include "mcp/batch.h"

#include "mcp/jsonrpc.h"
#include "mcp/peers.h"
#include "mcp/request.h"

/* Ends with the last answer; open counts the elements without an answer, plus one for
 * the loop below. */
struct batch {
    struct lock lock;
    struct mcp_request *like; /* owns the arena for the answers */
    struct sbuf answers;
    size_t open;
};

struct element {
    struct mcp_sink sink; /* must be first */
    struct batch *batch;
};

static void batch_let_go(struct batch *b)
{
    lock_take(&b->lock);
    bool last = --b->open == 0;
    lock_drop(&b->lock);
    if (!last)
        return;
    struct mcp_request *like = b->like;
    if (b->answers.n > 0)
        sbuf_char(&b->answers, ']');
    like->sink->finish(like->sink, sbuf_str(&b->answers), 0);
    lock_release(&b->lock);
    mcp_request_free(like); /* b is in its arena */
}

static void element_send(struct mcp_sink *sink, str message)
{
    struct batch *b = ((struct element *)sink)->batch;
    lock_take(&b->lock);
    b->like->sink->send(b->like->sink, message);
    lock_drop(&b->lock);
}

static void element_finish(struct mcp_sink *sink, str message, int code)
{
    struct batch *b = ((struct element *)sink)->batch;
    lock_take(&b->lock);
    if (message.n > 0) {
        sbuf_char(&b->answers, b->answers.n == 0 ? '[' : ',');
        sbuf_add(&b->answers, message);
    }
    lock_drop(&b->lock);
    batch_let_go(b);
}

static void element_flush(struct mcp_sink *sink)
{
    struct mcp_sink *parent = ((struct element *)sink)->batch->like->sink;
    if (parent->flush != NULL)
        parent->flush(parent);
}

static struct mcp_sink *add_element(struct batch *b)
{
    lock_take(&b->lock);
    b->open++;
    struct element *e = ARENA_NEW(&b->like->arena, struct element);
    lock_drop(&b->lock);
    *e = (struct element){
        {.send = element_send, .finish = element_finish, .flush = element_flush}, b};
    return &e->sink;
}

static void serve_request(struct batch *b, const struct json *j, bool wait)
{
    const struct mcp_request *like = b->like;
    struct mcp_request *r = mcp_request_create(like->server);
    r->client = like->client;
    r->scope = arena_str(&r->arena, like->scope);
    mcp_request_from(r, &like->caller);
    r->principal = arena_str(&r->arena, like->principal);
    r->turns = like->turns;
    r->sink = add_element(b);
    const struct json *own;
    struct rpc_message m = {0};
    struct err err;
    bool ok = json_parse(&r->arena, arena_str(&r->arena, j->raw), &own, &err) &&
              rpc_read(own, &m, &r->error);
    r->id = m.id;
    if (ok && str_eq(m.method, STR("initialize")))
        ok = rpc_fail(&r->error, RPC_INVALID_REQUEST,
                      "initialize cannot be sent in a batch");
    if (!ok) {
        mcp_refuse(r);
        return;
    }
    r->method = m.method;
    r->params = m.params;
    mcp_serve(r, wait);
}

void mcp_serve_batch(struct mcp_request *like, const struct json *array, bool wait)
{
    struct batch *b = ARENA_NEW(&like->arena, struct batch);
    *b = (struct batch){.like = like, .answers = SBUF_ON(&like->arena), .open = 1};
    lock_init(&b->lock, LOCK_BATCH);
    for (const struct json *j = array->child; j != NULL; j = j->next) {
        struct rpc_message m;
        struct rpc_error bad;
        if (!rpc_read(j, &m, &bad) || m.kind == RPC_REQUEST)
            serve_request(b, j, wait);
        else /* a batch has no answer for one that is too large */
            (void)!peers_take_in(like->server, like->scope, &m, j->raw);
    }
    batch_let_go(b);
}
