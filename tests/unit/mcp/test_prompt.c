/* Prompts and completion. */
#include "mcp/prompt.h"

#include "world.h"

static void test_prompt_messages(void **state)
{
    struct peer *p = *state;
    CHECK_DONE("messages",
               peer_send(p, "prompts/get",
                         "'name':'greet','arguments':{'name':'Ada','extra':'x'}"),
               "'description':'Greets somebody','messages':["
               "{'role':'user','content':{'type':'text','text':'Greet Ada kindly'}},"
               "{'role':'user','content':{'type':'text','text':'Done'}},"
               "{'role':'user','content':{'type':'resource','resource':{'uri':'test://a',"
               "'mimeType':'text/plain','text':'A'}}}]");
}

static void test_completion(void **state)
{
    static const struct {
        const char *ref, *typed, *context;
        unsigned values;
        int64_t total;
        const char *first;
    } cases[] = {
        {"'type':'ref/prompt','name':'greet'", "x", "", 1, 1, "tone"},
        {"'type':'ref/prompt','name':'greet'", "0", "", 0, 0, ""},
        {"'type':'ref/prompt','name':'greet'", "99", "", 99, 99, "0"},
        {"'type':'ref/prompt','name':'greet'", "100", "", 100, 100, "0"},
        {"'type':'ref/prompt','name':'greet'", "101", "", 100, 101, "0"},
        {"'type':'ref/prompt','name':'greet'", "1500", "", 100, 1500, "0"},
        {"'type':'ref/prompt','name':'greet'", "0",
         ",'context':{'arguments':{'tone':'harshly'}}", 1, 1, "harshly"},
        {"'type':'ref/resource','uri':'test://item/{id}/{+path}'", "3", "", 3, 3, "0"},
        {"'type':'ref/resource','uri':'test://other/{n}'", "3", "", 0, 0, ""},
        {"'type':'ref/prompt','name':'plain'", "3", "", 0, 0, ""},
    };

    struct peer *p = *state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        str params = arena_printf(&p->arena,
                                  "'ref':{%s},'argument':{'name':'tone','value':'%s'}%s",
                                  cases[i].ref, cases[i].typed, cases[i].context);
        const struct json *got =
            json_get(peer_result(peer_send(p, "completion/complete", params.p)),
                     STR("completion"));
        const struct json *values = json_get(got, STR("values"));
        int64_t total = -1;
        bool more = false;
        CHECK(params.p, json_is(values, JSON_ARRAY));
        CHECK_INT(params.p, values->n, cases[i].values);
        CHECK(params.p, json_int(json_get(got, STR("total")), &total));
        CHECK_INT(params.p, total, cases[i].total);
        CHECK(params.p, json_bool(json_get(got, STR("hasMore")), &more));
        CHECK_INT(params.p, more, cases[i].total > 100);
        if (values->n > 0)
            CHECK_STR(params.p, values->child->text, cases[i].first);
    }
}

/* --- prompts of a family --- */

static bool list_more(struct mcp_call *call, struct err *err)
{
    static const struct mcp_listed_argument arguments[] = {
        {STR("who"), STR("Whom"), true}, {STR("how"), STR(""), false}};
    mcp_list_prompt(call, &(struct mcp_listed_prompt){
                              .name = STR("é"), .title = STR("E"), .about = STR("Says")});
    mcp_list_prompt(call, &(struct mcp_listed_prompt){.name = STR("two"),
                                                      .arguments = arguments,
                                                      .n_arguments = 2});
    return true;
}

static bool run_more(struct mcp_call *call, str name, str *about, struct err *err)
{
    if (str_eq(name, STR("broken")))
        return err_set(err, ERR_INVALID, "who is missing");
    if (!str_eq(name, STR("é")))
        return err_set(err, ERR_NOT_FOUND, "no");
    *about = STR("Says");
    mcp_text(call, json_get_str(call->args, STR("who")));
    return true;
}

static const struct mcp_prompt_family family = {.list = list_more, .run = run_more};

static void test_family(void **state)
{
    struct mcp_config config = everything;
    config.more_prompts = &family;
    struct peer *p = peer_create(&config);
    const struct json *all =
        json_get(peer_result(peer_send(p, "prompts/list", "")), STR("prompts"));
    const struct json *two = all->child;
    while (two->next != NULL)
        two = two->next;
    CHECK_STR("two", two->raw,
              "{\"name\":\"two\",\"arguments\":[{\"name\":\"who\",\"description\":"
              "\"Whom\",\"required\":true},{\"name\":\"how\",\"required\":false}]}");
    CHECK_DONE("run", peer_send(p, "prompts/get", "'name':'é','arguments':{'who':'Ada'}"),
               "'messages':[{'role':'user','content':{'type':'text','text':'Ada'}}],"
               "'description':'Says'");
    CHECK_FAILED("unknown", peer_send(p, "prompts/get", "'name':'no'"), -32602,
                 "Unknown prompt: no", NULL);
    CHECK_FAILED("broken", peer_send(p, "prompts/get", "'name':'broken'"), -32602,
                 "who is missing", NULL);
    peer_free(p);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        FULL_TEST(test_prompt_messages),
        FULL_TEST(test_completion),
        cmocka_unit_test(test_family),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
