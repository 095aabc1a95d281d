/* What each probe of vaultd doctor --connector makes of an answer: one row for each answer of a server in this process. */
#include "app/doctor/doctor_parts.h"

#include <string.h>

#include "base/sbuf.h"
#include "fixed_server.h"
#include "quoted.h"

/* --- rows --- */

enum { OPEN = 1, KEY = 2, URLS = 4, NO_REGISTER = 8, CHALLENGED = 16 };

struct row {
    const char *probe;
    unsigned known;   /* what the probes before it have found out */
    const char *head; /* "404 text/html", and further headers after | */
    const char *body; /* in the form of quoted.h, with @ for the origin */
    enum doctor_status status;
    enum doctor_cause cause;
    const char *got;
};

static str with_origin(struct arena *a, str text, const char *origin)
{
    struct sbuf b = SBUF_ON(a);
    for (size_t i = 0; i < text.n; i++)
        if (text.p[i] == '@')
            sbuf_add(&b, str_c(origin));
        else
            sbuf_char(&b, text.p[i]);
    return arena_str(a, sbuf_str(&b));
}

static const char *whole_answer(struct arena *a, const struct row *r, const char *origin)
{
    struct sbuf b = SBUF_ON(a);
    str body = with_origin(a, quoted(a, r->body != NULL ? r->body : ""), origin);
    str head = str_c(r->head), line;
    (void)!str_next(&head, '|', &line);
    size_t space = str_find_char(line, ' ');
    sbuf_printf(&b, "HTTP/1.1 " STR_FMT " X\r\n", STR_ARG(str_slice(line, 0, space)));
    if (space != STR_NONE)
        sbuf_printf(&b, "Content-Type: " STR_FMT "\r\n",
                    STR_ARG(str_skip(line, space + 1)));
    while (head.n > 0 && str_next(&head, '|', &line))
        sbuf_printf(&b, STR_FMT "\r\n", STR_ARG(line));
    sbuf_printf(&b, "Content-Length: %zu\r\n\r\n" STR_FMT, body.n, STR_ARG(body));
    return arena_str(a, sbuf_str(&b)).p;
}

static const struct doctor_probe *probe_named(const char *id)
{
    for (const struct doctor_probe *p = doctor_probes; p->id != NULL; p++)
        if (strcmp(p->id, id) == 0)
            return p;
    fail_msg("no probe %s", id);
    return NULL;
}

static void check_row(struct arena *a, struct fixed_server *s, const struct row *r)
{
    const char *origin = arena_printf(a, "http://127.0.0.1:%u", s->port).p;
    str url = arena_printf(a, "%s/mcp", origin);
    struct doctor d = {.arena = a,
                       .url = url,
                       .origin = str_c(origin),
                       .path = STR("/mcp"),
                       .open = r->known & OPEN,
                       .registers = !(r->known & NO_REGISTER)};
    struct doctor_step step = {.probe = probe_named(r->probe)};
    if (r->known & KEY)
        d.key = STR("a key");
    if (r->known & CHALLENGED)
        d.metadata_url = url;
    if (r->known & URLS)
        d.authorize_url = d.token_url = d.register_url = url;
    s->answer = r->head != NULL ? whole_answer(a, r, origin) : NULL;
    step.probe->run(&d, &step);
    const char *row =
        arena_printf(a, "%s, %s, '" STR_FMT "'", r->probe,
                     r->head != NULL ? r->head : "nothing", STR_ARG(step.got))
            .p;
    CHECK_INT(row, step.status, r->status);
    CHECK_INT(row, step.status == STEP_BAD ? step.cause : CAUSE_NONE, r->cause);
    CHECK_STR(row, step.got, with_origin(a, str_c(r->got), origin));
}

#define CHALLENGE                                                                        \
    "WWW-Authenticate: Bearer resource_metadata=\"https://x/y\", scope=\"a\""
#define CORS "Access-Control-Allow-Origin: http://localhost:6274"
#define SERVER                                                                           \
    "{'issuer':'@','authorization_endpoint':'@/a','token_endpoint':'@/"                  \
    "t','registration_endpoint':'@/r'}"

static const struct row rows[] = {
    /* without a token */
    {"claude", 0, "401|" CHALLENGE, "", STEP_GOOD, CAUSE_NONE, "401 with a challenge"},
    {"chatgpt", 0, "200 application/json", "{}", STEP_GOOD, CAUSE_NONE,
     "200, no sign-in required"},
    {"inspector", 0, "200 text/html|Server: nginx", "", STEP_BAD, CAUSE_OTHER,
     "200 text/html from nginx"},
    {"claude_code", 0, "401", "", STEP_BAD, CAUSE_CHALLENGE,
     "401 without WWW-Authenticate"},
    {"claude", 0, "401|WWW-Authenticate: Bearer realm=\"x\"", "", STEP_BAD,
     CAUSE_CHALLENGE, "a challenge without resource_metadata"},
    {"claude", 0, "401|WWW-Authenticate: Bearer resource_metadata=x", "", STEP_BAD,
     CAUSE_CHALLENGE, "a challenge without resource_metadata"},
    {"claude", 0, "401|WWW-Authenticate: Basic realm=\"x\"", "", STEP_BAD,
     CAUSE_PROXY_SIGN_IN, "401 with \"Basic realm=\"x\"\""},
    {"claude", 0, "404 text/html", "", STEP_BAD, CAUSE_PATH, "404 text/html"},
    {"claude", 0, "405", "", STEP_BAD, CAUSE_PATH, "405"},
    {"claude", 0, "500", "", STEP_BAD, CAUSE_OTHER, "500"},
    /* whatever the request is */
    {"claude", 0, "421", "", STEP_BAD, CAUSE_HOST, "421"},
    {"claude", 0, "301|Location: /x", "", STEP_BAD, CAUSE_REDIRECT, "301"},
    {"claude", 0, "308|Location: /x", "", STEP_BAD, CAUSE_REDIRECT, "308"},
    {"claude", 0, "403 text/html|Server: cloudflare", "", STEP_BAD, CAUSE_BLOCKED,
     "403 text/html from cloudflare"},
    {"claude", 0, "403 application/json", "{}", STEP_BAD, CAUSE_OTHER,
     "403 application/json"},
    {"claude", 0, "413", "", STEP_BAD, CAUSE_BODY, "413"},
    {"claude", 0, "502 text/html", "", STEP_BAD, CAUSE_UPSTREAM, "502 text/html"},
    {"claude", 0, "503 application/json", "{}", STEP_BAD, CAUSE_OTHER,
     "503 application/json"},
    {"claude", 0, "504", "", STEP_BAD, CAUSE_UPSTREAM, "504"},
    /* where to sign in */
    {"resource_named", 0, "200", "", STEP_SKIPPED, CAUSE_NONE,
     "no challenge has its URL"},
    {"resource_named", OPEN, "200", "", STEP_SKIPPED, CAUSE_NONE,
     "no sign-in is required"},
    {"resource_named", CHALLENGED, "200 application/json",
     "{'resource':'@/mcp','authorization_servers':['@']}", STEP_GOOD, CAUSE_NONE, "200"},
    {"resource_named", CHALLENGED, "404", "", STEP_BAD, CAUSE_WELL_KNOWN, "404"},
    {"resource_path", 0, "200 application/json",
     "{'resource':'@/other','authorization_servers':['@']}", STEP_BAD, CAUSE_SERVER_URL,
     "resource \"@/other\""},
    {"resource_path", 0, "200 application/json",
     "{'resource':'@/mcp','authorization_servers':[]}", STEP_BAD, CAUSE_OTHER,
     "no authorization_servers"},
    {"resource_path", 0, "200 text/html", "<p>", STEP_BAD, CAUSE_WELL_KNOWN,
     "200 text/html"},
    {"resource_root", 0, "200 application/json",
     "{'resource':'@','authorization_servers':['@']}", STEP_GOOD, CAUSE_NONE, "200"},
    {"server", 0, "200 application/json", SERVER, STEP_GOOD, CAUSE_NONE, "200"},
    {"server", 0, "200 application/json", "{'issuer':'https://other'}", STEP_BAD,
     CAUSE_SERVER_URL, "issuer \"https://other\""},
    {"openid", 0, "200 application/json", "{'issuer':'@'}", STEP_BAD, CAUSE_OTHER,
     "no authorization_endpoint or token_endpoint"},
    {"openid", OPEN, "200", "", STEP_SKIPPED, CAUSE_NONE, "no sign-in is required"},
    {"openid", 0, "404", "", STEP_BAD, CAUSE_WELL_KNOWN, "404"},
    /* signing in */
    {"register", 0, "201", "", STEP_SKIPPED, CAUSE_NONE, "no metadata has its URL"},
    {"register", URLS | NO_REGISTER, "201", "", STEP_SKIPPED, CAUSE_NONE,
     "--no-register"},
    {"register", URLS, "201 application/json", "{}", STEP_GOOD, CAUSE_NONE, "201"},
    {"register", URLS, "400 application/json", "{}", STEP_BAD, CAUSE_REGISTRATION,
     "Claude: 400 application/json"},
    {"authorize", URLS, "400 text/html", "", STEP_GOOD, CAUSE_NONE, "400"},
    {"authorize", URLS, "404 text/html", "", STEP_BAD, CAUSE_PATH, "404 text/html"},
    {"authorize", OPEN, "400 text/html", "", STEP_SKIPPED, CAUSE_NONE,
     "no sign-in is required"},
    {"token", URLS, "400 application/json", "{}", STEP_GOOD, CAUSE_NONE, "400"},
    {"token", URLS, "401 application/json", "{}", STEP_GOOD, CAUSE_NONE, "401"},
    {"token", URLS, "400 text/html", "", STEP_BAD, CAUSE_PATH, "400 text/html"},
    {"authorization", 0, "401", "{'error':'invalid_token'}", STEP_GOOD, CAUSE_NONE,
     "401"},
    {"authorization", 0, "401", "", STEP_BAD, CAUSE_AUTHORIZATION,
     "401, as if there were no token"},
    {"authorization", 0, "200 text/html", "", STEP_BAD, CAUSE_OTHER, "200 text/html"},
    {"authorization", OPEN, "401", "", STEP_SKIPPED, CAUSE_NONE,
     "no sign-in is required"},
    /* browsers */
    {"preflight", 0, "204|" CORS, "", STEP_GOOD, CAUSE_NONE, "204"},
    {"preflight", 0, "200|Access-Control-Allow-Origin: *", "", STEP_GOOD, CAUSE_NONE,
     "200"},
    {"preflight", 0, "204|Access-Control-Allow-Origin: https://other", "", STEP_BAD,
     CAUSE_CORS, "no Access-Control-Allow-Origin for it"},
    {"preflight", 0, "405|" CORS, "", STEP_BAD, CAUSE_CORS, "405"},
    {"cors", 0,
     "401|" CORS "|Access-Control-Expose-Headers: WWW-Authenticate, Mcp-Session-Id", "",
     STEP_GOOD, CAUSE_NONE, "401"},
    {"cors", 0, "401|" CORS, "", STEP_BAD, CAUSE_CORS, "WWW-Authenticate is not exposed"},
    {"cors", 0, "401", "", STEP_BAD, CAUSE_CORS, "no Access-Control-Allow-Origin for it"},
    /* proxies */
    {"get", 0, "401", "", STEP_GOOD, CAUSE_NONE, "401"},
    {"get", OPEN, "400", "", STEP_GOOD, CAUSE_NONE, "400"},
    {"get", OPEN, "401", "", STEP_BAD, CAUSE_OTHER, "401"},
    {"get", 0, "405", "", STEP_BAD, CAUSE_METHOD, "405"},
    {"get", 0, "403 application/json", "{}", STEP_BAD, CAUSE_METHOD,
     "403 application/json"},
    {"slash", 0, "404", "", STEP_BAD, CAUSE_PATH, "404"},
    {"header", 0, "431", "", STEP_BAD, CAUSE_HEADER, "431"},
    {"header", 0, "400 text/html", "", STEP_BAD, CAUSE_HEADER, "400 text/html"},
    {"header", 0, "401|" CHALLENGE, "", STEP_GOOD, CAUSE_NONE, "401 with a challenge"},
    {"body", 0, "401", "", STEP_GOOD, CAUSE_NONE, "401"},
    {"body", OPEN, "400", "", STEP_GOOD, CAUSE_NONE, "400"},
    {"body", 0, "413 text/html", "", STEP_BAD, CAUSE_BODY, "413 text/html"},
    {"body", 0, "400", "", STEP_BAD, CAUSE_BODY, "400"},
    {"keep_alive", 0, "401", "", STEP_GOOD, CAUSE_NONE, "401"},
    {"keep_alive", 0, "401|Connection: close", "", STEP_BAD, CAUSE_KEEP_ALIVE,
     "Connection: close"},
    {"plain_http", 0, "200", "", STEP_SKIPPED, CAUSE_NONE, "the URL itself uses http"},
    /* with a key */
    {"call", 0, "200", "", STEP_SKIPPED, CAUSE_NONE,
     "give a key with --key-file to try this"},
    {"call", OPEN, "200", "", STEP_GOOD, CAUSE_NONE, "200"},
    {"call", KEY, "200", "", STEP_GOOD, CAUSE_NONE, "200"},
    {"call", KEY, "401", "{'error':'invalid_token'}", STEP_BAD, CAUSE_KEY, "401"},
    {"call", KEY, "401", "", STEP_BAD, CAUSE_AUTHORIZATION, "401"},
    {"call", KEY, "500", "", STEP_BAD, CAUSE_OTHER, "500"},
    {"stream", 0, "200", "", STEP_SKIPPED, CAUSE_NONE,
     "give a key with --key-file to try this"},
    {"stream", KEY, "200 text/event-stream", "data: 1\n\n", STEP_GOOD, CAUSE_NONE, "200"},
    {"stream", KEY, "200 application/json", "{}", STEP_BAD, CAUSE_OTHER,
     "200 application/json"},
    {"stream", KEY, "401", "", STEP_BAD, CAUSE_AUTHORIZATION, "401"},
};

static void test_answers(void **state)
{
    struct arena *a = *state;
    struct fixed_server s = {0};
    clearenv(); /* no proxy of the developer's shell */
    fixed_server_start(&s);
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        check_row(a, &s, &rows[i]);
    fixed_server_stop(&s);
}

/* What the probes before have found out is used by those after. */
static void test_learned(void **state)
{
    struct arena *a = *state;
    struct fixed_server s = {0};
    fixed_server_start(&s);
    const char *origin = arena_printf(a, "http://127.0.0.1:%u", s.port).p;
    struct doctor d = {.arena = a, .url = str_c(origin), .origin = str_c(origin)};
    struct doctor_step step = {.probe = probe_named("server")};
    s.answer = whole_answer(
        a, &(struct row){.head = "200 application/json", .body = SERVER}, origin);
    step.probe->run(&d, &step);
    CHECK_STR("authorize", d.authorize_url, with_origin(a, STR("@/a"), origin));
    CHECK_STR("token", d.token_url, with_origin(a, STR("@/t"), origin));
    CHECK_STR("register", d.register_url, with_origin(a, STR("@/r"), origin));
    step.probe = probe_named("claude");
    s.answer = whole_answer(a, &(struct row){.head = "401|" CHALLENGE}, origin);
    step.probe->run(&d, &step);
    CHECK_STR("metadata", d.metadata_url, "https://x/y");
    CHECK("sign-in", !d.open);
    fixed_server_stop(&s);
}

/* Whether plain http is redirected is asked only where it has its usual port. */
static void test_https_with_port(void **state)
{
    struct doctor d = {
        .arena = *state, .origin = STR("https://127.0.0.1:1"), .path = STR("/mcp")};
    struct doctor_step step = {.probe = probe_named("plain_http")};
    step.probe->run(&d, &step);
    CHECK_INT("port", step.status, STEP_SKIPPED);
    CHECK_STR("port", step.got, "the URL names a port");
}

/* No server, or one that hangs up: only the former makes all else pointless. */
static void test_unreachable(void **state)
{
    struct arena *a = *state;
    struct fixed_server s = {0};
    fixed_server_start(&s);
    str url = arena_printf(a, "http://127.0.0.1:%u/mcp", s.port);
    struct doctor d = {.arena = a, .url = url, .origin = url, .path = STR("/mcp")};
    struct doctor_step step = {.probe = probe_named("claude")};
    step.probe->run(&d, &step);
    CHECK_INT("hangs up", step.cause, CAUSE_OTHER);
    CHECK("hangs up", !d.unreachable);
    fixed_server_stop(&s);
    step.probe->run(&d, &step);
    CHECK_INT("no server", step.cause, CAUSE_CONNECT);
    CHECK("no server", d.unreachable);
}

/* Each cause has a name of its own and says why; and no probe needs one that does not. */
static void test_remedies(void **state)
{
    (void)state;
    for (int i = CAUSE_DNS; i <= CAUSE_OTHER; i++) {
        const struct doctor_remedy *r = &doctor_remedies[i];
        assert_non_null(r->id);
        CHECK(r->id, strlen(r->why) > 10 && r->why[strlen(r->why) - 1] != '\n');
        CHECK(r->id, (r->caddy == NULL) == (r->nginx == NULL));
        for (int k = CAUSE_NONE; k < i; k++)
            CHECK(r->id, strcmp(r->id, doctor_remedies[k].id) != 0);
    }
    for (const struct doctor_probe *p = doctor_probes; p->id != NULL; p++) {
        CHECK(p->id, p->missing > CAUSE_NONE && p->missing <= CAUSE_OTHER);
        CHECK(p->id, p->run != NULL && p->title[0] != '\0' && p->expected[0] != '\0');
    }
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_answers),         ARENA_TEST(test_learned),
        ARENA_TEST(test_https_with_port), ARENA_TEST(test_unreachable),
        cmocka_unit_test(test_remedies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
