/*
 * Exchanges, as handlers see them. On the loop thread a call acts immediately; on another
 * thread it becomes a message to the loop. Messages of one exchange keep their order,
 * even if the loop thread itself makes a call while others are waiting.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/err.h"
#include "http/connection.h"
#include "http/response.h"

enum message_kind { REPLY, STREAM, SEND, END, GONE, CONTINUE };

struct message {
    struct message *next;
    enum message_kind kind;
    struct http_exchange *x;
    http_gone_fn gone_fn;
    http_continue_fn continue_fn;
    void *arg;
    uint64_t tag;
    struct http_response response; /* body: also the bytes of SEND */
    char text[];                   /* of the response */
};

struct http_exchange *exchange_create(struct http_server *s, struct connection *c)
{
    struct http_exchange *x = s->spare_exchanges;
    struct arena arena = {0};
    if (x != NULL) {
        s->spare_exchanges = x->next;
        s->n_spare_exchanges--;
        arena = x->arena;
        memset(x, 0, sizeof(*x));
    } else {
        x = mem_zero(sizeof(*x));
    }
    x->server = s;
    x->connection = c;
    x->arena = arena;
    x->id = ++s->last_id;
    x->started = clock_ns();
    return x;
}

void exchange_free(struct http_exchange *x)
{
    arena_release(&x->arena);
    free(x->kept);
    free(x);
}

/* Return it to the spare exchanges, with one small chunk of memory. */
static void recycle(struct http_exchange *x)
{
    struct http_server *s = x->server;
    if (s->n_spare_exchanges == HTTP_SPARES) {
        exchange_free(x);
        return;
    }
    arena_reset(&x->arena);
    free(x->kept);
    x->kept = NULL;
    x->next = s->spare_exchanges;
    s->spare_exchanges = x;
    s->n_spare_exchanges++;
}

static void exchange_detach(struct http_exchange *x)
{
    if (x->connection != NULL)
        x->connection->x = NULL;
    x->connection = NULL;
}

void exchange_drop(struct http_exchange *x)
{
    exchange_detach(x);
    recycle(x);
}

/* The end: write it to the access log and release it. */
static void exchange_finish(struct http_exchange *x)
{
    const struct http_config *config = &x->server->config;
    if (config->on_access != NULL) {
        struct http_access access = {
            .id = x->id,
            .method = x->request.method_name,
            .path = x->path,
            .peer = x->peer,
            .status = x->status,
            .bytes = x->bytes,
            .micros = (clock_ns() - x->started) / 1000,
        };
        config->on_access(config->context, &access);
    }
    x->finished = true;
    if (!x->notifying)
        recycle(x);
}

void exchange_gone(struct http_exchange *x)
{
    exchange_detach(x);
    if (atomic_load(&x->ended))
        return; /* the message that ends it is on its way */
    http_gone_fn fn = x->gone_fn;
    x->gone_fn = NULL;
    x->notifying = true;
    if (fn != NULL)
        fn(x->gone_owner, x->gone_tag);
    x->notifying = false;
    if (x->finished)
        recycle(x);
}

static bool on_loop(const struct http_server *s)
{
    return atomic_load(&s->thread) == thread_self();
}

static void begin_end(struct http_exchange *x)
{
    if (atomic_exchange(&x->ended, true))
        BUG("exchange %llu ends twice", (unsigned long long)x->id);
}

/* The connection, if the answer can still be sent there. */
static struct connection *peer_of(struct http_exchange *x)
{
    return atomic_load(&x->gone) ? NULL : x->connection;
}

static struct http_framing framing_of(struct http_exchange *x, bool stream)
{
    return (struct http_framing){
        .http10 = x->http10,
        .keep_alive = x->keep_alive && !x->server->stopping && !(stream && x->http10),
        .stream = stream,
        .cors = x->route != NULL && x->route->cors != HTTP_CORS_NONE,
        .origin = x->origin,
        .date = server_date(x->server),
        .https = x->server->config.https,
    };
}

static str make_head(struct http_exchange *x, const struct http_response *r,
                     const struct http_framing *f)
{
    struct arena *scratch = &x->server->scratch;
    arena_reset(scratch);
    struct sbuf head = SBUF_ON(scratch);
    http_response_head(&head, r, f);
    return sbuf_str(&head);
}

/* owned holds the body, or is NULL. */
static void exchange_send_reply(struct http_exchange *x, const struct http_response *r,
                                void *owned)
{
    struct connection *c = peer_of(x);
    exchange_detach(x);
    if (c == NULL) {
        free(owned);
        exchange_finish(x);
        return;
    }
    struct http_framing f = framing_of(x, false);
    bool no_body = x->request.method == HTTP_HEAD || http_is_bodiless(r->status);
    str parts[] = {make_head(x, r, &f), no_body ? STR("") : r->body};
    x->status = r->status;
    x->bytes = parts[1].n;
    bool lingers = x->lingers;
    connection_send(c, parts, COUNT_OF(parts), owned);
    exchange_finish(x);
    connection_answered(c, f.keep_alive, lingers);
}

void exchange_reply(struct http_exchange *x, const struct http_response *r)
{
    begin_end(x);
    exchange_send_reply(x, r, NULL);
}

/* Keep what the access log needs after the arena is gone. */
static void keep_texts(struct http_exchange *x)
{
    if (x->kept != NULL)
        return;
    str *texts[] = {&x->path, &x->peer, &x->origin};
    size_t n = 0;
    for (size_t i = 0; i < COUNT_OF(texts); i++)
        n += texts[i]->n;
    char *at = x->kept = mem_alloc(n);
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        if (texts[i]->n > 0)
            memcpy(at, texts[i]->p, texts[i]->n);
        texts[i]->p = at;
        at += texts[i]->n;
    }
}

static void begin_stream(struct http_exchange *x, const struct http_response *r)
{
    struct connection *c = peer_of(x);
    x->streaming = true;
    if (c != NULL) {
        struct http_response response = *r;
        response.status = x->status = 200;
        response.content_type = STR("text/event-stream");
        struct http_framing f = framing_of(x, true);
        f.keep_alive = f.keep_alive && x->request.method != HTTP_HEAD;
        x->keep_alive = f.keep_alive;
        str head = make_head(x, &response, &f);
        connection_send(c, &head, 1, NULL);
        if (x->request.method == HTTP_HEAD)
            connection_end(c);
        else
            connection_streams(c);
    }
    keep_texts(x);
    if (x->arena.chunk != NULL) {
        x->request = (struct http_request){.method = x->request.method,
                                           .method_name = x->request.method_name,
                                           .path = x->path,
                                           .peer = x->peer,
                                           .peer_is_local = x->request.peer_is_local};
        arena_release(&x->arena);
    }
}

static void send_chunk(struct http_exchange *x, str bytes, void *owned)
{
    struct connection *c = peer_of(x);
    if (!x->streaming)
        BUG("exchange %llu is not a stream", (unsigned long long)x->id);
    if (c == NULL || bytes.n == 0) {
        free(owned);
        return;
    }
    x->bytes += bytes.n;
    if (connection_queued(c) > x->server->config.limits.queued) {
        free(owned);
        connection_close(c);
        return;
    }
    if (x->http10) {
        connection_send(c, &bytes, 1, owned);
    } else {
        char size[24];
        int n = snprintf(size, sizeof(size), "%zx\r\n", bytes.n);
        str parts[] = {{size, (size_t)n}, bytes, STR("\r\n")};
        connection_send(c, parts, COUNT_OF(parts), NULL);
        free(owned);
    }
    connection_stream_sent(c);
}

void exchange_heartbeat(struct http_exchange *x)
{
    const str comment = STR(": keepalive\n\n");
    send_chunk(x, comment, NULL);
    x->bytes -= comment.n;
}

void exchange_last_chunk(struct http_exchange *x)
{
    struct connection *c = peer_of(x);
    const str last = STR("0\r\n\r\n");
    if (c != NULL && !x->http10)
        connection_send(c, &last, 1, NULL);
}

static void end_stream(struct http_exchange *x)
{
    struct connection *c = peer_of(x);
    if (!x->streaming)
        BUG("exchange %llu is not a stream", (unsigned long long)x->id);
    exchange_last_chunk(x);
    bool keep_alive = x->keep_alive && !x->server->stopping;
    exchange_detach(x);
    exchange_finish(x);
    if (c != NULL)
        connection_answered(c, keep_alive, false);
}

static void post(struct http_server *s, struct message *m)
{
    if (m->x != NULL)
        atomic_fetch_add(&m->x->posted, 1);
    struct message *newest = atomic_load(&s->messages);
    do {
        m->next = newest;
    } while (!atomic_compare_exchange_weak(&s->messages, &newest, m));
    if (newest == NULL)
        uv_async_send(&s->wake);
}

static str exchange_copy_text(char **at, str s)
{
    if (s.n > 0)
        memcpy(*at, s.p, s.n);
    str copy = {*at, s.n};
    *at += s.n;
    return copy;
}

/* A message with a copy of the response, in one piece. */
static struct message *make_message(enum message_kind kind, struct http_exchange *x,
                                    const struct http_response *r)
{
    size_t n = size_add(r->body.n, r->content_type.n);
    for (size_t i = 0; i < r->n_headers; i++)
        n = size_add(n, r->headers[i].name.n + r->headers[i].value.n);
    struct message *m = mem_alloc(size_add(sizeof(*m), n));
    *m = (struct message){.kind = kind, .x = x, .response = *r};
    char *at = m->text;
    m->response.body = exchange_copy_text(&at, r->body);
    m->response.content_type = exchange_copy_text(&at, r->content_type);
    for (size_t i = 0; i < r->n_headers; i++) {
        m->response.headers[i].name = exchange_copy_text(&at, r->headers[i].name);
        m->response.headers[i].value = exchange_copy_text(&at, r->headers[i].value);
    }
    return m;
}

static void exchange_take(struct message *m)
{
    struct http_exchange *x = m->x;
    if (x != NULL)
        atomic_fetch_sub(&x->posted, 1);
    switch (m->kind) {
    case REPLY:
        exchange_send_reply(x, &m->response, m);
        return;
    case SEND:
        send_chunk(x, m->response.body, m);
        return;
    case STREAM:
        begin_stream(x, &m->response);
        break;
    case END:
        end_stream(x);
        break;
    case GONE:
        m->gone_fn(m->arg, m->tag);
        break;
    case CONTINUE:
        m->continue_fn(x, m->arg, !x->server->freeing);
        break;
    }
    free(m);
}

void exchange_take_messages(struct http_server *s)
{
    struct message *newest = atomic_exchange(&s->messages, NULL), *oldest = NULL;
    while (newest != NULL) {
        struct message *m = newest;
        newest = m->next;
        m->next = oldest;
        oldest = m;
    }
    while (oldest != NULL) {
        struct message *m = oldest;
        oldest = m->next;
        exchange_take(m);
    }
}

/* Whether this is the loop thread and no earlier message is still on its way. */
static bool is_direct(const struct http_exchange *x)
{
    return on_loop(x->server) && atomic_load(&x->posted) == 0;
}

const struct http_request *http_request_of(const struct http_exchange *x)
{
    return &x->request;
}

uint64_t http_exchange_id(const struct http_exchange *x)
{
    return x->id;
}

void http_on_gone(struct http_exchange *x, http_gone_fn fn, void *owner, uint64_t tag)
{
    if (x->connection == NULL && fn != NULL) {
        struct message *m = mem_alloc(sizeof(*m));
        *m = (struct message){.kind = GONE, .gone_fn = fn, .arg = owner, .tag = tag};
        post(x->server, m);
        return;
    }
    x->gone_fn = fn;
    x->gone_owner = owner;
    x->gone_tag = tag;
}

void http_continue(struct http_exchange *x, http_continue_fn fn, void *arg)
{
    struct message *m = mem_alloc(sizeof(*m));
    *m = (struct message){.kind = CONTINUE, .x = x, .continue_fn = fn, .arg = arg};
    post(x->server, m);
}

void http_reply(struct http_exchange *x, const struct http_response *r)
{
    begin_end(x);
    if (is_direct(x))
        exchange_send_reply(x, r, NULL);
    else
        post(x->server, make_message(REPLY, x, r));
}

void http_stream(struct http_exchange *x, const struct http_response *r)
{
    if (is_direct(x))
        begin_stream(x, r);
    else
        post(x->server, make_message(STREAM, x, r));
}

bool http_stream_send(struct http_exchange *x, str bytes)
{
    if (atomic_load(&x->gone))
        return false;
    if (is_direct(x))
        send_chunk(x, bytes, NULL);
    else
        post(x->server, make_message(SEND, x, &(struct http_response){.body = bytes}));
    return !atomic_load(&x->gone);
}

void http_stream_end(struct http_exchange *x)
{
    begin_end(x);
    if (is_direct(x))
        end_stream(x);
    else
        post(x->server, make_message(END, x, &(struct http_response){0}));
}
