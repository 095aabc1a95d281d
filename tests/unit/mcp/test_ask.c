/* Questions to a modern client: input_required, requestState, inputResponses. */
#include "mcp/call.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "asking.h"
#include "base/clock.h"
#include "base/encode.h"
#include "base/hash.h"

static int setup(void **state)
{
    struct peer *p = peer_create(&asking);
    p->revision = MCP_2026_07_28;
    p->capabilities = CAN_ANSWER;
    *state = p;
    return 0;
}

static int teardown(void **state)
{
    peer_free(*state);
    return 0;
}

/* The requestState of an answer that asks. */
static str state_of(struct peer_call *c)
{
    const struct json *result = peer_result(c);
    if (!str_eq(json_get_str(result, STR("resultType")), STR("input_required")))
        fail_msg("no question: " STR_FMT, STR_ARG(peer_answer(c)));
    return json_get_str(result, STR("requestState"));
}

/* The keys that an answer asks for: "a b"; empty when it does not ask. */
static str asked_for(struct peer_call *c)
{
    struct sbuf keys = SBUF_ON(&c->peer->arena);
    const struct json *j = json_get(peer_result(c), STR("inputRequests"));
    for (j = j != NULL ? j->child : NULL; j != NULL; j = j->next)
        sbuf_printf(&keys, "%s" STR_FMT, keys.n > 0 ? " " : "", STR_ARG(j->key));
    return sbuf_str(&keys);
}

static struct peer_call *again(struct peer *p, const char *call, str state,
                               const char *responses)
{
    str params =
        arena_printf(&p->arena, "%s,'requestState':'" STR_FMT "','inputResponses':%s",
                     call, STR_ARG(state), responses);
    return peer_send(p, "tools/call", params.p);
}

#define YES "{'sure':{'action':'accept','content':{'ok':true}}}"
#define WRONG_STATE "requestState is not valid for this call: call again without it"

static void test_first_round(void **state)
{
    static const struct {
        const char *method, *params;
    } cases[] = {
        {"tools/call", "'name':'confirm'"},
        {"tools/call", "'name':'quick'"},
        {"prompts/get", "'name':'asking'"},
        {"resources/read", "'uri':'ask://x'"},
    };

    struct peer *p = *state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct peer_call *c = peer_send(p, cases[i].method, cases[i].params);
        str sealed = state_of(c);
        str want =
            arena_printf(&p->arena,
                         "{'jsonrpc':'2.0','id':%s,'result':{'resultType':"
                         "'input_required','inputRequests':{'sure':{'method':"
                         "'elicitation/create','params':{'mode':'form'," SURE_PARAMS
                         "}}},'requestState':'" STR_FMT "'," PEER_INFO "}}",
                         c->id, STR_ARG(sealed));
        CHECK_QUOTED(&p->arena, cases[i].method, peer_answer(c), want.p);
        CHECK(cases[i].method, str_starts(sealed, STR("v1.")));
        CHECK_INT(cases[i].method, c->code, 0);
        CHECK_INT(cases[i].method, peer_n_sent(c), 0);
    }
}

static void test_second_round(void **state)
{
    static const struct {
        const char *responses, *text;
    } cases[] = {
        {YES, "did a"},
        {"{'sure':{'action':'accept','content':{'ok':false}}}", "left a"},
        {"{'sure':{'action':'accept','content':{'ok':'true','more':1}}}", "did a"},
        {"{'sure':{'action':'decline'}}", "declined"},
        {"{'sure':{'action':'cancel'}}", "declined"},
        {"{'sure':{'action':'decline','content':{'ok':true}}}", "declined"},
        {"{'sure':{'action':'ACCEPT','content':{'ok':true}}}", "declined"},
        {"{'sure':{'content':{'ok':true}}}", "declined"},
        {"{'sure':{}}", "declined"},
        {"{'sure':{'action':'accept','content':{'ok':true}},'extra':{},'more':{}}",
         "did a"},
    };

    struct peer *p = *state;
    const char *call = "'name':'confirm','arguments':{'path':'a'}";
    str sealed = state_of(peer_send(p, "tools/call", call));
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        str want =
            arena_printf(&p->arena,
                         "'content':[{'type':'text','text':'asked'},{'type':'text',"
                         "'text':'%s'}]",
                         cases[i].text);
        CHECK_DONE(cases[i].responses, again(p, call, sealed, cases[i].responses),
                   want.p);
    }
}

static void test_prompt_and_resource(void **state)
{
    struct peer *p = *state;
    str sealed = state_of(peer_send(p, "prompts/get", "'name':'asking'"));
    str params = arena_printf(
        &p->arena, "'name':'asking','requestState':'" STR_FMT "','inputResponses':" YES,
        STR_ARG(sealed));
    CHECK_DONE(
        "prompt", peer_send(p, "prompts/get", params.p),
        "'description':'Asks','messages':[{'role':'user','content':{'type':'text',"
        "'text':'asked'}},{'role':'user','content':{'type':'text','text':'did it'}}]");
    sealed = state_of(peer_send(p, "resources/read", "'uri':'ask://x'"));
    params = arena_printf(
        &p->arena, "'uri':'ask://x','requestState':'" STR_FMT "','inputResponses':" YES,
        STR_ARG(sealed));
    CHECK_CACHED("resource", peer_send(p, "resources/read", params.p),
                 "'contents':[{'uri':'ask://x','mimeType':'text/plain','text':'read'}]",
                 "private");
}

/* Missing answers are requested again; answers to questions that were not asked are
 * ignored. */
static void test_missing_answers(void **state)
{
    static const struct {
        const char *responses, *asked;
    } cases[] = {
        {"{}", "one two three"},          {"{'foreign':{}}", "one two three"},
        {"{'One':{}}", "one two three"},  {"{'two':{}}", "one three"},
        {"{'three':{},'one':{}}", "two"}, {"{'three':{},'one':{},'two':{}}", ""},
    };

    struct peer *p = *state;
    str sealed = state_of(peer_send(p, "tools/call", "'name':'three'"));
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        CHECK_STR(cases[i].responses,
                  asked_for(again(p, "'name':'three'", sealed, cases[i].responses)),
                  cases[i].asked);
    /* no answers at all, only the state */
    str params = arena_printf(&p->arena, "'name':'three','requestState':'" STR_FMT "'",
                              STR_ARG(sealed));
    CHECK_STR("none", asked_for(peer_send(p, "tools/call", params.p)), "one two three");
}

static void test_wrong_types(void **state)
{
    static const struct {
        const char *responses, *message;
    } cases[] = {
        {"[]", "inputResponses must be an object"},
        {"null", "inputResponses must be an object"},
        {"'{}'", "inputResponses must be an object"},
        {"5", "inputResponses must be an object"},
        {"{'sure':'accept'}", "each inputResponses value must be an object"},
        {"{'sure':true}", "each inputResponses value must be an object"},
        {"{'sure':null}", "each inputResponses value must be an object"},
        {"{'sure':[]}", "each inputResponses value must be an object"},
        {"{'sure':{'action':'accept','content':{'ok':true}},'x':1}",
         "each inputResponses value must be an object"},
    };

    struct peer *p = *state;
    str sealed = state_of(peer_send(p, "tools/call", "'name':'confirm'"));
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        CHECK_FAILED(cases[i].responses,
                     again(p, "'name':'confirm'", sealed, cases[i].responses),
                     RPC_INVALID_PARAMS, cases[i].message, NULL);
}

/* Earlier answers travel in the state and cannot be changed later. */
static void test_rounds(void **state)
{
    struct peer *p = *state;
    const char *call = "'name':'rounds'";
    struct peer_call *c = peer_send(p, "tools/call", call);
    CHECK_STR("round 1", asked_for(c), "first");
    c = again(p, call, state_of(c),
              "{'first':{'action':'accept','content':{'name':'Ada'}}}");
    CHECK_STR("round 2", asked_for(c), "second");
    c = again(p, call, state_of(c), "{}");
    CHECK_STR("round 3", asked_for(c), "second");
    c = again(p, call, state_of(c),
              "{'second':{'action':'accept','content':{'color':'red'}},"
              "'first':{'action':'accept','content':{'name':'Eve'}}}");
    CHECK_STR("the end", peer_text(c), "Ada likes red");
}

/* --- states that are not ours --- */

static void test_made_up_states(void **state)
{
    static const char *const cases[] = {
        "''",        "'v1'",         "'v1.'", "'v1..'",         "'v1.e30'",
        "'v1.e30.'", "'v1.e30.e30'", "'.'",   "'v2.e30.e30'",   "null",
        "5",         "{}",           "true",  "['v1.e30.e30']",
    };

    struct peer *p = *state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        str params = arena_printf(
            &p->arena, "'name':'confirm','inputResponses':" YES ",'requestState':%s",
            cases[i]);
        CHECK_FAILED(cases[i], peer_send(p, "tools/call", params.p), RPC_INVALID_PARAMS,
                     WRONG_STATE, NULL);
    }
}

static void test_SEC_123_tampered_states(void **state)
{
    struct peer *p = *state;
    const char *call = "'name':'confirm'";
    str sealed = arena_str(&p->arena, state_of(peer_send(p, "tools/call", call)));
    for (size_t at = 0; at < sealed.n; at++) {
        char *byte = (char *)sealed.p + at, kept = *byte;
        *byte = kept == 'A' ? 'B' : 'A';
        str row = arena_printf(&p->arena, "byte %zu", at);
        CHECK_FAILED(row.p, again(p, call, sealed, YES), RPC_INVALID_PARAMS, WRONG_STATE,
                     NULL);
        *byte = kept;
    }
    CHECK_FAILED("cut", again(p, call, str_slice(sealed, 0, sealed.n - 1), YES),
                 RPC_INVALID_PARAMS, WRONG_STATE, NULL);
    CHECK_FAILED(
        "longer",
        again(p, call, arena_printf(&p->arena, STR_FMT "A", STR_ARG(sealed)), YES),
        RPC_INVALID_PARAMS, WRONG_STATE, NULL);
    CHECK_INT("as it was", peer_result(again(p, call, sealed, YES)) != NULL, 1);
}

/* The payload of one state with the MAC of another. */
static void test_swapped_states(void **state)
{
    struct peer *p = *state;
    str one = state_of(peer_send(p, "tools/call", "'name':'confirm'"));
    str two = state_of(peer_send(p, "tools/call", "'name':'rounds'"));
    str mixed = arena_printf(&p->arena, STR_FMT STR_FMT,
                             STR_ARG(str_slice(one, 0, str_find_last(one, '.'))),
                             STR_ARG(str_skip(two, str_find_last(two, '.'))));
    CHECK_FAILED("mixed", again(p, "'name':'confirm'", mixed, YES), RPC_INVALID_PARAMS,
                 WRONG_STATE, NULL);
}

/* A state is for one call of one user. */
static void test_SEC_123_other_calls(void **state)
{
    static const struct {
        const char *method, *params, *principal;
        bool ok;
    } cases[] = {
        {"tools/call", "'name':'confirm','arguments':{'path':'a'}", "ada", true},
        {"tools/call", "'name':'confirm','arguments':{'path':'b'}", "ada", false},
        {"tools/call", "'name':'confirm','arguments':{}", "ada", false},
        {"tools/call", "'name':'confirm'", "ada", false},
        {"tools/call", "'name':'confirm','arguments':{'path':'a','x':1}", "ada", false},
        {"tools/call", "'name':'rounds','arguments':{'path':'a'}", "ada", false},
        {"prompts/get", "'name':'confirm','arguments':{'path':'a'}", "ada", false},
        {"tools/call", "'name':'confirm','arguments':{'path':'a'},'uri':'x'", "ada",
         false},
        {"tools/call", "'name':'confirm','arguments':{'path':'a'}", "eve", false},
        {"tools/call", "'name':'confirm','arguments':{'path':'a'}", NULL, false},
    };

    struct peer *p = *state;
    p->principal = "ada";
    str sealed =
        state_of(peer_send(p, "tools/call", "'name':'confirm','arguments':{'path':'a'}"));
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        str params = arena_printf(&p->arena,
                                  "%s,'requestState':'" STR_FMT "','inputResponses':" YES,
                                  cases[i].params, STR_ARG(sealed));
        p->principal = cases[i].principal;
        struct peer_call *c = peer_send(p, cases[i].method, params.p);
        if (cases[i].ok)
            CHECK(cases[i].params, peer_result(c) != NULL);
        else
            CHECK_FAILED(cases[i].params, c, RPC_INVALID_PARAMS, WRONG_STATE, NULL);
    }
}

/* The same payload with another expiry time, signed with the key of peer.h. */
static str with_expiry(struct arena *a, str sealed, int64_t expires)
{
    size_t dot = str_find_last(sealed, '.');
    str text;
    const struct json *j;
    struct err err;
    assert_true(decode_base64url(a, str_slice(sealed, 3, dot), &text));
    assert_true(json_parse(a, text, &j, &err));
    str payload = arena_printf(a,
                               "{\"expires\":%lld,\"id\":" STR_FMT ",\"for\":" STR_FMT
                               ",\"questions\":" STR_FMT "}",
                               (long long)expires, STR_ARG(json_get(j, STR("id"))->raw),
                               STR_ARG(json_get(j, STR("for"))->raw),
                               STR_ARG(json_get(j, STR("questions"))->raw));
    uint8_t key[MCP_KEY_SIZE], mac[HASH_SIZE];
    assert_true(peer_key(NULL, key, &err));
    payload = encode_base64url(a, payload);
    hash_hmac((str){(char *)key, sizeof(key)}, payload, mac);
    return arena_printf(a, "v1." STR_FMT "." STR_FMT, STR_ARG(payload),
                        STR_ARG(encode_base64url(a, (str){(char *)mac, sizeof(mac)})));
}

static void test_SEC_123_expired_states(void **state)
{
    struct peer *p = *state;
    const char *call = "'name':'confirm'";
    str sealed = state_of(peer_send(p, "tools/call", call));
    str later = with_expiry(&p->arena, sealed, clock_now() + 60);
    CHECK_INT("in time", peer_result(again(p, call, later, YES)) != NULL, 1);
    str late = with_expiry(&p->arena, sealed, clock_now() - 1);
    CHECK_FAILED("late", again(p, call, late, YES), RPC_INVALID_PARAMS, WRONG_STATE,
                 NULL);
    late = with_expiry(&p->arena, sealed, 0);
    CHECK_FAILED("long ago", again(p, call, late, YES), RPC_INVALID_PARAMS, WRONG_STATE,
                 NULL);
}

static bool other_key(void *app, uint8_t out[MCP_KEY_SIZE], struct err *err)
{
    memset(out, 7, MCP_KEY_SIZE);
    return true;
}

static bool no_key(void *app, uint8_t out[MCP_KEY_SIZE], struct err *err)
{
    return err_set(err, ERR_DENIED, "no key");
}

/* Nothing is kept on the server: another one with the same key can continue. */
static void test_other_servers(void **state)
{
    struct peer *p = *state;
    const char *call = "'name':'confirm'";
    str sealed = state_of(peer_send(p, "tools/call", call));
    struct peer *same = peer_create(&asking);
    struct mcp_config config = asking;
    config.key = other_key;
    struct peer *other = peer_create(&config);
    config.key = no_key;
    struct peer *keyless = peer_create(&config);
    same->revision = other->revision = keyless->revision = MCP_2026_07_28;
    same->capabilities = other->capabilities = keyless->capabilities = CAN_ANSWER;
    CHECK("the same key", peer_result(again(same, call, sealed, YES)) != NULL);
    CHECK_FAILED("another key", again(other, call, sealed, YES), RPC_INVALID_PARAMS,
                 WRONG_STATE, NULL);
    CHECK_FAILED("no key", peer_send(keyless, "tools/call", call), RPC_INTERNAL_ERROR,
                 "The server cannot store this question", NULL);
    CHECK_FAILED("none to check with", again(keyless, call, sealed, YES),
                 RPC_INVALID_PARAMS, WRONG_STATE, NULL);
    peer_free(same);
    peer_free(other);
    peer_free(keyless);
}

/* --- confirmations --- */

#define PERMIT "'name':'permit'"
#define PERMITTED "{'permit':{'action':'accept'}}"
#define USED                                                                             \
    "requestState was used before, and a confirmation counts once: call again without "  \
    "it"

static void test_SEC_123_confirmed_once(void **state)
{
    static const char *const answers[] = {PERMITTED, "{'permit':{'action':'decline'}}"};
    struct peer *p = *state;
    plan = "a";
    for (size_t i = 0; i < COUNT_OF(answers); i++) {
        str sealed = state_of(peer_send(p, "tools/call", PERMIT));
        CHECK_STR("first", peer_text(again(p, PERMIT, sealed, answers[i])),
                  i == 0 ? "carried out a" : "declined");
        CHECK_FAILED("again", again(p, PERMIT, sealed, PERMITTED), RPC_INVALID_PARAMS,
                     USED, NULL);
    }
}

/* What was not answered does not use the state up. */
static void test_confirmation_unanswered(void **state)
{
    struct peer *p = *state;
    plan = "a";
    str sealed = state_of(peer_send(p, "tools/call", PERMIT));
    CHECK_STR("no answer", asked_for(again(p, PERMIT, sealed, "{}")), "permit");
    CHECK_STR("answer", peer_text(again(p, PERMIT, sealed, PERMITTED)), "carried out a");
}

static void test_SEC_123_other_plan(void **state)
{
    struct peer *p = *state;
    plan = "a";
    str sealed = state_of(peer_send(p, "tools/call", PERMIT));
    plan = "b";
    struct peer_call *c = again(p, PERMIT, sealed, PERMITTED);
    CHECK_STR("asked again", asked_for(c), "permit");
    str second = state_of(c);
    plan = "a";
    CHECK_FAILED("used", again(p, PERMIT, sealed, PERMITTED), RPC_INVALID_PARAMS, USED,
                 NULL);
    plan = "b";
    CHECK_STR("the other one", peer_text(again(p, PERMIT, second, PERMITTED)),
              "carried out b");
}

/* An answer to a question that was not asked is not a confirmation. */
static void test_SEC_123_not_asked(void **state)
{
    struct peer *p = *state;
    plan = "a";
    CHECK_STR(
        "no state",
        asked_for(peer_send(p, "tools/call", PERMIT ",'inputResponses':" PERMITTED)),
        "permit");
    str other = state_of(peer_send(p, "tools/call", "'name':'roots'"));
    CHECK_FAILED("another state", again(p, PERMIT, other, PERMITTED), RPC_INVALID_PARAMS,
                 WRONG_STATE, NULL);
}

/* What is used is remembered for as long as the state is valid, up to a limit for each
 * caller; beyond it nothing is confirmed. */
static void test_spent_limit(void **state)
{
    enum { HOUR_S = 3600 };
    struct peer *p = *state;
    for (unsigned i = 0; i <= MCP_SPENT_SHARE; i++) {
        str id = arena_printf(&p->arena, "%032u", i);
        CHECK_INT("share", spent_spend(&p->server->spent, 7, id, HOUR_S),
                  i < MCP_SPENT_SHARE ? MCP_SPENT_NOW : MCP_SPENT_UNKNOWN);
    }
    for (unsigned i = MCP_SPENT_SHARE; i <= MCP_SPENT_MAX; i++) {
        str id = arena_printf(&p->arena, "%032u", i);
        CHECK_INT(
            "all",
            spent_spend(&p->server->spent, 0, id, i == MCP_SPENT_SHARE ? 0 : HOUR_S),
            MCP_SPENT_NOW);
    }
    str more = STR("ffffffffffffffffffffffffffffffff");
    CHECK_INT("full", spent_spend(&p->server->spent, 0, more, HOUR_S), MCP_SPENT_UNKNOWN);
    CHECK_INT(
        "known",
        spent_spend(&p->server->spent, 0, arena_printf(&p->arena, "%032u", 5), HOUR_S),
        MCP_SPENT_BEFORE);
}

/* --- the rest --- */

/* A failure wins over an open question. */
static void test_failure_wins(void **state)
{
    struct peer *p = *state;
    const struct json *result =
        peer_result(peer_send(p, "tools/call", "'name':'failing'"));
    CHECK("isError", json_get_true(result, STR("isError")));
    CHECK("no question", json_get(result, STR("inputRequests")) == NULL);
}

/* A client is asked only what it can answer; otherwise the error names the missing
 * capability. */
static void test_capabilities(void **state)
{
    static const struct {
        const char *tool, *capabilities;
        const char *needed; /* NULL: it is asked */
    } cases[] = {
        {"confirm", "{'elicitation':{}}", NULL},
        {"confirm", "{'elicitation':{'form':{}}}", NULL},
        {"confirm", "{'elicitation':{'form':{},'url':{}}}", NULL},
        {"roots", "{'roots':{}}", NULL},
        {"confirm", "{}", "{'elicitation':{'form':{}}}"},
        {"confirm", "{'sampling':{},'roots':{}}", "{'elicitation':{'form':{}}}"},
        {"confirm", "{'elicitation':{'url':{}}}", "{'elicitation':{'form':{}}}"},
        {"roots", "{}", "{'roots':{}}"},
        {"three", "{'roots':{}}", "{'sampling':{}}"},
    };

    struct peer *p = *state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        str row =
            arena_printf(&p->arena, "%s of %s", cases[i].tool, cases[i].capabilities);
        str params = arena_printf(&p->arena, "'name':'%s'", cases[i].tool);
        p->capabilities = cases[i].capabilities;
        struct peer_call *c = peer_send(p, "tools/call", params.p);
        if (cases[i].needed == NULL) {
            CHECK(row.p, asked_for(c).n > 0);
            continue;
        }
        peer_answer(c);
        CHECK_INT(row.p, c->code, MCP_MISSING_CAPABILITY);
        const struct json *j;
        struct err err;
        CHECK(row.p, json_parse(&p->arena, peer_answer(c), &j, &err));
        const struct json *needed =
            json_get(json_get(json_get(j, STR("error")), STR("data")),
                     STR("requiredCapabilities"));
        CHECK_QUOTED(&p->arena, row.p, needed->raw, cases[i].needed);
    }
}

/* Methods that cannot ask ignore answers. */
static void test_not_for_lists(void **state)
{
    struct peer *p = *state;
    CHECK_CACHED("ignored",
                 peer_send(p, "prompts/list", "'requestState':5,'inputResponses':7"),
                 "'prompts':[{'name':'asking','description':'Asks'}]", "public");
}

/* An accepted form with invalid content is requested again. */
static void test_unfit_content(void **state)
{
    static const char *const cases[] = {
        "{'sure':{'action':'accept'}}",
        "{'sure':{'action':'accept','content':{}}}",
        "{'sure':{'action':'accept','content':{'ok':'maybe'}}}",
        "{'sure':{'action':'accept','content':[]}}",
        "{'sure':{'action':'accept','content':null}}",
    };

    struct peer *p = *state;
    str sealed = state_of(peer_send(p, "tools/call", "'name':'confirm'"));
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct peer_call *c = again(p, "'name':'confirm'", sealed, cases[i]);
        CHECK_STR(cases[i], asked_for(c), "sure");
        c = again(p, "'name':'confirm'", state_of(c), YES);
        CHECK(cases[i], peer_result(c) != NULL);
    }
}

/* n answers to questions that were not asked. */
static str junk(struct arena *a, char letter, int n)
{
    struct sbuf b = SBUF_ON(a);
    for (int i = 0; i < n; i++)
        sbuf_printf(&b, "%s'%c%d':{}", i > 0 ? "," : "{", letter, i);
    sbuf_add(&b, STR("}\0"));
    return sbuf_str(&b);
}

/* Two rounds with the maximum number of answers, for a quick tool: no thread is
 * needed. */
static void flood(void)
{
    struct peer *p = peer_create(&asking);
    p->revision = MCP_2026_07_28;
    p->capabilities = CAN_ANSWER;
    str params = arena_printf(&p->arena, "'name':'quick','inputResponses':%s",
                              junk(&p->arena, 'a', 40).p);
    struct peer_call *c = peer_send(p, "tools/call", params.p);
    again(p, "'name':'quick'", state_of(c), junk(&p->arena, 'b', 40).p);
}

/* However many answers a client invents, it gets an answer and the server survives. */
static void test_flood_of_answers(void **state)
{
    (void)state;
    pid_t child = fork();
    if (child == 0) {
        close(STDERR_FILENO);
        signal(SIGABRT, SIG_DFL);
        flood();
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    CHECK("the server lives", WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

#define ASK_TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ASK_TEST(test_first_round),
        ASK_TEST(test_second_round),
        ASK_TEST(test_prompt_and_resource),
        ASK_TEST(test_missing_answers),
        ASK_TEST(test_wrong_types),
        ASK_TEST(test_rounds),
        ASK_TEST(test_made_up_states),
        ASK_TEST(test_SEC_123_tampered_states),
        ASK_TEST(test_swapped_states),
        ASK_TEST(test_SEC_123_other_calls),
        ASK_TEST(test_SEC_123_expired_states),
        ASK_TEST(test_other_servers),
        ASK_TEST(test_SEC_123_confirmed_once),
        ASK_TEST(test_confirmation_unanswered),
        ASK_TEST(test_SEC_123_other_plan),
        ASK_TEST(test_SEC_123_not_asked),
        ASK_TEST(test_spent_limit),
        ASK_TEST(test_failure_wins),
        ASK_TEST(test_capabilities),
        ASK_TEST(test_not_for_lists),
        ASK_TEST(test_unfit_content),
        cmocka_unit_test(test_flood_of_answers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
