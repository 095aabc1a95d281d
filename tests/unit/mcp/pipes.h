/*
 * pipes - mcp_stdio_run() in a separate thread, at the other end of two pipes or socket
 * pairs, and a client that speaks lines to it.
 */
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "asking.h"
#include "mcp/server.h"
#include "mcp/stdio.h"

/* --- the server's side --- */

static atomic_bool gate;   /* lets held() go on */
static atomic_int holding; /* calls in held() now */

static inline bool held(struct mcp_call *call, struct err *err)
{
    atomic_fetch_add(&holding, 1);
    while (!atomic_load(&gate) && !mcp_cancelled(call))
        usleep(1000);
    atomic_fetch_sub(&holding, 1);
    mcp_text(call, STR("held"));
    return true;
}

/* Ignores cancellation. */
static inline bool stubborn(struct mcp_call *call, struct err *err)
{
    while (!atomic_load(&gate))
        usleep(1000);
    mcp_text(call, STR("at last"));
    return true;
}

enum { LARGE = 64 << 10 };

static inline bool large(struct mcp_call *call, struct err *err)
{
    char *text = arena_alloc(call->arena, LARGE);
    memset(text, 'x', LARGE);
    mcp_text(call, (str){text, LARGE});
    return true;
}

static atomic_int counted; /* calls of count_large() so far */

static inline bool count_large(struct mcp_call *call, struct err *err)
{
    atomic_fetch_add(&counted, 1);
    return large(call, err);
}

static const struct mcp_tool counted_tool = {
    .name = "counted", .about = "x", .run = count_large};
static const struct mcp_tool held_tool = {.name = "held", .about = "x", .run = held};
static const struct mcp_tool stubborn_tool = {
    .name = "stubborn", .about = "x", .run = stubborn};
static const struct mcp_tool large_tool = {.name = "large", .about = "x", .run = large};
static const struct mcp_tool large_quick_tool = {
    .name = "large_quick", .about = "x", .flags = MCP_QUICK, .run = large};
static const struct mcp_tool *const tools[] = {
    &held_tool,        &counted_tool, &stubborn_tool, &large_tool,
    &large_quick_tool, &roots_tool,   &quick_tool,    NULL};

/* --- the client's side --- */

struct rig {
    struct arena arena;
    struct pool *pool;
    struct mcp_server *server;
    int in, out;  /* the server's ends */
    int to, from; /* ours */
    int stop;     /* an eventfd */
    pthread_t thread;
    atomic_bool ended;
    char *got; /* read but not yet consumed */
    size_t n_got, cap_got;
};

static inline void *serve(void *arg)
{
    struct rig *g = arg;
    mcp_stdio_run(g->server, g->in, g->out, g->stop);
    atomic_store(&g->ended, true);
    close(g->out);
    return NULL;
}

static inline struct rig *start(bool sockets)
{
    struct rig *g = mem_zero(sizeof(*g));
    int in[2], out[2];
    if (sockets) {
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, in), 0);
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, out), 0);
    } else {
        assert_int_equal(pipe2(in, O_CLOEXEC), 0);
        assert_int_equal(pipe2(out, O_CLOEXEC), 0);
    }
    g->in = in[0];
    g->to = in[1];
    g->from = out[0];
    g->out = out[1];
    g->stop = eventfd(0, EFD_CLOEXEC);
    g->pool = pool_create(4, 64);
    g->server = mcp_server_create(&(struct mcp_config){
        .name = "s",
        .version = "1",
        .tools = tools,
        .list_changes = true,
        .pool = g->pool,
        .key = peer_key,
    });
    atomic_store(&gate, false);
    assert_int_equal(pthread_create(&g->thread, NULL, serve, g), 0);
    return g;
}

static inline void hang_up(struct rig *g)
{
    if (g->to >= 0)
        close(g->to);
    g->to = -1;
}

static inline void finish(struct rig *g)
{
    hang_up(g);
    atomic_store(&gate, true);
    if (g->from >= 0)
        close(g->from);
    pthread_join(g->thread, NULL);
    close(g->in);
    pool_free(g->pool);
    mcp_server_free(g->server);
    free(g->got);
    arena_release(&g->arena);
    free(g);
}

static inline int setup(void **state)
{
    *state = start(false);
    return 0;
}

static inline int setup_sockets(void **state)
{
    *state = start(true);
    return 0;
}

static inline int teardown(void **state)
{
    finish(*state);
    return 0;
}

static inline void put(struct rig *g, str bytes)
{
    while (bytes.n > 0) {
        ssize_t n = write(g->to, bytes.p, bytes.n);
        if (n <= 0)
            fail_msg("the server does not read");
        bytes = str_skip(bytes, (size_t)n);
    }
}

/* One line, quoted.h. */
static inline void say(struct rig *g, const char *text)
{
    put(g, quoted(&g->arena, text));
    put(g, STR("\n"));
}

enum { PATIENCE_MS = 300000 };

/* Read more bytes into g->got; false at the end. */
static inline bool get_more(struct rig *g)
{
    struct pollfd p = {.fd = g->from, .events = POLLIN};
    if (poll(&p, 1, PATIENCE_MS) != 1)
        fail_msg("nothing came");
    if (g->cap_got - g->n_got < LARGE) {
        g->cap_got = g->cap_got * 2 + 2 * LARGE;
        g->got = mem_grow(g->got, g->cap_got);
    }
    ssize_t n = read(g->from, g->got + g->n_got, LARGE);
    if (n > 0)
        g->n_got += (size_t)n;
    return n > 0;
}

/* The next line without its line break; "(end)" if there is none. */
static inline str hear(struct rig *g)
{
    size_t end, looked = 0;
    while ((end = str_find_char(str_skip((str){g->got, g->n_got}, looked), '\n')) ==
           STR_NONE) {
        looked = g->n_got;
        if (!get_more(g))
            return STR("(end)");
    }
    end += looked;
    str line = arena_str(&g->arena, (str){g->got, end});
    g->n_got -= end + 1;
    memmove(g->got, g->got + end + 1, g->n_got);
    return line;
}

/* Everything up to the end. */
static inline str hear_all(struct rig *g)
{
    while (get_more(g))
        ;
    str all = arena_str(&g->arena, (str){g->got, g->n_got});
    g->n_got = 0;
    return all;
}

#define CHECK_HEARD(row, g, want) CHECK_QUOTED(&(g)->arena, row, hear(g), want)

#define PING(id) "{'jsonrpc':'2.0','id':" id ",'method':'ping'}"
#define PONG(id) "{'jsonrpc':'2.0','id':" id ",'result':{}}"
#define ERROR(id, code, message)                                                         \
    "{'jsonrpc':'2.0'," id "'error':{'code':" code ",'message':'" message "'}}"
#define INITIALIZE(version)                                                              \
    "{'jsonrpc':'2.0','id':0,'method':'initialize','params':{'protocolVersion':"         \
    "'" version                                                                          \
    "','capabilities':{'roots':{},'elicitation':{}},'clientInfo':{'name':'c',"           \
    "'version':'1'}}}"
#define INITIALIZED "{'jsonrpc':'2.0','method':'notifications/initialized'}"
#define META                                                                             \
    "'_meta':{'" MCP_META "protocolVersion':'2026-07-28','" MCP_META                     \
    "clientCapabilities':{}}"
#define CALL(id, name)                                                                   \
    "{'jsonrpc':'2.0','id':" id ",'method':'tools/call','params':{'name':'" name "'}}"
#define RESULT(id, text)                                                                 \
    "{'jsonrpc':'2.0','id':" id ",'result':{'content':[{'type':'text','text':'" text     \
    "'}]}}"

static inline void handshake(struct rig *g, const char *version)
{
    str text = arena_printf(&g->arena, INITIALIZE("%s"), version);
    say(g, text.p);
    str answer = hear(g);
    CHECK("initialize", str_find(answer, str_c(version)) != STR_NONE);
    say(g, INITIALIZED);
}

#define PIPE_TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)
#define SOCKET_TEST(function)                                                            \
    {                                                                                    \
#function " over sockets", function, setup_sockets, teardown, NULL               \
    }
