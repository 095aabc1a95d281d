/* tools/call: arguments, results, errors. */
#include "mcp/server.h"
#include "mcp/tool.h"

#include "mcp_refuse.h"
#include "peer.h"

static bool nothing(struct mcp_call *call, struct err *err)
{
    return true;
}

static bool out(struct mcp_call *call, struct err *err)
{
    mcp_text(call, STR("before"));
    jsonw_object(call->out);
    jsonw_put_int(call->out, STR("n"), 1);
    jsonw_end(call->out);
    return true;
}

static bool shown(struct mcp_call *call, struct err *err)
{
    call->text = STR("instead");
    call->aside = STR("after");
    return out(call, err);
}

struct fail_args {
    int64_t code;
    bool named, protocol;
};

static const struct mcp_field fail_fields[] = {
    MCP_FIELD(struct fail_args, code, MCP_INT, MCP_REQUIRED, "Of enum err_code"),
    MCP_FIELD(struct fail_args, named, MCP_BOOL, 0, "With a name"),
    MCP_FIELD(struct fail_args, protocol, MCP_BOOL, 0, "As a protocol error"),
    {0},
};

static bool give_up(struct mcp_call *call, struct err *err)
{
    const struct fail_args *in = call->args;
    mcp_text(call, STR("never seen"));
    jsonw_str(call->out, STR("never seen"));
    if (in->protocol)
        return refuse(call, err, (int)in->code, "refused");
    if (in->named)
        return err_named(err, E_KEY_REUSED, "it \"failed\"");
    return err_set(err, (enum err_code)in->code, "it failed");
}

struct plain_args {
    str path;
    int64_t limit;
};

static const struct mcp_field plain_fields[] = {
    MCP_FIELD(struct plain_args, path, MCP_STR, MCP_REQUIRED, "A path"),
    MCP_FIELD(struct plain_args, limit, MCP_INT, 0, "A limit", .dflt = "7"),
    {0},
};

static bool plain(struct mcp_call *call, struct err *err)
{
    const struct plain_args *in = call->args;
    mcp_text(call, arena_printf(call->arena, STR_FMT " %lld", STR_ARG(in->path),
                                (long long)in->limit));
    return true;
}

static bool raw(struct mcp_call *call, struct err *err)
{
    const struct json *in = call->args;
    mcp_text(call, in != NULL ? in->raw : STR("no arguments"));
    return true;
}

#define TOOL(id, fn, flags_, ...)                                                        \
    static const struct mcp_tool id = {                                                  \
        .name = #id, .about = "x", .flags = (flags_), .run = (fn), __VA_ARGS__}
#define TAKES(type, table) .fields = table, .args_size = sizeof(type)

TOOL(empty, nothing, MCP_QUICK);
TOOL(unstructured, out, MCP_QUICK);
TOOL(structured, out, MCP_STRUCTURED);
TOOL(as_text, shown, MCP_STRUCTURED);
TOOL(with_schema, out, MCP_QUICK, .output_schema = "{\"type\":\"object\"}");
TOOL(failing, give_up, MCP_STRUCTURED, TAKES(struct fail_args, fail_fields));
TOOL(failing_promised, give_up, MCP_QUICK, .output_schema = "{\"type\":\"object\"}",
     TAKES(struct fail_args, fail_fields));
TOOL(writer, plain, MCP_QUICK, TAKES(struct plain_args, plain_fields));
TOOL(reader, plain, MCP_QUICK | MCP_READ_ONLY, TAKES(struct plain_args, plain_fields));
TOOL(exact, plain, MCP_QUICK | MCP_READ_ONLY | MCP_EXACT,
     TAKES(struct plain_args, plain_fields));
TOOL(raw_args, raw, MCP_QUICK, .input_schema = "{\"type\":\"object\"}");

static const struct mcp_tool *const tools[] = {
    &empty, &unstructured, &structured, &with_schema,      &failing, &writer,
    &exact, &reader,       &raw_args,   &failing_promised, &as_text, NULL};

/* The last log record. */
struct last {
    pthread_mutex_t lock;
    enum err_code failed;
    char name[32];
};

static bool note(void *app, const struct mcp_record *r, struct err *err)
{
    struct last *last = app;
    pthread_mutex_lock(&last->lock);
    last->failed = r->err != NULL ? r->err->code : ERR_NONE;
    snprintf(last->name, sizeof(last->name), STR_FMT, STR_ARG(r->name));
    pthread_mutex_unlock(&last->lock);
    return true;
}

static struct last last = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int setup(void **state)
{
    *state =
        peer_create(&(struct mcp_config){.tools = tools, .app = &last, .on_done = note});
    return 0;
}

static int teardown(void **state)
{
    peer_free(*state);
    return 0;
}

static struct peer_call *call_tool(struct peer *p, const char *name)
{
    return peer_send(p, "tools/call", arena_printf(&p->arena, "'name':'%s'", name).p);
}

#define TEXT(text) "{'type':'text','text':'" text "'}"

static void test_structured(void **state)
{
    static const struct {
        const char *tool, *content;
        bool structured;
    } cases[] = {
        {"empty", "", false},
        {"unstructured", TEXT("before") "," TEXT("{\\'n\\':1}"), false},
        {"structured", TEXT("before") "," TEXT("{\\'n\\':1}"), true},
        {"with_schema", TEXT("before") "," TEXT("{\\'n\\':1}"), true},
        {"as_text", TEXT("before") "," TEXT("instead") "," TEXT("after"), true},
    };

    struct peer *p = *state;
    for (p->revision = MCP_2024_11_05; p->revision < MCP_REVISIONS; p->revision++) {
        for (size_t i = 0; i < COUNT_OF(cases); i++) {
            bool shown = cases[i].structured && p->revision >= MCP_2025_06_18;
            str want = arena_printf(&p->arena, "'content':[%s]%s", cases[i].content,
                                    shown ? ",'structuredContent':{'n':1}" : "");
            CHECK_DONE(cases[i].tool, call_tool(p, cases[i].tool), want.p);
        }
    }
}

/* A tool error as every revision gets it: as text, and as structured content where that
 * is supported. */
static void check_tool_error(const char *row, struct peer_call *c, const char *code,
                             const char *message)
{
    struct arena *a = &c->peer->arena;
    bool has_data = c->peer->revision >= MCP_2025_06_18;
    str data = arena_printf(a, "{'error':{'code':'%s','message':'%s'}}", code, message);
    struct sbuf text = SBUF_ON(a);
    struct jsonw w = JSONW_ON(&text);
    jsonw_str(&w, quoted(a, data.p));
    sbuf_char(&text, '\0');
    str want = peer_want_result(
        c,
        arena_printf(
            a, "'content':[{'type':'text','text':@}]%s" STR_FMT ",'isError':true",
            has_data ? ",'structuredContent':" : "", STR_ARG(has_data ? data : STR("")))
            .p,
        NULL);
    size_t at = str_find_char(want, '@');
    want = arena_printf(a, STR_FMT "%s" STR_FMT, STR_ARG(str_slice(want, 0, at)), text.p,
                        STR_ARG(str_skip(want, at + 1)));
    CHECK_STR(row, peer_answer(c), want);
    CHECK_INT(row, c->code, 0);
}

static void test_tool_errors(void **state)
{
    static const struct {
        enum err_code code;
        bool named;
        const char *name;
    } cases[] = {
        {ERR_INVALID, false, "INVALID_ARGUMENT"},
        {ERR_NOT_FOUND, false, "NOT_FOUND"},
        {ERR_EXISTS, false, "ALREADY_EXISTS"},
        {ERR_CONFLICT, false, "CONFLICT"},
        {ERR_DENIED, false, "NOT_ALLOWED"},
        {ERR_LIMIT, false, "LIMIT_EXCEEDED"},
        {ERR_BUSY, false, "BUSY"},
        {ERR_INTERNAL, false, "INTERNAL_ERROR"},
        {ERR_NONE, false, "INTERNAL_ERROR"},
    };

    struct peer *p = *state;
    for (p->revision = MCP_2024_11_05; p->revision < MCP_REVISIONS; p->revision++) {
        for (size_t i = 0; i < COUNT_OF(cases); i++) {
            str params = arena_printf(
                &p->arena, "'name':'failing','arguments':{'code':%d}", cases[i].code);
            check_tool_error(cases[i].name, peer_send(p, "tools/call", params.p),
                             cases[i].name, "it failed");
            CHECK_INT(cases[i].name, last.failed, cases[i].code);
            CHECK_STR(cases[i].name, str_c(last.name), "failing");
        }
    }
    p->revision = MCP_2025_11_25;
    CHECK_DONE(
        "named",
        peer_send(p, "tools/call",
                  "'name':'failing','arguments':{'code':2,'named':true}"),
        "'content':[{'type':'text','text':'{\\'error\\':{\\'code\\':\\'KEY_REUSED\\',"
        "\\'message\\':\\'it \\\\\\'failed\\\\\\'\\'}}'}],'structuredContent':{"
        "'error':{'code':'KEY_REUSED','message':'it \\'failed\\''}},'isError':true");
    CHECK_DONE(
        "not as data that a schema does not know",
        peer_send(p, "tools/call", "'name':'failing_promised','arguments':{'code':2}"),
        "'content':[{'type':'text','text':'{\\'error\\':{\\'code\\':\\'NOT_FOUND"
        "\\',\\'message\\':\\'it failed\\'}}'}],'isError':true");
}

/* The model must see what is wrong with its arguments, so invalid ones are tool
 * errors. */
static void test_arguments(void **state)
{
    static const struct {
        const char *tool, *arguments;
        const char *text;  /* of the result */
        const char *error; /* or the message */
    } cases[] = {
        {"writer", ",'arguments':{'path':'a'}", "a 7", NULL},
        {"writer", ",'arguments':{'Path':'a','limit':'3'}", "a 3", NULL},
        {"writer", "", NULL, "path is missing: A path"},
        {"writer", ",'arguments':{}", NULL, "path is missing: A path"},
        {"writer", ",'arguments':{'path':5}", NULL, "path must be a string"},
        {"writer", ",'arguments':{'path':'a','limit':'x'}", NULL,
         "limit must be an integer"},
        {"writer", ",'arguments':{'path':'a','force':true}", NULL,
         "unknown argument `force`, nothing was done; known arguments: path, limit"},
        {"reader", ",'arguments':{'path':'a','force':true}", "a 7", NULL},
        {"exact", ",'arguments':{'path':'a'}", "a 7", NULL},
        {"exact", ",'arguments':{'path':'a','limits':9}", NULL,
         "unknown argument `limits`, nothing was done; did you mean `limit`? known "
         "arguments: path, limit"},
        {"raw_args", ",'arguments':{'x': [1]}", "{\"x\": [1]}", NULL},
        {"raw_args", "", "no arguments", NULL},
    };

    struct peer *p = *state;
    for (int modern = 0; modern < 2; modern++) {
        p->revision = modern ? MCP_2026_07_28 : MCP_2024_11_05;
        for (size_t i = 0; i < COUNT_OF(cases); i++) {
            str row = arena_printf(&p->arena, "%s%s", cases[i].tool, cases[i].arguments);
            str params = arena_printf(&p->arena, "'name':'%s'%s", cases[i].tool,
                                      cases[i].arguments);
            struct peer_call *c = peer_send(p, "tools/call", params.p);
            if (cases[i].error != NULL)
                check_tool_error(row.p, c, "INVALID_ARGUMENT", cases[i].error);
            else
                CHECK_STR(row.p, peer_text(c), cases[i].text);
        }
    }
}

static void test_protocol_errors(void **state)
{
    static const struct {
        const char *params;
        int code;
        const char *message;
    } cases[] = {
        {"", RPC_INVALID_PARAMS, "tools/call needs name (a string)"},
        {"'name':5", RPC_INVALID_PARAMS, "tools/call needs name (a string)"},
        {"'name':'none'", RPC_INVALID_PARAMS, "Unknown tool: none"},
        {"'name':''", RPC_INVALID_PARAMS, "Unknown tool: "},
        {"'name':'Empty'", RPC_INVALID_PARAMS, "Unknown tool: Empty"},
        {"'name':'empty','arguments':[]", RPC_INVALID_PARAMS,
         "arguments must be an object"},
        {"'name':'empty','arguments':'{}'", RPC_INVALID_PARAMS,
         "arguments must be an object"},
        {"'name':'failing','arguments':{'code':-7,'protocol':true}", -7, "refused"},
    };

    struct peer *p = *state;
    for (int modern = 0; modern < 2; modern++) {
        p->revision = modern ? MCP_2026_07_28 : MCP_2025_11_25;
        for (size_t i = 0; i < COUNT_OF(cases); i++)
            CHECK_FAILED(cases[i].params, peer_send(p, "tools/call", cases[i].params),
                         cases[i].code, cases[i].message, NULL);
    }
}

#define TOOL_TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

/* A caller with the grant "few" may use only one tool. */
static bool offers(void *app, const struct mcp_caller *caller, const struct mcp_tool *t)
{
    (void)app;
    return !str_eq(caller->grant, STR("few")) || strcmp(t->name, "empty") == 0;
}

/* A tool that the caller may not use looks as if it did not exist. */
static void test_offered(void **state)
{
    (void)state;
    struct peer *p = peer_create(&(struct mcp_config){.tools = tools, .offers = offers});
    str all = peer_answer(peer_send(p, "tools/list", ""));
    CHECK("all", str_find(all, STR("\"structured\"")) != STR_NONE);
    p->caller = (struct mcp_caller){.user = STR("ann"), .grant = STR("few")};
    str few = peer_answer(peer_send(p, "tools/list", ""));
    CHECK("one", str_find(few, STR("\"empty\"")) != STR_NONE);
    CHECK("no other", str_find(few, STR("structured")) == STR_NONE);
    CHECK("called",
          str_find(peer_answer(call_tool(p, "empty")), STR("\"content\"")) != STR_NONE);
    CHECK("unknown", str_find(peer_answer(call_tool(p, "structured")),
                              STR("Unknown tool: structured")) != STR_NONE);
    p->revision = MCP_2026_07_28;
    CHECK("the list of other callers",
          str_find(peer_answer(peer_send(p, "tools/list", "")),
                   STR("\"cacheScope\":\"private\"")) != STR_NONE);
    peer_free(p);
}

static int grants_read;

static void *read_grant(void *app, struct arena *a, str grant)
{
    (void)app;
    grants_read++;
    str *rights = ARENA_NEW(a, str);
    *rights = grant;
    return rights;
}

static bool offers_by_rights(void *app, const struct mcp_caller *caller,
                             const struct mcp_tool *t)
{
    (void)app;
    const str *rights = caller->rights;
    return rights == NULL ||
           (str_eq(*rights, STR("few")) && strcmp(t->name, "empty") == 0);
}

/* However many tools there are, a grant is read once per request, an empty one never. */
static void test_grant_read_once(void **state)
{
    (void)state;
    struct peer *p = peer_create(&(struct mcp_config){
        .tools = tools, .offers = offers_by_rights, .read_grant = read_grant});
    grants_read = 0;
    str all = peer_answer(peer_send(p, "tools/list", ""));
    CHECK("all", str_find(all, STR("\"structured\"")) != STR_NONE);
    CHECK_INT("no grant", grants_read, 0);
    p->caller = (struct mcp_caller){.user = STR("ann"), .grant = STR("few")};
    str few = peer_answer(peer_send(p, "tools/list", ""));
    CHECK("no other", str_find(few, STR("structured")) == STR_NONE);
    CHECK_INT("a list", grants_read, 1);
    CHECK("called",
          str_find(peer_answer(call_tool(p, "empty")), STR("\"content\"")) != STR_NONE);
    CHECK_INT("a call", grants_read, 2);
    peer_free(p);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        TOOL_TEST(test_structured),     TOOL_TEST(test_tool_errors),
        TOOL_TEST(test_arguments),      TOOL_TEST(test_protocol_errors),
        cmocka_unit_test(test_offered), cmocka_unit_test(test_grant_read_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
