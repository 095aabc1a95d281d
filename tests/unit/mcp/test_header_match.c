#include "mcp/header_match.h"
#include "mcp/server.h"

#include "peer.h"

struct marked_args {
    str place;
    int64_t count;
    bool deep;
    str plain;
};

static const struct mcp_field marked_fields[] = {
    MCP_FIELD(struct marked_args, place, MCP_STR, 0, "p", .header = "Place"),
    MCP_FIELD(struct marked_args, count, MCP_INT, 0, "c", .header = "Count"),
    MCP_FIELD(struct marked_args, deep, MCP_BOOL, 0, "d", .header = "Deep"),
    MCP_FIELD(struct marked_args, plain, MCP_STR, 0, "x"),
    {0},
};

static bool nothing(struct mcp_call *call, struct err *err)
{
    return true;
}

static const struct mcp_tool marked = {
    .name = "marked",
    .about = "x",
    .fields = marked_fields,
    .args_size = sizeof(struct marked_args),
    .run = nothing,
};
static const struct mcp_tool bare = {.name = "bare", .about = "x", .run = nothing};
static const struct mcp_tool *const tools[] = {&marked, &bare, NULL};

static int setup(void **state)
{
    *state = peer_create(&(struct mcp_config){.tools = tools});
    return 0;
}

static int teardown(void **state)
{
    peer_free(*state);
    return 0;
}

enum { HEADERS_MAX = 4 };

/* A request with headers written "Name: value". */
struct input {
    const char *headers[HEADERS_MAX + 1];
    const char *method, *params; /* of the body */
};

static struct rpc_message read_input(struct arena *a, const struct input *in,
                                     struct http_request *h)
{
    *h =
        (struct http_request){.headers = ARENA_ARRAY(a, struct http_header, HEADERS_MAX)};
    for (size_t i = 0; in->headers[i] != NULL; i++) {
        str value = str_c(in->headers[i]), name;
        str_next(&value, ':', &name);
        h->headers[h->n_headers++] = (struct http_header){name, str_trim(value)};
    }
    return (struct rpc_message){.kind = RPC_REQUEST,
                                .method = str_c(in->method),
                                .params = quoted_json(a, in->params)};
}

/* Fails the row unless ok and bad are what it wants: NULL, or the message. */
static void check_verdict(struct arena *a, const char *row, bool ok,
                          const struct rpc_error *bad, const char *want)
{
    if (want == NULL) {
        if (!ok)
            fail_msg("%s: %s", row, bad->message);
        return;
    }
    CHECK(row, !ok);
    CHECK_INT(row, bad->code, MCP_HEADER_MISMATCH);
    str text = arena_printf(a, "Header mismatch: %s", want);
    CHECK_QUOTED(a, row, str_c(bad->message), text.p);
}

#define V "MCP-Protocol-Version: 2026-07-28"
#define M "Mcp-Method: m"

static void test_SEC_69_agrees(void **state)
{
    static const struct {
        struct input in;
        const char *want;
    } cases[] = {
        {{{NULL}, "ping", "{}"}, NULL},
        {{{"MCP-Protocol-Version: 2026-07-28"}, "ping", "{}"}, NULL},
        {{{"mcp-protocol-version:2026-07-28", "MCP-METHOD: ping"}, "ping", "{}"}, NULL},
        {{{"MCP-Protocol-Version: 2025-11-25"}, "ping", "{}"},
         "MCP-Protocol-Version header `2025-11-25` does not match body value "
         "`2026-07-28`"},
        {{{"MCP-Protocol-Version:"}, "ping", "{}"},
         "MCP-Protocol-Version header `` does not match body value `2026-07-28`"},
        {{{"Mcp-Method: Ping"}, "ping", "{}"},
         "Mcp-Method header `Ping` does not match body value `ping`"},
        {{{"MCP-Protocol-Version: 2026-07-28", "Mcp-Method: tools/list"}, "ping", "{}"},
         "Mcp-Method header `tools/list` does not match body value `ping`"},
        /* a duplicate header is refused, even if both values are the same */
        {{{"Mcp-Method: ping", "mcp-method: ping"}, "ping", "{}"},
         "duplicate Mcp-Method header"},
        {{{V, "MCP-Protocol-Version: 2025-11-25"}, "ping", "{}"},
         "duplicate MCP-Protocol-Version header"},
        {{{"Mcp-Name: a", "Mcp-Name: b"}, "tools/call", "{'name':'a'}"},
         "duplicate Mcp-Name header"},
        {{{"MCP-Protocol-Version: x", "Mcp-Method: y"}, "ping", "{}"},
         "MCP-Protocol-Version header `x` does not match body value `2026-07-28`"},
    };

    struct peer *p = *state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct http_request h;
        struct rpc_error bad = {0};
        struct rpc_message m = read_input(&p->arena, &cases[i].in, &h);
        bool ok = header_match_agrees(&h, STR("2026-07-28"), &m, &bad);
        check_verdict(&p->arena, cases[i].want != NULL ? cases[i].want : "fine", ok, &bad,
                      cases[i].want);
    }
}

static void test_complete(void **state)
{
    static const struct {
        struct input in;
        const char *want;
    } cases[] = {
        {{{NULL}, "tools/list", "{}"}, "MCP-Protocol-Version is missing"},
        {{{M}, "tools/list", "{}"}, "MCP-Protocol-Version is missing"},
        {{{V}, "tools/list", "{}"}, "Mcp-Method is missing"},
        {{{V, M}, "tools/list", "{}"}, NULL},
        {{{V, M, "Mcp-Name: x"}, "tools/list", "{'name':'y'}"}, NULL},

        {{{V, M}, "tools/call", "{'name':'a'}"}, "Mcp-Name is missing"},
        {{{V, M, "Mcp-Name: a"}, "tools/call", "{'name':'a'}"}, NULL},
        {{{V, M, "mcp-name:   a  "}, "tools/call", "{'name':'a'}"}, NULL},
        {{{V, M, "Mcp-Name: A"}, "tools/call", "{'name':'a'}"},
         "Mcp-Name header `A` does not match body value `a`"},
        {{{V, M, "Mcp-Name: b"}, "tools/call", "{'name':'a'}"},
         "Mcp-Name header `b` does not match body value `a`"},
        {{{V, M, "Mcp-Name:"}, "tools/call", "{'name':'a'}"},
         "Mcp-Name header `` does not match body value `a`"},
        /* nothing in the body to repeat: another check reports that */
        {{{V, M}, "tools/call", "{}"}, NULL},
        {{{V, M}, "tools/call", "{'name':5}"}, NULL},

        {{{V, M, "Mcp-Name: p"}, "prompts/get", "{'name':'p'}"}, NULL},
        {{{V, M}, "prompts/get", "{'name':'p'}"}, "Mcp-Name is missing"},
        {{{V, M, "Mcp-Name: v:///a"}, "resources/read", "{'uri':'v:///a','name':'n'}"},
         NULL},
        {{{V, M, "Mcp-Name: n"}, "resources/read", "{'uri':'v:///a','name':'n'}"},
         "Mcp-Name header `n` does not match body value `v:///a`"},
        {{{V, M, "Mcp-Name: t"}, "tasks/get", "{'taskId':'t'}"}, NULL},
        {{{V, M}, "tasks/update", "{'taskId':'t'}"}, "Mcp-Name is missing"},
        {{{V, M}, "tasks/cancel", "{'taskId':'t'}"}, "Mcp-Name is missing"},

        /* base64 for what a header cannot carry */
        {{{V, M, "Mcp-Name: =?base64?w6k=?="}, "tools/call", "{'name':'\xC3\xA9'}"},
         NULL},
        {{{V, M, "Mcp-Name: =?base64?YQ==?="}, "tools/call", "{'name':'a'}"}, NULL},
        {{{V, M,
           "Mcp-Name: =?base64?"
           "?="},
          "tools/call",
          "{'name':''}"},
         NULL},
        {{{V, M, "Mcp-Name: =?base64?w6k?="}, "tools/call", "{'name':'\xC3\xA9'}"},
         "Mcp-Name is not valid base64"},
        {{{V, M, "Mcp-Name: =?base64?w6k=\x7F?="}, "tools/call", "{'name':'\xC3\xA9'}"},
         "Mcp-Name is not valid base64"},
        {{{V, M, "Mcp-Name: =?base64?w6l=?="}, "tools/call", "{'name':'\xC3\xA9'}"},
         "Mcp-Name is not valid base64"},
        /* with only one of the markers, or another spelling, it is plain text */
        {{{V, M, "Mcp-Name: =?base64?YQ=="}, "tools/call", "{'name':'=?base64?YQ=='}"},
         NULL},
        {{{V, M, "Mcp-Name: YQ==?="}, "tools/call", "{'name':'YQ==?='}"}, NULL},
        {{{V, M, "Mcp-Name: =?BASE64?YQ==?="}, "tools/call", "{'name':'a'}"},
         "Mcp-Name header `=?BASE64?YQ==?=` does not match body value `a`"},
        {{{V, M, "Mcp-Name: =?base64?="}, "tools/call", "{'name':'=?base64?='}"}, NULL},
    };

    struct peer *p = *state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct http_request h;
        struct rpc_error bad = {0};
        struct rpc_message m = read_input(&p->arena, &cases[i].in, &h);
        bool ok = header_match_complete(&p->arena, &h, &m, &bad);
        str row = arena_printf(&p->arena, "row %zu, %s %s", i, cases[i].in.method,
                               cases[i].in.params);
        check_verdict(&p->arena, row.p, ok, &bad, cases[i].want);
    }
}

#define CALL(arguments) "{'name':'marked','arguments':{" arguments "}}"

static void test_params(void **state)
{
    static const struct {
        struct input in;
        const char *want;
    } cases[] = {
        {{{NULL}, "tools/call", CALL("")}, NULL},
        {{{NULL}, "tools/call", "{'name':'marked'}"}, NULL},
        {{{NULL}, "tools/call", CALL("'plain':'x'")}, NULL},
        {{{NULL}, "tools/call", CALL("'place':null")}, NULL},
        {{{NULL}, "tools/call", "{'name':'bare','arguments':{'place':'x'}}"}, NULL},
        {{{NULL}, "tools/call", "{'name':'unknown','arguments':{'place':'x'}}"}, NULL},
        {{{NULL}, "prompts/get", CALL("'place':'x'")}, NULL},
        /* a header without its argument is ignored */
        {{{"Mcp-Param-Place: x"}, "tools/call", CALL("")}, NULL},

        {{{NULL}, "tools/call", CALL("'place':'x'")}, "Mcp-Param-Place is missing"},
        {{{"Mcp-Param-Place: x"}, "tools/call", CALL("'place':'x'")}, NULL},
        {{{"mcp-param-PLACE: x"}, "tools/call", CALL("'place':'x'")}, NULL},
        {{{"Mcp-Param-Place: y"}, "tools/call", CALL("'place':'x'")},
         "Mcp-Param-Place header `y` does not match body value `'x'`"},
        {{{"Mcp-Param-Place: x", "Mcp-Param-Place: x"},
          "tools/call",
          CALL("'place':'x'")},
         "duplicate Mcp-Param-Place header"},
        {{{"Mcp-Param-Place:"}, "tools/call", CALL("'place':''")}, NULL},
        {{{"Mcp-Param-Place: =?base64?w6k=?="}, "tools/call", CALL("'place':'\xC3\xA9'")},
         NULL},
        {{{"Mcp-Param-Place: =?base64?!?="}, "tools/call", CALL("'place':'x'")},
         "Mcp-Param-Place is not valid base64"},
        {{{"Mcp-Param-Place: x"}, "tools/call", CALL("'Place':'x'")}, NULL},

        {{{"Mcp-Param-Count: 42"}, "tools/call", CALL("'count':42")}, NULL},
        {{{"Mcp-Param-Count: 42"}, "tools/call", CALL("'count':42.0")}, NULL},
        {{{"Mcp-Param-Count: 42.0"}, "tools/call", CALL("'count':42")}, NULL},
        {{{"Mcp-Param-Count: 4.2e1"}, "tools/call", CALL("'count':42")}, NULL},
        {{{"Mcp-Param-Count: 42"}, "tools/call", CALL("'count':'42'")}, NULL},
        {{{"Mcp-Param-Count: 43"}, "tools/call", CALL("'count':42")},
         "Mcp-Param-Count header `43` does not match body value `42`"},
        {{{"Mcp-Param-Count: x"}, "tools/call", CALL("'count':42")},
         "Mcp-Param-Count header `x` does not match body value `42`"},
        {{{NULL}, "tools/call", CALL("'count':0")}, "Mcp-Param-Count is missing"},

        {{{"Mcp-Param-Deep: true"}, "tools/call", CALL("'deep':true")}, NULL},
        {{{"Mcp-Param-Deep: false"}, "tools/call", CALL("'deep':false")}, NULL},
        {{{"Mcp-Param-Deep: True"}, "tools/call", CALL("'deep':true")},
         "Mcp-Param-Deep header `True` does not match body value `true`"},
        {{{"Mcp-Param-Deep: 1"}, "tools/call", CALL("'deep':true")},
         "Mcp-Param-Deep header `1` does not match body value `true`"},

        {{{"Mcp-Param-Place: x", "Mcp-Param-Count: 2"},
          "tools/call",
          CALL("'place':'x','count':1")},
         "Mcp-Param-Count header `2` does not match body value `1`"},
    };

    struct peer *p = *state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct http_request h;
        struct rpc_error bad = {0};
        struct rpc_message m = read_input(&p->arena, &cases[i].in, &h);
        bool ok = header_match_params(&p->arena, &h, p->server, &m, &bad);
        str row = arena_printf(&p->arena, "row %zu, %s", i, cases[i].in.params);
        check_verdict(&p->arena, row.p, ok, &bad, cases[i].want);
    }
}

#define MIRROR_TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        MIRROR_TEST(test_SEC_69_agrees),
        MIRROR_TEST(test_complete),
        MIRROR_TEST(test_params),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
