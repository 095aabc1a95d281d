#include "mcp/stdio.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "asking.h"

/* --- the server's side --- */

static atomic_bool gate;   /* lets held() go on */
static atomic_int holding; /* calls in held() now */

static bool held(struct mcp_call *call, struct err *err)
{
    atomic_fetch_add(&holding, 1);
    while (!atomic_load(&gate) && !mcp_cancelled(call))
        usleep(1000);
    atomic_fetch_sub(&holding, 1);
    mcp_text(call, STR("held"));
    return true;
}

/* Does not even listen when it is cancelled. */
static bool stubborn(struct mcp_call *call, struct err *err)
{
    while (!atomic_load(&gate))
        usleep(1000);
    mcp_text(call, STR("at last"));
    return true;
}

enum { LARGE = 64 << 10 };

static bool large(struct mcp_call *call, struct err *err)
{
    char *text = arena_alloc(call->arena, LARGE);
    memset(text, 'x', LARGE);
    mcp_text(call, (str){text, LARGE});
    return true;
}

static const struct mcp_tool held_tool = {.name = "held", .about = "x", .run = held};
static const struct mcp_tool stubborn_tool = {
    .name = "stubborn", .about = "x", .run = stubborn};
static const struct mcp_tool large_tool = {.name = "large", .about = "x", .run = large};
static const struct mcp_tool large_quick_tool = {
    .name = "large_quick", .about = "x", .flags = MCP_QUICK, .run = large};
static const struct mcp_tool *const tools[] = {
    &held_tool,  &stubborn_tool, &large_tool, &large_quick_tool,
    &roots_tool, &quick_tool,    NULL};

/* --- the client's side --- */

struct rig {
    struct arena arena;
    struct pool *pool;
    struct mcp_server *server;
    int in, out;  /* the server's ends */
    int to, from; /* ours */
    pthread_t thread;
    atomic_bool ended;
    char *got; /* read, not yet taken */
    size_t n_got, cap_got;
};

static void *serve(void *arg)
{
    struct rig *g = arg;
    mcp_stdio_run(g->server, g->in, g->out);
    atomic_store(&g->ended, true);
    close(g->out);
    return NULL;
}

static struct rig *start(bool sockets)
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

static void hang_up(struct rig *g)
{
    if (g->to >= 0)
        close(g->to);
    g->to = -1;
}

static void finish(struct rig *g)
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

static int setup(void **state)
{
    *state = start(false);
    return 0;
}

static int setup_sockets(void **state)
{
    *state = start(true);
    return 0;
}

static int teardown(void **state)
{
    finish(*state);
    return 0;
}

static void put(struct rig *g, str bytes)
{
    while (bytes.n > 0) {
        ssize_t n = write(g->to, bytes.p, bytes.n);
        if (n <= 0)
            fail_msg("the server does not read");
        bytes = str_skip(bytes, (size_t)n);
    }
}

/* One line, quoted.h. */
static void say(struct rig *g, const char *text)
{
    put(g, quoted(&g->arena, text));
    put(g, STR("\n"));
}

enum { PATIENCE_MS = 30000 };

/* More bytes into g->got; false at the end. */
static bool get_more(struct rig *g)
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

/* The next line without its end; "(end)" when there is none. */
static str hear(struct rig *g)
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
static str hear_all(struct rig *g)
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

static void handshake(struct rig *g, const char *version)
{
    str text = arena_printf(&g->arena, INITIALIZE("%s"), version);
    say(g, text.p);
    str answer = hear(g);
    CHECK("initialize", str_find(answer, str_c(version)) != STR_NONE);
    say(g, INITIALIZED);
}

/* --- framing --- */

static void test_framing(void **state)
{
    static const struct {
        const char *name, *in, *out;
    } cases[] = {
        {"nothing", "", ""},
        {"one", PING("1") "\n", PONG("1") "\n"},
        {"two", PING("1") "\n" PING("2") "\n", PONG("1") "\n" PONG("2") "\n"},
        {"CRLF", PING("1") "\r\n" PING("2") "\r\n", PONG("1") "\n" PONG("2") "\n"},
        {"blank lines", "\n\r\n  \t\n" PING("1") "\n\n \n", PONG("1") "\n"},
        {"blanks around", "  " PING("1") "\t \n", PONG("1") "\n"},
        {"a carriage return inside", "{'jsonrpc':'2.0',\r'id':1,'method':'ping'}\n",
         PONG("1") "\n"},
        {"garbage, then sync", "garbage\n" PING("1") "\n",
         ERROR(
             "", "-32700",
             "Parse error: invalid JSON at byte 0: expected a value") "\n" PONG("1") "\n"},
        {"cut", "{'jsonrpc':\n" PING("1") "\n",
         ERROR("", "-32700",
               "Parse error: invalid JSON at byte 11: expected a value, found the "
               "end") "\n" PONG("1") "\n"},
        {"bad UTF-8", "'\xFF'\n" PING("1") "\n",
         ERROR(
             "", "-32700",
             "Parse error: invalid JSON at byte 1: expected UTF-8") "\n" PONG("1") "\n"},
        {"no object", "5\n", ERROR("", "-32600", "A JSON-RPC message is an object") "\n"},
        {"no version", "{'id':7,'method':'ping'}\n",
         ERROR("'id':7,", "-32600", "jsonrpc must be \\'2.0\\'") "\n"},
        {"twice the same key", "{'jsonrpc':'2.0','id':1,'id':2,'method':'ping'}\n", NULL},
        {"an answer to nothing", "{'jsonrpc':'2.0','id':'ask-1-0','result':{}}\n", ""},
        {"a notification", "{'jsonrpc':'2.0','method':'notifications/x'}\n", ""},
        {"an error", "{'jsonrpc':'2.0','error':{'code':1,'message':'m'}}\n", ""},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        for (int sockets = 0; sockets < 2; sockets++) {
            struct rig *g = start(sockets);
            put(g, quoted(&g->arena, cases[i].in));
            hang_up(g);
            if (cases[i].out != NULL)
                CHECK_QUOTED(&g->arena, cases[i].name, hear_all(g), cases[i].out);
            else
                CHECK(cases[i].name, str_find(hear_all(g), STR("-32700")) != STR_NONE);
            finish(g);
        }
    }
    (void)state;
}

/* However the bytes arrive. */
static void test_pieces(void **state)
{
    struct rig *g = *state;
    str text = quoted(&g->arena, PING("'\xC3\xA9'") "\r\n\n" PING("2") "\n");
    for (size_t i = 0; i < text.n; i++) {
        put(g, str_slice(text, i, i + 1));
        if (i % 7 == 0)
            usleep(500);
    }
    CHECK_HEARD("first", g, PONG("'\xC3\xA9'"));
    CHECK_HEARD("second", g, PONG("2"));
}

/* --- eras, as mcp.md §1.3 has them --- */

#define MISSING                                                                          \
    "params._meta is missing: send " MCP_META "protocolVersion and " MCP_META            \
    "clientCapabilities in it, or begin with initialize"

static void test_before_initialize(void **state)
{
    struct rig *g = *state;
    say(g, PING("1"));
    CHECK_HEARD("ping", g, PONG("1"));
    say(g, "{'jsonrpc':'2.0','id':2,'method':'tools/list'}");
    CHECK_HEARD("tools/list", g, ERROR("'id':2,", "-32602", MISSING));
    say(g, "{'jsonrpc':'2.0','id':3,'method':'server/discover'}");
    CHECK_HEARD("bare discover", g, ERROR("'id':3,", "-32602", MISSING));
    say(g, "{'jsonrpc':'2.0','id':4,'method':'tools/list','params':{'_meta':{"
           "'progressToken':1}}}");
    CHECK_HEARD("no claim", g,
                ERROR("'id':4,", "-32602",
                      "params._meta lacks " MCP_META "protocolVersion (and " MCP_META
                      "clientCapabilities); or begin with initialize"));
    say(g, "{'jsonrpc':'2.0','id':5,'method':'no/such'}");
    CHECK_HEARD("unknown", g, ERROR("'id':5,", "-32602", MISSING));
}

static void test_modern(void **state)
{
    struct rig *g = *state;
    say(g, "{'jsonrpc':'2.0','id':1,'method':'server/discover','params':{" META "}}");
    CHECK("discover", str_find(hear(g), STR("supportedVersions")) != STR_NONE);
    say(g, "{'jsonrpc':'2.0','id':2,'method':'ping','params':{" META "}}");
    CHECK_HEARD("ping is gone", g, ERROR("'id':2,", "-32601", "Method not found: ping"));
    say(g, "{'jsonrpc':'2.0','id':3,'method':'initialize','params':{" META
           ",'protocolVersion':'2025-11-25'}}");
    CHECK_HEARD("so is initialize", g,
                ERROR("'id':3,", "-32601", "Method not found: initialize"));
    say(g, "{'jsonrpc':'2.0','id':4,'method':'tools/list','params':{'_meta':{'" MCP_META
           "protocolVersion':'2099-01-01','" MCP_META "clientCapabilities':{}}}}");
    CHECK_HEARD("unsupported", g,
                "{'jsonrpc':'2.0','id':4,'error':{'code':-32022,'message':'Unsupported "
                "protocol version','data':{'supported':['2026-07-28'],'requested':"
                "'2099-01-01'}}}");
    say(g, "{'jsonrpc':'2.0','id':5,'method':'tools/list','params':{'_meta':{'" MCP_META
           "protocolVersion':'2026-07-28'}}}");
    CHECK_HEARD("broken", g,
                ERROR("'id':5,", "-32602",
                      "params._meta[\\'" MCP_META "clientCapabilities\\'] is missing"));
    say(g, "{'jsonrpc':'2.0','id':6,'method':'tools/list'}");
    CHECK_HEARD("no state is kept", g, ERROR("'id':6,", "-32602", MISSING));
    handshake(g, "2025-11-25"); /* a probe does not close the door */
    say(g, PING("7"));
    CHECK_HEARD("ping", g, PONG("7"));
}

/* After initialize claimless requests are legacy, others still are what they claim. */
static void test_both(void **state)
{
    struct rig *g = *state;
    handshake(g, "2024-11-05");
    say(g, CALL("1", "quick"));
    CHECK("a question, without mode",
          str_find(hear(g), STR("\"params\":{\"message\"")) != STR_NONE);
    say(g, "{'jsonrpc':'2.0','id':2,'method':'prompts/list'}");
    CHECK_HEARD("not offered", g,
                ERROR("'id':2,", "-32601", "Method not found: prompts/list"));
    say(g, "{'jsonrpc':'2.0','id':3,'method':'server/discover'}");
    CHECK_HEARD("modern only", g,
                ERROR("'id':3,", "-32601", "Method not found: server/discover"));
    say(g, "{'jsonrpc':'2.0','id':4,'method':'server/discover','params':{" META "}}");
    CHECK("claimed", str_find(hear(g), STR("resultType")) != STR_NONE);
    say(g, INITIALIZE("2025-06-18"));
    CHECK("again", str_find(hear(g), STR("2025-06-18")) != STR_NONE);
}

static void test_initialize_versions(void **state)
{
    static const struct {
        const char *asked, *got;
    } cases[] = {
        {"2024-11-05", "2024-11-05"}, {"2025-03-26", "2025-03-26"},
        {"2025-06-18", "2025-06-18"}, {"2025-11-25", "2025-11-25"},
        {"2026-07-28", "2025-11-25"}, {"1999-01-01", "2025-11-25"},
    };

    struct rig *g = *state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        say(g, arena_printf(&g->arena, INITIALIZE("%s"), cases[i].asked).p);
        str want = arena_printf(&g->arena, "\"protocolVersion\":\"%s\"", cases[i].got);
        CHECK(cases[i].asked, str_find(hear(g), want) != STR_NONE);
    }
    say(g, "{'jsonrpc':'2.0','id':1,'method':'initialize'}");
    CHECK_HEARD("no params", g,
                ERROR("'id':1,", "-32602", "initialize needs protocolVersion, a string"));
    /* an envelope that is broken makes it no modern request */
    say(g, "{'jsonrpc':'2.0','id':2,'method':'initialize','params':{'protocolVersion':"
           "'2025-06-18','_meta':{'" MCP_META "protocolVersion':5}}}");
    CHECK("broken claim", str_find(hear(g), STR("\"2025-06-18\"")) != STR_NONE);
}

/* --- what comes unasked --- */

static void test_unsolicited(void **state)
{
    struct rig *g = *state;
    mcp_server_changed(g->server, MCP_TOOLS_CHANGED);
    say(g, INITIALIZED); /* without initialize it means nothing */
    say(g, INITIALIZE("2025-11-25"));
    hear(g);
    mcp_server_changed(g->server, MCP_TOOLS_CHANGED);
    say(g, PING("1"));
    CHECK_HEARD("nothing before", g, PONG("1"));
    say(g, INITIALIZED);
    say(g, PING("2"));
    CHECK_HEARD("now", g, PONG("2"));
    mcp_server_changed(g->server, MCP_TOOLS_CHANGED);
    CHECK_HEARD(
        "changed", g,
        "{'jsonrpc':'2.0','method':'notifications/tools/list_changed','params':{}}");
}

static void test_listen(void **state)
{
    struct rig *g = *state;
    say(g, "{'jsonrpc':'2.0','id':'l','method':'subscriptions/listen','params':{"
           "'notifications':{'toolsListChanged':true}," META "}}");
    CHECK("acknowledged", str_find(hear(g), STR("acknowledged")) != STR_NONE);
    say(g, PING("1"));
    CHECK_HEARD("it listens", g, PONG("1"));
    mcp_server_changed(g->server, MCP_TOOLS_CHANGED);
    CHECK_HEARD("changed", g,
                "{'jsonrpc':'2.0','method':'notifications/tools/list_changed','params':{"
                "'_meta':{'" MCP_META "subscriptionId':'l'}}}");
    say(g, "{'jsonrpc':'2.0','id':2,'method':'subscriptions/listen','params':{"
           "'notifications':{'toolsListChanged':true}," META "}}");
    hear(g);
    say(g, "{'jsonrpc':'2.0','method':'notifications/cancelled','params':{'requestId':"
           "'l'}}");
    say(g, PING("3"));
    CHECK_HEARD("no response to a cancelled one", g, PONG("3"));
    hang_up(g);
    CHECK_HEARD(
        "the other ends with its result", g,
        "{'jsonrpc':'2.0','id':2,'result':{'resultType':'complete','_meta':{'" MCP_META
        "subscriptionId':2,'" MCP_META "serverInfo':{'name':'s','version':'1'}}}}");
    CHECK_STR("nothing more", hear(g), "(end)");
}

static void test_question(void **state)
{
    struct rig *g = *state;
    handshake(g, "2025-06-18");
    for (int i = 0; i < 3; i++) {
        say(g, CALL("7", "roots"));
        const struct json *question;
        struct err err;
        assert_true(json_parse(&g->arena, hear(g), &question, &err));
        CHECK_STR("method", json_get_str(question, STR("method")), "roots/list");
        str id = json_get_str(question, STR("id"));
        say(g, arena_printf(&g->arena,
                            "{'jsonrpc':'2.0','id':'" STR_FMT "','result':{'n':%d}}",
                            STR_ARG(id), i)
                   .p);
        str want = arena_printf(&g->arena, RESULT("7", "{\\'n\\':%d}"), i);
        CHECK_HEARD("answer", g, want.p);
    }
}

static void test_cancel(void **state)
{
    struct rig *g = *state;
    handshake(g, "2025-06-18");
    say(g, CALL("7", "held"));
    say(g, PING("8"));
    CHECK_HEARD("others pass", g, PONG("8"));
    say(g,
        "{'jsonrpc':'2.0','method':'notifications/cancelled','params':{'requestId':7}}");
    for (int i = 0; i < 5000 && atomic_load(&holding) > 0; i++)
        usleep(1000);
    say(g, PING("9"));
    CHECK_HEARD("no answer", g, PONG("9"));
}

/* --- batches --- */

static void test_batches(void **state)
{
    struct rig *g = *state;
    const char *refused = ERROR("", "-32600", "Only revision 2025-03-26 has batches");
    say(g, "[" PING("1") "]");
    CHECK_HEARD("before initialize", g, refused);
    handshake(g, "2025-11-25");
    say(g, "[" PING("1") "]");
    CHECK_HEARD("2025-11-25", g, refused);
    say(g, INITIALIZE("2025-03-26"));
    hear(g);
    say(g, "[" PING("1") "," PING("2") "]");
    CHECK_HEARD("two", g, "[" PONG("1") "," PONG("2") "]");
    say(g, "[{'jsonrpc':'2.0','method':'notifications/x'}]");
    say(g, "[]");
    CHECK_HEARD("none", g, ERROR("", "-32600", "A batch has 1 to 100 messages"));
    struct sbuf b = SBUF_ON(&g->arena);
    for (int i = 0; i < 101; i++)
        sbuf_printf(&b, "%s" PING("%d"), i > 0 ? "," : "[", i);
    sbuf_add(&b, STR("]\0"));
    say(g, b.p);
    CHECK_HEARD("too many", g, ERROR("", "-32600", "A batch has 1 to 100 messages"));
    say(g, INITIALIZE("2024-11-05"));
    hear(g);
    say(g, "[" PING("1") "]");
    CHECK_HEARD("2024-11-05", g, refused);
}

/* --- long lines --- */

/* A ping of n bytes. */
static str long_ping(struct arena *a, size_t n)
{
    str ping = quoted(a, PING("1"));
    char *text = arena_alloc(a, n);
    memset(text, ' ', n);
    memcpy(text, ping.p, ping.n);
    return (str){text, n};
}

static void test_longest_line(void **state)
{
    struct rig *g = *state;
    put(g, long_ping(&g->arena, STDIO_LINE_MAX));
    put(g, STR("\n"));
    CHECK_HEARD("longest", g, PONG("1"));
    put(g, long_ping(&g->arena, STDIO_LINE_MAX + 1));
    put(g, STR("\n"));
    CHECK_HEARD("too long", g, ERROR("", "-32600", "A message has at most 10 MiB"));
    say(g, PING("2"));
    CHECK_HEARD("in sync", g, PONG("2"));
}

static void test_endless_line(void **state)
{
    struct rig *g = *state;
    str part = long_ping(&g->arena, 1 << 20);
    for (int i = 0; i < 40; i++)
        put(g, part);
    CHECK_HEARD("told early, and once", g,
                ERROR("", "-32600", "A message has at most 10 MiB"));
    say(g, PING("2")); /* still of that line */
    say(g, PING("3"));
    CHECK_HEARD("in sync", g, PONG("3"));
}

/* --- a client that writes first and reads later --- */

enum { LINES = 10000 };

static void test_late_reader(void **state)
{
    struct rig *g = *state;
    for (int i = 0; i < LINES; i++) {
        char line[64];
        int n = snprintf(line, sizeof(line),
                         "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"ping\"}\n", i);
        put(g, (str){line, (size_t)n});
    }
    for (int i = 0; i < LINES; i++) {
        char want[64];
        snprintf(want, sizeof(want), PONG("%d"), i);
        CHECK_HEARD("in order", g, want);
    }
}

struct writing {
    struct rig *rig;
    const char *tool;
    int n;
};

static void *write_calls(void *arg)
{
    const struct writing *w = arg;
    struct arena a = {0};
    for (int i = 0; i < w->n; i++) {
        str line = quoted(&a, arena_printf(&a, CALL("%d", "%s") "\n", i, w->tool).p);
        while (line.n > 0) {
            ssize_t k = write(w->rig->to, line.p, line.n);
            if (k <= 0)
                break;
            line = str_skip(line, (size_t)k);
        }
        arena_reset(&a);
    }
    arena_release(&a);
    return NULL;
}

/* More than the queue holds: reading pauses, nothing is lost. */
static void test_full_queue(void **state)
{
    static const char *const names[] = {"large", "large_quick"};
    enum { CALLS = STDIO_QUEUE_MAX / LARGE + 200 };
    struct rig *g = *state;
    handshake(g, "2025-11-25");
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        struct writing w = {g, names[i], CALLS};
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, write_calls, &w), 0);
        usleep(300000);
        size_t n = 0;
        for (; n < CALLS; n++) {
            str line = hear(g);
            CHECK("whole", line.n > LARGE && str_ends(line, STR("x\"}]}}")));
            arena_reset(&g->arena);
        }
        pthread_join(thread, NULL);
        say(g, PING("1"));
        CHECK_HEARD("nothing more", g, PONG("1"));
    }
}

/* --- the end --- */

static void until_ended(struct rig *g)
{
    for (int i = 0; i < PATIENCE_MS && !atomic_load(&g->ended); i++)
        usleep(1000);
    CHECK("it ends", atomic_load(&g->ended));
}

static void test_exit(void **state)
{
    struct rig *g = *state;
    put(g, quoted(&g->arena,
                  PING("1") "\n{'jsonrpc':'2.0','method':'exit'}\n" PING("2") "\n"));
    CHECK_HEARD("before", g, PONG("1"));
    CHECK_STR("not after", hear(g), "(end)");
    until_ended(g);
}

static void test_eof_with_running_call(void **state)
{
    struct rig *g = *state;
    handshake(g, "2025-11-25");
    say(g, CALL("7", "held"));
    say(g, PING("8"));
    CHECK_HEARD("it runs", g, PONG("8"));
    hang_up(g);
    usleep(50000);
    assert_false(atomic_load(&g->ended));
    atomic_store(&gate, true);
    CHECK_HEARD("its answer", g, RESULT("7", "held"));
    CHECK_STR("the end", hear(g), "(end)");
    until_ended(g);
}

/* Nobody will answer any more, so nobody is waited for. */
static void test_eof_with_open_question(void **state)
{
    struct rig *g = *state;
    handshake(g, "2025-11-25");
    say(g, CALL("7", "roots"));
    CHECK("question", str_find(hear(g), STR("roots/list")) != STR_NONE);
    struct timespec before, after;
    clock_gettime(CLOCK_MONOTONIC, &before);
    hang_up(g);
    CHECK_STR("the end", hear(g), "(end)");
    until_ended(g);
    clock_gettime(CLOCK_MONOTONIC, &after);
    CHECK("soon", after.tv_sec - before.tv_sec < STDIO_DRAIN_MS / 1000 - 1);
}

/*
 * A call may outlive the time it is given; mcp_stdio_run() has then returned when it
 * ends. In a child, since what goes wrong there is memory that is gone.
 */
static void test_eof_with_stubborn_call(void **state)
{
    (void)state;
    pid_t child = fork();
    if (child == 0) {
        alarm(60);
        close(STDERR_FILENO);
        struct rig *g = start(false);
        handshake(g, "2025-11-25");
        say(g, CALL("7", "stubborn"));
        hang_up(g);
        while (!atomic_load(&g->ended))
            usleep(1000);
        finish(g);
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    CHECK("in good order", WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void test_sigterm(void **state)
{
    struct rig *g = *state;
    say(g, PING("1"));
    CHECK_HEARD("it serves", g, PONG("1"));
    assert_int_equal(pthread_kill(g->thread, SIGTERM), 0);
    CHECK_STR("the end", hear(g), "(end)");
    until_ended(g);
}

/* A client that is gone ends us, too, although its other pipe stays open. */
static void test_broken_output(void **state)
{
    struct rig *g = *state;
    say(g, PING("1"));
    CHECK_HEARD("it serves", g, PONG("1"));
    close(g->from);
    g->from = -1;
    for (int i = 0; i < 200 && !atomic_load(&g->ended); i++) {
        str ping = quoted(&g->arena, PING("2") "\n");
        (void)!write(g->to, ping.p, ping.n);
        usleep(10000);
    }
    until_ended(g);
}

/* The same while workers answer. */
static void test_broken_output_of_workers(void **state)
{
    struct rig *g = *state;
    handshake(g, "2025-11-25");
    for (int i = 0; i < 20; i++)
        say(g, CALL("1", "large"));
    usleep(20000);
    close(g->from);
    g->from = -1;
    for (int i = 0; i < 200 && !atomic_load(&g->ended); i++) {
        str call = quoted(&g->arena, CALL("1", "large") "\n");
        (void)!write(g->to, call.p, call.n);
        usleep(10000);
    }
    until_ended(g);
}

#define PIPE_TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)
#define SOCKET_TEST(function)                                                            \
    {                                                                                    \
#function " over sockets", function, setup_sockets, teardown, NULL               \
    }

int main(void)
{
    signal(SIGPIPE, SIG_IGN);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_framing),
        PIPE_TEST(test_pieces),
        PIPE_TEST(test_before_initialize),
        PIPE_TEST(test_modern),
        PIPE_TEST(test_both),
        PIPE_TEST(test_initialize_versions),
        PIPE_TEST(test_unsolicited),
        PIPE_TEST(test_listen),
        PIPE_TEST(test_question),
        PIPE_TEST(test_cancel),
        PIPE_TEST(test_batches),
        PIPE_TEST(test_longest_line),
        SOCKET_TEST(test_longest_line),
        PIPE_TEST(test_endless_line),
        PIPE_TEST(test_late_reader),
        SOCKET_TEST(test_late_reader),
        PIPE_TEST(test_full_queue),
        SOCKET_TEST(test_full_queue),
        PIPE_TEST(test_exit),
        SOCKET_TEST(test_exit),
        PIPE_TEST(test_eof_with_running_call),
        PIPE_TEST(test_eof_with_open_question),
        cmocka_unit_test(test_eof_with_stubborn_call),
        PIPE_TEST(test_sigterm),
        PIPE_TEST(test_broken_output),
        SOCKET_TEST(test_broken_output),
        PIPE_TEST(test_broken_output_of_workers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
