#include "mcp/stdio.h"

#include <errno.h>

#include "base/clock.h"
#include "base/lock.h"
#include "base/os/file.h"
#include "base/os/pipe.h"
#include "base/os/ready.h"
#include "base/os/self.h"
#include "base/os/signal.h"
#include "base/os/thread.h"
#include "mcp/batch.h"
#include "mcp/client.h"
#include "mcp/core.h"
#include "mcp/hub.h"
#include "mcp/jsonrpc.h"
#include "mcp/request.h"
#include "mcp/server.h"

#define SCOPE STR("stdio")

enum { READ_SIZE = 64 << 10, LINE_SCRATCH = 16 << 10 };

struct stdio {
    struct mcp_sink messages; /* unsolicited ones; must be first */
    struct mcp_sink answers;  /* answers to requests */
    struct mcp_server *server;
    int in, out, stop;

    bool initialized; /* a legacy handshake has taken place */
    struct mcp_client client;
    bool exit;

    /* output */
    enum pipe_kind kind;
    struct lock lock;
    struct cond changed;
    struct thread writer;
    uintptr_t reader; /* thread_self() */
    bool has_writer, closing, corked;
    int drain_ms;       /* for queued output, when closing */
    atomic_bool broken; /* the client has disconnected */
    char *queue;
    size_t n, cap; /* bytes in the queue */
    char scratch[LINE_SCRATCH];

    /* input */
    char *line;
    size_t line_n, line_cap;
    bool skipping; /* the rest of a line that is too long */
    char bytes[READ_SIZE];
};

/* --- output --- */

static size_t write_some(struct stdio *io, str text)
{
    size_t done = 0;
    if (!io->broken && !pipe_offer(io->out, io->kind, text, &done))
        io->broken = true;
    return io->broken ? text.n : done;
}

/* Write as much of the queue as possible. The lock is held. */
static void flush_some(struct stdio *io)
{
    if (io->n == 0)
        return;
    size_t done = write_some(io, (str){io->queue, io->n});
    io->n -= done;
    memmove(io->queue, io->queue + done, io->n);
}

/* The writer thread: it may block where others must not. */
static void *write_queue(void *arg)
{
    struct stdio *io = arg;
    int late = 0; /* seconds without progress after the end */
    lock_take(&io->lock);
    while (!io->closing || (io->n > 0 && late < io->drain_ms / 1000)) {
        if (io->n == 0) {
            lock_wait(&io->lock, &io->changed);
            continue;
        }
        lock_drop(&io->lock);
        bool room = ready_wait(&(struct ready){.fd = io->out, .write = true}, 1, 1000);
        lock_take(&io->lock);
        late = room || !io->closing ? 0 : late + 1;
        if (!room)
            continue;
        flush_some(io);
        cond_wake_all(&io->changed);
    }
    lock_drop(&io->lock);
    return NULL;
}

static void enqueue(struct stdio *io, str text)
{
    if (io->n + text.n > io->cap) {
        io->cap = size_add(io->n + text.n, io->cap / 2 + 4096);
        io->queue = mem_grow(io->queue, io->cap);
    }
    memcpy(io->queue + io->n, text.p, text.n);
    io->n += text.n;
}

/* Leave the queue to a thread that may block. The lock is held. */
static void wake_writer(struct stdio *io)
{
    if (!io->has_writer)
        io->has_writer = thread_start(&io->writer, "writer", write_queue, io);
    cond_wake_all(&io->changed);
}

/* Write text after the queued output, or queue it. The lock is held. */
static void stdio_put(struct stdio *io, str text)
{
    bool corked = io->corked && io->reader == thread_self();
    size_t done = io->n == 0 && !corked ? write_some(io, text) : 0;
    if (done == text.n || io->broken)
        return;
    enqueue(io, str_skip(text, done));
    if (!corked)
        wake_writer(io);
}

/*
 * While the reader processes the data of one read, its answers are held back and then
 * sent together: a client with many requests in flight is woken once, not once per
 * answer.
 */
static void cork(struct stdio *io)
{
    lock_take(&io->lock);
    io->corked = true;
    lock_drop(&io->lock);
}

static void uncork(struct stdio *io)
{
    lock_take(&io->lock);
    io->corked = false;
    flush_some(io);
    if (io->n > 0)
        wake_writer(io);
    lock_drop(&io->lock);
}

static bool is_told_to_stop(const struct stdio *io)
{
    return ready_to_read(io->stop);
}

static void wait_a_moment(struct stdio *io)
{
    lock_wait_until(&io->lock, &io->changed, clock_ns() + 1000000000);
}

/*
 * A worker waits until the client has read enough: its calls are the only ones there are.
 * So unread answers never add up to more than the queue and one per worker.
 * The lock is held.
 */
static void wait_as_worker(struct stdio *io)
{
    while (io->n > STDIO_QUEUE_MAX && !io->broken && !io->closing && !is_told_to_stop(io))
        wait_a_moment(io);
}

/* With the lock. */
static void put_line_now(struct stdio *io, str message)
{
    if (message.n < LINE_SCRATCH) { /* usually: one write for message and line break */
        memcpy(io->scratch, message.p, message.n);
        io->scratch[message.n] = '\n';
        stdio_put(io, (str){io->scratch, message.n + 1});
    } else {
        stdio_put(io, message);
        stdio_put(io, STR("\n"));
    }
}

static void stdio_put_line(struct stdio *io, str message)
{
    lock_take(&io->lock);
    if (io->reader != thread_self())
        wait_as_worker(io);
    put_line_now(io, message);
    lock_drop(&io->lock);
}

static struct stdio *of_answers(struct mcp_sink *sink)
{
    return (struct stdio *)((char *)sink - offsetof(struct stdio, answers));
}

/* Send what is held back; the reader continues to hold back its answers. */
static void flush_answers(struct mcp_sink *sink)
{
    struct stdio *io = of_answers(sink);
    uncork(io);
    cork(io);
}

/* Changes are reported by threads that must not wait. A client with that much unread does
 * not miss one more hint. */
static void send_message(struct mcp_sink *sink, str message)
{
    struct stdio *io = (struct stdio *)sink;
    lock_take(&io->lock);
    if (io->n <= STDIO_QUEUE_MAX)
        put_line_now(io, message);
    lock_drop(&io->lock);
}

static void send_answer_message(struct mcp_sink *sink, str message)
{
    stdio_put_line(of_answers(sink), message);
}

static void finish_answer(struct mcp_sink *sink, str message, int code)
{
    if (message.n > 0)
        stdio_put_line(of_answers(sink), message);
}

static void finish_messages(struct mcp_sink *sink, str message, int code)
{
}

/* Pause reading while the client leaves too much unread. */
static void wait_for_room(struct stdio *io)
{
    lock_take(&io->lock);
    if (io->n > STDIO_QUEUE_MAX)
        wake_writer(io);
    while (io->n > STDIO_QUEUE_MAX && !io->broken && !is_told_to_stop(io))
        wait_a_moment(io);
    lock_drop(&io->lock);
}

/* --- messages --- */

static struct mcp_request *new_request(struct stdio *io)
{
    struct mcp_request *r = mcp_request_create(io->server);
    r->sink = &io->answers;
    r->scope = SCOPE;
    return r;
}

static void stdio_refuse(struct mcp_request *r, int code, const char *why)
{
    rpc_fail(&r->error, code, "%s", why);
    mcp_refuse(r);
}

static void initialize(struct stdio *io, struct mcp_request *r)
{
    if (!mcp_read_initialize(r->params, &r->client, &r->error)) {
        mcp_refuse(r);
        return;
    }
    io->client = r->client;
    io->initialized = true;
    mcp_serve(r, true);
}

/* The era is decided per message. */
static void handle_request(struct stdio *io, struct mcp_request *r)
{
    str version;
    enum mcp_claim claim =
        mcp_read_claim(&r->arena, r->params, &r->client, &version, &r->error);
    if (str_eq(r->method, STR("initialize")) && claim != MCP_CLAIM_VALID) {
        initialize(io, r);
    } else if (claim == MCP_CLAIM_BROKEN || claim == MCP_CLAIM_UNSUPPORTED) {
        mcp_refuse(r);
    } else if (claim == MCP_CLAIM_VALID) {
        mcp_serve(r, true);
    } else if (io->initialized) {
        r->client = io->client;
        mcp_serve(r, true);
    } else if (str_eq(r->method, STR("ping"))) {
        r->client.revision = MCP_NEWEST_LEGACY;
        mcp_serve(r, true);
    } else {
        mcp_missing_envelope(r->params, &r->error);
        mcp_refuse(r);
    }
}

static void handle_notification(struct stdio *io, const struct rpc_message *m)
{
    if (str_eq(m->method, STR("notifications/initialized")) && io->initialized)
        hub_attach(&io->server->hub, SCOPE, &io->messages);
    else if (str_eq(m->method, STR("exit")))
        io->exit = true;
    else
        mcp_notified(io->server, SCOPE, m);
}

static void handle_batch(struct stdio *io, struct mcp_request *r,
                         const struct json *array)
{
    if (!io->initialized || io->client.revision != MCP_2025_03_26)
        stdio_refuse(r, RPC_INVALID_REQUEST, "Only revision 2025-03-26 has batches");
    else if (array->n == 0 || array->n > RPC_BATCH_MAX)
        stdio_refuse(r, RPC_INVALID_REQUEST, "A batch must have 1 to 100 messages");
    else {
        r->client = io->client;
        mcp_serve_batch(r, array, true);
    }
}

static void handle_line(struct stdio *io, str line)
{
    if (str_trim_line(line).n == 0)
        return;
    struct mcp_request *r = new_request(io);
    const struct json *j;
    struct err err = {0};
    struct rpc_message m;
    if (!json_parse(&r->arena, arena_str(&r->arena, line), &j, &err)) {
        rpc_fail(&r->error, RPC_PARSE_ERROR, "Parse error: %s", err.msg);
        mcp_refuse(r);
        return;
    }
    if (json_is(j, JSON_ARRAY)) {
        handle_batch(io, r, j);
        return;
    }
    bool ok = rpc_read(j, &m, &r->error);
    r->id = m.id;
    if (!ok) {
        mcp_refuse(r);
        return;
    }
    r->method = m.method;
    r->params = m.params;
    if (m.kind == RPC_REQUEST) {
        handle_request(io, r);
        return;
    }
    if (m.kind == RPC_NOTIFICATION)
        handle_notification(io, &m);
    else
        mcp_answered(io->server, SCOPE, &m);
    mcp_request_free(r);
}

/* --- input --- */

static void keep_rest(struct stdio *io, str rest)
{
    if (io->skipping || rest.n == 0)
        return;
    if (io->line_n + rest.n > STDIO_LINE_MAX) {
        io->skipping = true;
        io->line_n = 0;
        stdio_refuse(new_request(io), RPC_INVALID_REQUEST,
                     "A message may have at most 10 MiB");
        return;
    }
    if (io->line_n + rest.n > io->line_cap) {
        io->line_cap = (io->line_n + rest.n) * 2;
        io->line = mem_grow(io->line, io->line_cap);
    }
    memcpy(io->line + io->line_n, rest.p, rest.n);
    io->line_n += rest.n;
}

static void handle_bytes(struct stdio *io, str bytes)
{
    while (!io->exit) {
        size_t end = str_find_char(bytes, '\n');
        if (end == STR_NONE) {
            keep_rest(io, bytes);
            return;
        }
        str line = str_slice(bytes, 0, end);
        if (io->line_n > 0) {
            keep_rest(io, line);
            line = (str){io->line, io->line_n};
        }
        if (!io->skipping && line.n <= STDIO_LINE_MAX)
            handle_line(io, line);
        io->skipping = false;
        io->line_n = 0;
        bytes = str_skip(bytes, end + 1);
        wait_for_room(io);
    }
}

/* True while there is more to read. */
static bool read_input(struct stdio *io)
{
    size_t n;
    if (!file_read(io->in, io->bytes, sizeof(io->bytes), &n))
        return errno == EAGAIN;
    if (n > 0) {
        cork(io);
        handle_bytes(io, (str){io->bytes, n});
        uncork(io);
    } else if (io->line_n > 0 && !io->skipping) {
        handle_line(io,
                    (str){io->line, io->line_n}); /* the last line needs no line break */
    }
    return n > 0;
}

static void read_until_the_end(struct stdio *io)
{
    enum { INPUT, STOP, PARENT };
    struct parent parent;
    parent_watch(&parent);
    struct ready fds[] = {[INPUT] = {.fd = io->in},
                          [STOP] = {.fd = io->stop},
                          [PARENT] = {.fd = parent.fd}};
    int look_ms = parent.fd >= 0 ? READY_EVER : PARENT_LOOK_MS;
    for (bool more = true; more && !io->exit && !io->broken;) {
        (void)ready_wait(fds, COUNT_OF(fds), look_ms);
        if (fds[STOP].is || parent_has_ended(&parent))
            more = false;
        else if (fds[INPUT].is)
            more = read_input(io);
    }
    parent_forget(&parent);
}

static void close_output(struct stdio *io, int drain_ms)
{
    lock_take(&io->lock);
    io->closing = true;
    io->drain_ms = drain_ms;
    cond_wake_all(&io->changed);
    lock_drop(&io->lock);
    if (io->has_writer)
        thread_join(&io->writer);
    lock_take(&io->lock);
    io->broken = true; /* later output is dropped */
    cond_wake_all(&io->changed);
    lock_drop(&io->lock);
}

static void free_stdio(void *p)
{
    struct stdio *io = p;
    cond_destroy(&io->changed);
    lock_release(&io->lock);
    free(io->queue);
    free(io->line);
    free(io);
}

void mcp_stdio_run(struct mcp_server *server, int in, int out, int stop)
{
    struct stdio *io = mem_zero(sizeof(*io));
    mcp_server_keep(server, io, free_stdio);
    io->messages = (struct mcp_sink){.send = send_message, .finish = finish_messages};
    io->answers = (struct mcp_sink){
        .send = send_answer_message, .finish = finish_answer, .flush = flush_answers};
    io->server = server;
    io->in = in;
    io->out = out;
    io->stop = stop;
    io->kind = pipe_kind(out);
    io->reader = thread_self();
    lock_init(&io->lock, LOCK_OUTPUT);
    cond_init(&io->changed);
    signal_ignore_pipes();
    read_until_the_end(io);
    int drain_ms = is_told_to_stop(io) ? STDIO_STOP_MS : STDIO_DRAIN_MS;
    mcp_server_drain(server, (unsigned)drain_ms);
    hub_attach(&server->hub, SCOPE, NULL);
    close_output(io, drain_ms);
}
