/* Fields that all tools and prompts have in addition to their own. */
#include "mcp/form.h"
#include "mcp/server.h"

#include "peer.h"

struct common {
    char pad; /* its fields are not at 0 */
    int place;
};

static const char *const places[] = {"here", "There", NULL};

static const struct mcp_field common_fields[] = {
    MCP_FIELD(struct common, place, MCP_ENUM, 0, "Where", .dflt = "\"here\"",
              .choices = places),
    {0},
};

struct own_args {
    char letter[3]; /* an odd size */
    bool loud;
};

static const struct mcp_field own_fields[] = {
    MCP_FIELD(struct own_args, loud, MCP_BOOL, 0, "Loudly"),
    {0},
};

static bool say(struct mcp_call *call, struct err *err)
{
    const struct common *c = call->common;
    mcp_text(call, c != NULL ? str_c(places[c->place]) : STR("nowhere"));
    return true;
}

static bool say_own(struct mcp_call *call, struct err *err)
{
    const struct own_args *in = call->args;
    mcp_text(call, in->loud ? STR("loud") : STR("quiet"));
    return say(call, err);
}

#define TAKES_OWN .fields = own_fields, .args_size = sizeof(struct own_args)

static const struct mcp_tool bare = {.name = "bare", .about = "x", .run = say};
static const struct mcp_tool with_own = {
    .name = "with_own", .about = "x", .run = say_own, TAKES_OWN};
static const struct mcp_tool apart = {
    .name = "apart", .about = "x", .flags = MCP_OWN_FIELDS, .run = say_own, TAKES_OWN};
static const struct mcp_tool as_text = {
    .name = "as_text", .about = "x", .input_schema = "{\"type\":\"object\"}", .run = say};
static const struct mcp_tool *const tools[] = {&bare, &with_own, &apart, &as_text, NULL};

static const struct mcp_prompt prompt = {.name = "prompt", .about = "x", .run = say};
static const struct mcp_prompt *const prompts[] = {&prompt, NULL};

static int setup(void **state)
{
    *state = peer_create(&(struct mcp_config){.tools = tools,
                                              .prompts = prompts,
                                              .common = common_fields,
                                              .common_size = sizeof(struct common)});
    return 0;
}

static int teardown(void **state)
{
    peer_free(*state);
    return 0;
}

#define PLACE                                                                            \
    "'place':{'type':'string','description':'Where','enum':['here','There'],"            \
    "'default':'here'}"
#define LOUD "'loud':{'type':'boolean','description':'Loudly'}"
#define ROW(name, schema)                                                                \
    "{'name':'" name "','description':'x','inputSchema':{'type':'object'" schema "}}"

static void test_lists(void **state)
{
    struct peer *p = *state;
    p->revision = MCP_2024_11_05;
    CHECK_DONE("tools", peer_send(p, "tools/list", ""),
               "'tools':[" ROW("bare", ",'properties':{" PLACE "}") "," ROW(
                   "with_own", ",'properties':{" LOUD "," PLACE
                               "}") "," ROW("apart", ",'properties':{" LOUD
                                                     "}") "," ROW("as_text", "") "]");
    CHECK_DONE("prompts", peer_send(p, "prompts/list", ""),
               "'prompts':[{'name':'prompt','description':'x','arguments':[{'name':"
               "'place','description':'Where','required':false}]}]");
}

static void test_calls(void **state)
{
    static const struct {
        const char *tool, *arguments, *said;
    } cases[] = {
        {"bare", "", "here"},
        {"bare", "'place':'there'", "There"},
        {"with_own", "", "quiet here"},
        {"with_own", "'loud':true,'Place':'THERE'", "loud There"},
        {"apart", "'loud':true", "loud nowhere"},
        {"as_text", "'place':'There'", "nowhere"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct peer *p = *state;
        str params = arena_printf(&p->arena, "'name':'%s','arguments':{%s}",
                                  cases[i].tool, cases[i].arguments);
        struct sbuf said = SBUF_ON(&p->arena);
        const struct json *result = peer_result(peer_send(p, "tools/call", params.p));
        const struct json *content = json_get(result, STR("content"));
        for (const struct json *j = content->child; j != NULL; j = j->next)
            sbuf_printf(&said, "%s" STR_FMT, said.n > 0 ? " " : "",
                        STR_ARG(json_get_str(j, STR("text"))));
        CHECK_STR(params.p, sbuf_str(&said), cases[i].said);
    }
}

static void test_refused(void **state)
{
    static const struct {
        const char *arguments, *want;
    } cases[] = {
        {"'name':'bare','arguments':{'place':'elsewhere'}",
         "place must be one of: here, There"},
        {"'name':'with_own','arguments':{'where':'here'}",
         "unknown argument 'where', nothing was done; known arguments: loud, place"},
        {"'name':'apart','arguments':{'place':'here'}",
         "unknown argument 'place', nothing was done; known arguments: loud"},
    };
    struct peer *p = *state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct json *result =
            peer_result(peer_send(p, "tools/call", cases[i].arguments));
        str said = json_get_str(json_get(result, STR("content"))->child, STR("text"));
        CHECK(cases[i].arguments, str_find(said, str_c(cases[i].want)) != STR_NONE);
    }
    CHECK_FAILED("prompt",
                 peer_send(p, "prompts/get", "'name':'prompt','arguments':{'place':'x'}"),
                 RPC_INVALID_PARAMS, "place must be one of: here, There", NULL);
}

static void test_prompts(void **state)
{
    struct peer *p = *state;
    CHECK_DONE(
        "prompt",
        peer_send(p, "prompts/get", "'name':'prompt','arguments':{'place':'There'}"),
        "'description':'x','messages':[{'role':'user','content':{'type':'text',"
        "'text':'There'}}]");
    CHECK_DONE("completed",
               peer_send(p, "completion/complete",
                         "'ref':{'type':'ref/prompt','name':'prompt'},'argument':{"
                         "'name':'place','value':'t'}"),
               "'completion':{'values':['There'],'total':1,'hasMore':false}");
    CHECK_DONE("all of them",
               peer_send(p, "completion/complete",
                         "'ref':{'type':'ref/prompt','name':'prompt'},'argument':{"
                         "'name':'place','value':''}"),
               "'completion':{'values':['here','There'],'total':2,'hasMore':false}");
}

#define FORM_TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        FORM_TEST(test_lists),
        FORM_TEST(test_calls),
        FORM_TEST(test_refused),
        FORM_TEST(test_prompts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
