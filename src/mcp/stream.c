#include "mcp/stream.h"

#include <stdio.h>

#include "base/clock.h"
#include "base/os/rand.h"
#include "http/response.h"
#include "http/server.h"
#include "mcp/session.h"

static const uint64_t STANDALONE = 1; /* a bit in the id of such a stream */

struct event {
    struct event *next;
    uint64_t number;
    size_t n;
    char data[];
};

struct mcp_stream {
    struct mcp_sink sink; /* must be first */
    struct mcp_streams *all;
    struct mcp_stream *prev, *next;
    struct event *first_event, *last_event;
    struct http_exchange *x; /* NULL: no client is connected */
    uint64_t tag, numbers, idle_since;
    uint64_t id;
    uint32_t bytes;
    bool standalone, ended;
    char scope[SESSION_SCOPE_SIZE];
};

void streams_init(struct mcp_streams *s)
{
    *s = (struct mcp_streams){0};
    lock_init(&s->lock, LOCK_OUTPUT);
}

/* --- all of the following with the lock held --- */

static void drop_event(struct mcp_stream *t)
{
    struct event *e = t->first_event;
    t->first_event = e->next;
    if (t->first_event == NULL)
        t->last_event = NULL;
    t->bytes -= (uint32_t)e->n;
    t->all->bytes -= e->n;
    free(e);
}

static void stream_let_go(struct mcp_stream *t)
{
    if (t->x == NULL)
        return;
    http_stream_end(t->x);
    t->x = NULL;
    t->idle_since = clock_ms();
}

static void stream_forget(struct mcp_stream *t)
{
    struct mcp_streams *s = t->all;
    stream_let_go(t);
    while (t->first_event != NULL)
        drop_event(t);
    if (t->prev != NULL)
        t->prev->next = t->next;
    else
        s->first = t->next;
    if (t->next != NULL)
        t->next->prev = t->prev;
    else
        s->last = t->prev;
    s->n--;
    free(t);
}

/* Only ended streams may be dropped: a running call or an open session still writes to
 * its stream. */
static void expire(struct mcp_streams *s)
{
    uint64_t now = clock_ms();
    for (struct mcp_stream *t = s->first, *next; t != NULL; t = next) {
        next = t->next;
        bool late = t->idle_since + STREAM_KEEP_MS < now;
        bool crowded = s->n >= STREAMS_MAX || s->bytes > STREAMS_BYTES_MAX;
        if (t->ended && t->x == NULL && (late || crowded))
            stream_forget(t);
    }
}

static void write_event(struct mcp_stream *t, const struct event *e)
{
    struct arena a = {0};
    struct sbuf out = SBUF_ON(&a);
    char id[48];
    snprintf(id, sizeof(id), "%016llx-%llu", (unsigned long long)t->id,
             (unsigned long long)e->number);
    sse_event(&out, str_c(id), STR("message"), (str){e->data, e->n});
    if (!http_stream_send(t->x, sbuf_str(&out)))
        stream_let_go(t);
    arena_release(&a);
}

static void add_event(struct mcp_stream *t, str message)
{
    struct event *e = mem_alloc(size_add(sizeof(*e), message.n));
    *e = (struct event){.number = ++t->numbers, .n = message.n};
    memcpy(e->data, message.p, message.n);
    if (t->last_event != NULL)
        t->last_event->next = e;
    else
        t->first_event = e;
    t->last_event = e;
    t->bytes += (uint32_t)e->n;
    t->all->bytes += e->n;
    if (t->x != NULL)
        write_event(t, e);
    while (t->bytes > STREAM_BYTES_MAX && t->first_event != t->last_event)
        drop_event(t);
}

static void write_primer(struct mcp_stream *t)
{
    char text[96];
    int n = snprintf(text, sizeof(text), "id: %016llx-0\nretry: %d\ndata: \n\n",
                     (unsigned long long)t->id, STREAM_RETRY_MS);
    http_stream_send(t->x, (str){text, (size_t)n});
}

/* --- the sink --- */

static void stream_send(struct mcp_sink *sink, str message)
{
    struct mcp_stream *t = (struct mcp_stream *)sink;
    lock_take(&t->all->lock);
    add_event(t, message);
    lock_drop(&t->all->lock);
}

static void stream_finish(struct mcp_sink *sink, str message, int code)
{
    struct mcp_stream *t = (struct mcp_stream *)sink;
    struct mcp_streams *s = t->all;
    lock_take(&s->lock);
    if (message.n > 0)
        add_event(t, message);
    stream_let_go(t);
    t->ended = true;
    t->idle_since = clock_ms();
    if (t->standalone)
        stream_forget(t);
    lock_drop(&s->lock);
}

struct mcp_sink *stream_sink(struct mcp_stream *stream)
{
    return &stream->sink;
}

struct mcp_stream *stream_open(struct mcp_streams *s, str scope, struct http_exchange *x,
                               uint64_t tag, bool primer, bool standalone)
{
    struct mcp_stream *t = mem_zero(sizeof(*t));
    t->sink = (struct mcp_sink){.send = stream_send, .finish = stream_finish};
    t->all = s;
    t->x = x;
    t->tag = tag;
    t->standalone = standalone;
    if (scope.n > 0 && scope.n < sizeof(t->scope))
        memcpy(t->scope, scope.p, scope.n);
    rand_bytes(&t->id, sizeof(t->id));
    t->id = (t->id & ~STANDALONE) | (standalone ? STANDALONE : 0);

    lock_take(&s->lock);
    expire(s);
    t->prev = s->last;
    if (s->last != NULL)
        s->last->next = t;
    else
        s->first = t;
    s->last = t;
    s->n++;
    if (primer)
        write_primer(t);
    lock_drop(&s->lock);
    return t;
}

void stream_detach(struct mcp_stream *stream)
{
    lock_take(&stream->all->lock);
    stream_let_go(stream);
    lock_drop(&stream->all->lock);
}

void streams_gone(void *streams, uint64_t tag)
{
    struct mcp_streams *s = streams;
    lock_take(&s->lock);
    for (struct mcp_stream *t = s->first; t != NULL; t = t->next) {
        if (t->x != NULL && t->tag == tag) {
            stream_let_go(t);
            break;
        }
    }
    lock_drop(&s->lock);
}

static bool read_event_id(str text, uint64_t *stream, uint64_t *number)
{
    char copy[48];
    if (text.n >= sizeof(copy) || text.n == 0)
        return false;
    memcpy(copy, text.p, text.n);
    copy[text.n] = '\0';
    unsigned long long id, n;
    char extra;
    if (sscanf(copy, "%16llx-%llu%c", &id, &n, &extra) != 2)
        return false;
    *stream = id;
    *number = n;
    return true;
}

bool stream_is_standalone(str event_id)
{
    uint64_t id, number;
    return read_event_id(event_id, &id, &number) && (id & STANDALONE) != 0;
}

static void replay(struct mcp_stream *t, uint64_t after)
{
    for (const struct event *e = t->first_event; e != NULL && t->x != NULL; e = e->next)
        if (e->number > after)
            write_event(t, e);
}

bool streams_resume(struct mcp_streams *s, str scope, str last_event_id,
                    struct http_exchange *x, uint64_t tag)
{
    uint64_t id, number;
    if (!read_event_id(last_event_id, &id, &number))
        return false;
    bool found = false;
    lock_take(&s->lock);
    for (struct mcp_stream *t = s->first; t != NULL && !found; t = t->next) {
        if (t->id != id || !str_eq(str_c(t->scope), scope))
            continue;
        found = true;
        stream_let_go(t); /* the newest connection wins: the old one may be dead */
        t->x = x;
        t->tag = tag;
        http_stream(x, &(struct http_response){.status = 200});
        replay(t, number);
        if (t->ended)
            stream_let_go(t);
    }
    lock_drop(&s->lock);
    return found;
}

bool streams_abandoned(struct mcp_streams *s, char *scope)
{
    uint64_t now = clock_ms();
    bool found = false;
    lock_take(&s->lock);
    for (const struct mcp_stream *t = s->first; t != NULL && !found; t = t->next) {
        found = t->standalone && t->x == NULL && t->idle_since + STREAM_KEEP_MS < now;
        if (found)
            memcpy(scope, t->scope, sizeof(t->scope));
    }
    lock_drop(&s->lock);
    return found;
}

void streams_release(struct mcp_streams *s)
{
    lock_take(&s->lock);
    while (s->first != NULL)
        stream_forget(s->first);
    lock_drop(&s->lock);
    lock_release(&s->lock);
}
