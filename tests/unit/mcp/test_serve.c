/* Methods, eras, envelopes: what a request gets back. */
#include "mcp/server.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "world.h"

static const char *const all_methods[] = {
    "initialize",
    "ping",
    "logging/setLevel",
    "resources/subscribe",
    "resources/unsubscribe",
    "server/discover",
    "subscriptions/listen",
    "tasks/get",
    "tasks/update",
    "tasks/cancel",
    "tools/list",
    "tools/call",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "prompts/list",
    "prompts/get",
    "completion/complete",
};

enum { LEGACY_ONLY = 5, MODERN_ONLY = 10 }; /* where those rows end */

static void test_eras(void **state)
{
    struct peer *p = *state;
    for (enum mcp_revision r = MCP_2024_11_05; r < MCP_REVISIONS; r++) {
        p->revision = r;
        for (size_t i = 0; i < COUNT_OF(all_methods); i++) {
            bool known = i >= MODERN_ONLY || (i < LEGACY_ONLY) == !mcp_is_modern(r);
            str row = arena_printf(&p->arena, "%s in %s", all_methods[i],
                                   mcp_revision_name(r).p);
            struct peer_call *c = peer_send(p, all_methods[i], "");
            peer_answer(c);
            CHECK_INT(row.p, c->code != RPC_METHOD_NOT_FOUND, known);
        }
    }
}

static void test_unknown_methods(void **state)
{
    static const char *const cases[] = {
        "",
        "tools",
        "tools/listx",
        "Tools/list",
        "tasks/list",
        "tasks/result",
        "notifications/cancelled",
        "exit",
        "rpc.discover",
        "elicitation/create",
    };

    struct peer *p = *state;
    for (int modern = 0; modern < 2; modern++) {
        p->revision = modern ? MCP_2026_07_28 : MCP_2025_11_25;
        for (size_t i = 0; i < COUNT_OF(cases); i++) {
            str want = arena_printf(&p->arena, "Method not found: %s", cases[i]);
            CHECK_FAILED(cases[i], peer_send(p, cases[i], ""), RPC_METHOD_NOT_FOUND,
                         want.p, NULL);
        }
    }
    char name[201] = {0};
    memset(name, 'x', sizeof(name) - 1);
    str want = arena_printf(&p->arena, "Method not found: %.100s", name);
    CHECK_FAILED("long", peer_send(p, name, ""), RPC_METHOD_NOT_FOUND, want.p, NULL);
}

/* A method that is not offered is unknown. */
static void test_bare(void **state)
{
    static const char *const known[] = {"initialize", "ping", "server/discover",
                                        "subscriptions/listen"};

    struct peer *p = *state;
    for (int modern = 0; modern < 2; modern++) {
        p->revision = modern ? MCP_2026_07_28 : MCP_2025_11_25;
        for (size_t i = 0; i < COUNT_OF(all_methods); i++) {
            bool want = false;
            for (size_t k = 0; k < COUNT_OF(known); k++)
                want |=
                    strcmp(known[k], all_methods[i]) == 0 && (k >= 2) == (modern == 1);
            struct peer_call *c = peer_send(p, all_methods[i], "");
            peer_answer(c);
            CHECK_INT(all_methods[i], c->code != RPC_METHOD_NOT_FOUND, want);
        }
    }
    CHECK_QUOTED(&p->arena, "discover", peer_answer(peer_send(p, "server/discover", "")),
                 "{'jsonrpc':'2.0','id':37,'result':{'resultType':'complete',"
                 "'supportedVersions':['2026-07-28'],'capabilities':{'extensions':{"
                 "'" MCP_META
                 "ui':{}}},'ttlMs':3600000,'cacheScope':'public','_meta':{'" MCP_META
                 "serverInfo':{'name':'peer','title':'Nothing','version':'1'}}}}");
}

#define CAPABILITIES(more)                                                               \
    "'capabilities':{'tools':{'listChanged':true},'resources':{'listChanged':true,"      \
    "'subscribe':true},'prompts':{'listChanged':true},'completions':{},'logging':{},"    \
    "'extensions':{'" MCP_META "ui':{}" more "}}"

static void test_initialize(void **state)
{
    struct peer *p = *state;
    for (enum mcp_revision r = MCP_2024_11_05; r <= MCP_NEWEST_LEGACY; r++) {
        p->revision = r; /* as read by the transport */
        str want = arena_printf(&p->arena,
                                "'protocolVersion':'%s'," CAPABILITIES(
                                    "") ",'serverInfo':{'name':'peer','version':'1'},"
                                        "'instructions':'Be kind.'",
                                mcp_revision_name(r).p);
        CHECK_DONE(mcp_revision_name(r).p, peer_send(p, "initialize", ""), want.p);
    }
}

/* Its looks are sent when a client gets to know the server, in revisions that have them. */
static void test_looks(void **state)
{
    struct peer *p =
        peer_create(&(struct mcp_config){.website = STR("https://example.org/"),
                                         .icon = STR("data:image/png;base64,AA==")});
    static const char *const looks =
        "'version':'1','websiteUrl':'https://example.org/','icons':[{'src':'data:image/"
        "png;base64,AA==','mimeType':'image/png'}]}";
    static const struct {
        enum mcp_revision revision;
        const char *method;
        bool want;
    } cases[] = {{MCP_2025_06_18, "initialize", false},
                 {MCP_2025_11_25, "initialize", true},
                 {MCP_2026_07_28, "server/discover", true},
                 {MCP_2026_07_28, "subscriptions/listen", false}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        p->revision = cases[i].revision;
        str got = peer_answer(
            peer_send(p, cases[i].method, i == 3 ? "'notifications':{}" : ""));
        CHECK_INT(cases[i].method, str_find(got, quoted(&p->arena, looks)) != STR_NONE,
                  cases[i].want);
    }
    peer_free(p);
}

static void test_discover(void **state)
{
    struct peer *p = *state;
    p->revision = MCP_2026_07_28;
    CHECK_CACHED("discover", peer_send(p, "server/discover", ""),
                 "'supportedVersions':['2026-07-28']," CAPABILITIES(
                     ",'" MCP_META "tasks':{}") ",'instructions':'Be kind.'",
                 "public");
}

/* The envelope of each kind of result, in both eras. */
static void test_envelopes(void **state)
{
    static const struct {
        const char *method, *params, *members;
        const char *cache; /* of the modern era */
    } cases[] = {
        {"tools/call", "'name':'echo'", "'content':[{'type':'text','text':'hello'}]",
         NULL},
        {"resources/read", "'uri':'test://item/1/x'",
         "'contents':[{'uri':'test://item/1/x','mimeType':'text/plain','text':'1/x'}]",
         "private"},
        {"prompts/get", "'name':'plain'",
         "'description':'No "
         "arguments','messages':[{'role':'user','content':{'type':'text',"
         "'text':'just so'}}]",
         NULL},
        {"completion/complete",
         "'ref':{'type':'ref/prompt','name':'plain'},'argument':{'name':'n','value':''}",
         "'completion':{'values':[],'total':0,'hasMore':false}", NULL},
        {"resources/templates/list", "",
         "'resourceTemplates':[{'uriTemplate':'test://item/{id}/{+path}','name':'item',"
         "'description':'An item'},{'uriTemplate':'test://other/{n}','name':'other'}]",
         "public"},
        {"resources/list", "'cursor':'Mjo'",
         "'resources':[{'uri':'test://other/1','name':'one'}]", "private"},
        {"prompts/list", "'cursor':'1'",
         "'prompts':[{'name':'plain','description':'No arguments'}]", "public"},
    };

    struct peer *p = *state;
    for (int modern = 0; modern < 2; modern++) {
        p->revision = modern ? MCP_2026_07_28 : MCP_2025_11_25;
        for (size_t i = 0; i < COUNT_OF(cases); i++)
            CHECK_CACHED(cases[i].method, peer_send(p, cases[i].method, cases[i].params),
                         cases[i].members, cases[i].cache);
    }
}

/* Legacy clients parse these strictly. */
static void test_empty_results(void **state)
{
    static const struct {
        const char *method, *params;
    } cases[] = {
        {"ping", ""},
        {"logging/setLevel", "'level':'error'"},
        {"resources/subscribe", "'uri':'test://a'"},
        {"resources/unsubscribe", "'uri':'test://a'"},
        {"resources/unsubscribe", "'uri':'test://never'"},
    };

    struct peer *p = *state;
    for (enum mcp_revision r = MCP_2024_11_05; r <= MCP_NEWEST_LEGACY; r++) {
        p->revision = r;
        for (size_t i = 0; i < COUNT_OF(cases); i++)
            CHECK_DONE(cases[i].method, peer_send(p, cases[i].method, cases[i].params),
                       "");
    }
}

/* An id comes back as it was spelled. */
static void test_ids(void **state)
{
    static const char *const ids[] = {
        "0", "-1", "12345678901234567890123", "''", "'a b'", "'\\u00e9\\/'", "'1'"};

    struct peer *p = *state;
    for (size_t i = 0; i < COUNT_OF(ids); i++) {
        str text =
            arena_printf(&p->arena, "{'jsonrpc':'2.0','id':%s,'method':'ping'}", ids[i]);
        str want =
            arena_printf(&p->arena, "{'jsonrpc':'2.0','id':%s,'result':{}}", ids[i]);
        struct peer_call *c = peer_send_text(p, quoted(&p->arena, text.p));
        CHECK_QUOTED(&p->arena, ids[i], peer_answer(c), want.p);
    }
}

static void test_bad_params(void **state)
{
    static const struct {
        const char *method, *params, *message;
    } cases[] = {
        {"logging/setLevel", "",
         "level must be one of debug, info, notice, warning, error, "
         "critical, alert, emergency"},
        {"logging/setLevel", "'level':'loud'",
         "level must be one of debug, info, notice, warning, error, critical, alert, "
         "emergency"},
        {"logging/setLevel", "'level':3",
         "level must be one of debug, info, notice, warning, error, critical, alert, "
         "emergency"},
        {"resources/subscribe", "", "uri is missing"},
        {"resources/subscribe", "'uri':5", "uri is missing"},
        {"resources/unsubscribe", "'uri':null", "uri is missing"},
        {"resources/read", "", "resources/read needs uri (a string)"},
        {"resources/read", "'uri':['test://a']", "resources/read needs uri (a string)"},
        {"prompts/get", "", "prompts/get needs name (a string)"},
        {"prompts/get", "'name':1", "prompts/get needs name (a string)"},
        {"prompts/get", "'name':'Greet'", "Unknown prompt: Greet"},
        {"prompts/get", "'name':''", "Unknown prompt: "},
        {"prompts/get", "'name':'greet'", "name is missing: Whom to greet"},
        {"prompts/get", "'name':'greet','arguments':{}",
         "name is missing: Whom to greet"},
        {"prompts/get", "'name':'greet','arguments':{'name':5}", "name must be a string"},
        {"prompts/get", "'name':'greet','arguments':[]", "arguments must be an object"},
        {"prompts/get", "'name':'greet','arguments':{'name':'nobody'}",
         "nobody is not there"},
        {"completion/complete", "", "argument needs name and value (both strings)"},
        {"completion/complete", "'argument':{'name':'n'}",
         "argument needs name and value (both strings)"},
        {"completion/complete", "'argument':{'name':'n','value':5}",
         "argument needs name and value (both strings)"},
        {"completion/complete", "'argument':{'name':'n','value':''}",
         "ref is not a prompt or resource template of this server"},
        {"completion/complete",
         "'ref':{'type':'ref/prompt','name':'x'},'argument':{'name':'n','value':''}",
         "ref is not a prompt or resource template of this server"},
        {"completion/complete",
         "'ref':{'type':'ref/resource','uri':'test://none'},'argument':{'name':'n',"
         "'value':''}",
         "ref is not a prompt or resource template of this server"},
        {"completion/complete",
         "'ref':{'type':'ref/other','uri':'test://other/{n}'},'argument':{'name':'n',"
         "'value':''}",
         "ref is not a prompt or resource template of this server"},
        {"completion/complete",
         "'ref':{'type':'ref/prompt','name':'greet'},'argument':{'name':'n',"
         "'value':'fail'}",
         "no idea"},
    };

    struct peer *p = *state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        str row = arena_printf(&p->arena, "%s %s", cases[i].method, cases[i].params);
        CHECK_FAILED(row.p, peer_send(p, cases[i].method, cases[i].params),
                     RPC_INVALID_PARAMS, cases[i].message, NULL);
    }
    CHECK_FAILED(
        "internal",
        peer_send(p, "prompts/get", "'name':'greet','arguments':{'name':'crash'}"),
        RPC_INTERNAL_ERROR, "the greeter is broken", NULL);
    CHECK_FAILED("own code",
                 peer_send(p, "prompts/get", "'name':'greet','arguments':{'name':'odd'}"),
                 7, "an odd name", NULL);
}

/* --- tables --- */

/* Whether creating this server ends the process, as a BUG() does. */
static bool is_bug(const struct mcp_config *config)
{
    pid_t child = fork();
    if (child == 0) {
        close(STDERR_FILENO);
        close(STDOUT_FILENO);
        signal(SIGABRT, SIG_DFL);
        mcp_server_create(config);
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return status != 0;
}

static void test_names_twice(void **state)
{
    static const struct mcp_tool other = {.name = "echo", .about = "again", .run = echo};
    static const struct mcp_tool *const twice[] = {&echo_tool, &other, NULL};
    (void)state;
    CHECK("once", !is_bug(&(struct mcp_config){.tools = tools}));
    CHECK("a tool", is_bug(&(struct mcp_config){.tools = twice}));
}

static void test_prompt_names_twice(void **state)
{
    static const struct mcp_prompt *const twice[] = {&plain_prompt, &plain_prompt, NULL};
    (void)state;
    CHECK("a prompt", is_bug(&(struct mcp_config){.prompts = twice}));
}

/* --- the log --- */

struct log {
    pthread_mutex_t lock;
    struct arena arena;
    struct sbuf text;
    bool refuses;
};

static bool note(void *app, const struct mcp_record *r, struct err *err)
{
    struct log *log = app;
    pthread_mutex_lock(&log->lock);
    sbuf_printf(&log->text, STR_FMT " [" STR_FMT "] " STR_FMT " %d\n", STR_ARG(r->method),
                STR_ARG(r->name), STR_ARG(mcp_revision_name(r->revision)), r->code);
    pthread_mutex_unlock(&log->lock);
    return !log->refuses || err_set(err, ERR_INTERNAL, "it cannot be recorded");
}

static void test_records(void **state)
{
    (void)state;
    struct log log = {.lock = PTHREAD_MUTEX_INITIALIZER};
    log.text = SBUF_ON(&log.arena);
    struct mcp_config config = everything;
    config.app = &log;
    config.on_done = note;
    struct peer *p = peer_create(&config);
    peer_answer(peer_send(p, "ping", ""));
    peer_answer(peer_send(p, "no/such", ""));
    peer_answer(peer_send(p, "resources/read", "'uri':'test://none'"));
    p->revision = MCP_2026_07_28;
    peer_answer(peer_send(p, "tools/call", "'name':'echo'"));
    peer_answer(peer_send(p, "tools/call", "'name':'none'"));
    peer_answer(peer_send(p, "prompts/get", "'name':'plain'"));
    peer_sent(
        peer_send(p, "subscriptions/listen", "'notifications':{'toolsListChanged':true}"),
        0);
    CHECK_STR("records", sbuf_str(&log.text),
              "ping [] 2025-11-25 0\n"
              "no/such [] 2025-11-25 -32601\n"
              "resources/read [test://none] 2025-11-25 -32002\n"
              "tools/call [echo] 2026-07-28 0\n"
              "tools/call [] 2026-07-28 -32602\n"
              "prompts/get [plain] 2026-07-28 0\n"
              "subscriptions/listen [] 2026-07-28 0\n");
    log.refuses = true;
    str got = peer_answer(peer_send(p, "tools/call", "'name':'echo'"));
    CHECK("refused", str_find(got, STR("it cannot be recorded")) != STR_NONE &&
                         str_find(got, STR("result")) == STR_NONE);
    peer_free(p);
    arena_release(&log.arena);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        FULL_TEST(test_eras),
        FULL_TEST(test_unknown_methods),
        BARE_TEST(test_bare),
        FULL_TEST(test_initialize),
        FULL_TEST(test_discover),
        cmocka_unit_test(test_looks),
        FULL_TEST(test_envelopes),
        FULL_TEST(test_empty_results),
        FULL_TEST(test_ids),
        FULL_TEST(test_bad_params),
        cmocka_unit_test(test_names_twice),
        cmocka_unit_test(test_prompt_names_twice),
        cmocka_unit_test(test_records),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
