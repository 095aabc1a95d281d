/*
 * The whole server on a socket in a folder, without a process: which requests reach what, who must sign in, what the
 * operators' socket says, and how signals are obeyed.
 */
#include "app/web/serve.h"

#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "app/web/auth.h"
#include "app/web/operator.h"
#include "app_place.h"
#include "oauth/grants.h"
#include "oauth/oauth.h"
#include "until.h"

enum { ANSWER_MAX = 1 << 20 };

struct server {
    struct place *place;
    struct settings settings;
    pthread_t thread;
    bool began, ok;
    struct err err;
    char main[sizeof(((struct sockaddr_un *)NULL)->sun_path)],
        ops[sizeof(((struct sockaddr_un *)NULL)->sun_path)];
};

static void *serve(void *arg)
{
    struct server *s = arg;
    s->ok = serve_run(&s->settings, &s->err);
    return NULL;
}

/* -1: nothing listens there yet. */
static int connect_to(const char *path)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    snprintf(at.sun_path, sizeof(at.sun_path), "%s", path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(fd, (struct sockaddr *)&at, sizeof(at)) == 0)
        return fd;
    close(fd);
    return -1;
}

static bool is_listening(const char *path)
{
    int fd = connect_to(path);
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

/* Status line, headers and body. */
static str exchange(struct arena *a, const char *socket, str request)
{
    struct sbuf b = SBUF_ON(a);
    char bytes[4096];
    int fd = connect_to(socket);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, request.p, request.n), request.n);
    for (ssize_t n; b.n < ANSWER_MAX && (n = read(fd, bytes, sizeof(bytes))) > 0;)
        sbuf_add(&b, (str){bytes, (size_t)n});
    close(fd);
    return sbuf_str(&b);
}

/* headers: lines that end with \r\n. */
static str ask(struct server *s, const char *socket, const char *line,
               const char *headers, const char *body)
{
    struct arena *a = &s->place->arena;
    str text = quoted(a, body);
    return exchange(a, socket,
                    arena_printf(a,
                                 "%s HTTP/1.1\r\nHost: localhost\r\nConnection: "
                                 "close\r\nContent-Length: %zu\r\n%s\r\n" STR_FMT,
                                 line, text.n, headers, STR_ARG(text)));
}

/* It has read the vault. */
static bool is_ready(struct server *s)
{
    return str_starts(ask(s, s->main, "GET /health", "", ""), STR("HTTP/1.1 200"));
}

static void begin(struct server *s, const char *flags)
{
    struct place *p = s->place;
    sigset_t ours;
    sigemptyset(&ours);
    sigaddset(&ours, SIGTERM);
    sigaddset(&ours, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &ours, NULL);
    app_place_clean_environment(p);
    snprintf(s->main, sizeof(s->main), "%s/main", p->top);
    snprintf(s->ops, sizeof(s->ops), "%s/" OPS_FOLDER "/%d" OPS_SUFFIX, p->state,
             getpid());
    s->settings = app_place_settings(
        p, arena_printf(&p->arena, "--listen-addr unix:@/main %s", flags).p);
    assert_int_equal(pthread_create(&s->thread, NULL, serve, s), 0);
    s->began = true;
    UNTIL(is_listening(s->main) && is_listening(s->ops));
    UNTIL(is_ready(s));
}

static void stop(struct server *s)
{
    s->began = false;
    kill(getpid(), SIGTERM);
    pthread_join(s->thread, NULL);
    prctl(PR_SET_DUMPABLE, 1, 0, 0, 0); /* LeakSanitizer looks at the process */
}

/* It ends well after SIGTERM. */
static void end(struct server *s)
{
    stop(s);
    if (!s->ok)
        fail_msg("%s", s->err.msg);
    CHECK("socket", !is_listening(s->main));
}

static int setup(void **state)
{
    struct server *s = mem_zero(sizeof(*s));
    void *place;
    place_setup(&place);
    s->place = place;
    *state = s;
    return 0;
}

/* A test that failed has left it. */
static int teardown(void **state)
{
    struct server *s = *state;
    void *place = s->place;
    if (s->began)
        stop(s);
    place_teardown(&place);
    free(s);
    return 0;
}

#define SERVER_TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

/* --- rows --- */

#define JSON                                                                             \
    "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
#define HTML "Accept: text/html\r\n"
#define STREAM "Accept: text/event-stream\r\n"
#define CALL(id, tool, arguments)                                                        \
    "{'jsonrpc':'2.0','id':" #id ",'method':'tools/call','params':{'name':'" tool        \
    "','arguments':{" arguments "},"                                                     \
    "'_meta':{'io.modelcontextprotocol/"                                                 \
    "protocolVersion':'2026-07-28','io.modelcontextprotocol/clientCapabilities':{},"     \
    "'io.modelcontextprotocol/clientInfo':{'name':'t','version':'1'}}}}"
#define MODERN(tool)                                                                     \
    JSON "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: " tool \
         "\r\n"

struct row {
    const char *line, *headers, *body;
    const char *status;
    const char *has, *lacks; /* parts of the answer, or NULL */
};

static void check_rows(struct server *s, const char *socket, const struct row *rows,
                       size_t n)
{
    size_t wrong = 0;
    for (size_t i = 0; i < n; i++) {
        const struct row *r = &rows[i];
        str got = ask(s, socket, r->line, r->headers, r->body);
        if (str_starts(str_skip(got, strlen("HTTP/1.1 ")), str_c(r->status)) &&
            (r->has == NULL || app_is_wanted(&s->place->arena, got, r->has)) &&
            (r->lacks == NULL || !app_is_wanted(&s->place->arena, got, r->lacks)))
            continue;
        print_error("row %zu, %s {%s}: want %s '%s' without '%s', got\n" STR_FMT "\n", i,
                    r->line, r->body, r->status, r->has != NULL ? r->has : "",
                    r->lacks != NULL ? r->lacks : "", STR_ARG(got));
        wrong++;
    }
    if (wrong > 0)
        fail_msg("%zu of %zu rows are wrong", wrong, n);
}

static void test_routes(void **state)
{
    static const struct row rows[] = {
        {"GET /health", "", "", "200", "~'status':'ok'", "vault"},
        {"POST /health", "", "", "405", "Allow: GET", NULL},
        {"POST /mcp", MODERN("vault_read"), CALL(1, "vault_read", "'path':'A.md'"), "200",
         "alpha", NULL},
        {"POST /mcp/", MODERN("vault_read"), CALL(1, "vault_read", "'path':'A.md'"),
         "200", "alpha", NULL},
        {"POST /", MODERN("vault_read"), CALL(1, "vault_read", "'path':'A.md'"), "200",
         "alpha", NULL},
        {"POST /mcp/x", JSON, "{}", "404", NULL, NULL},
        {"POST /mcp", JSON, "nonsense", "400", "-32700", NULL},
        {"PUT /mcp", JSON, "{}", "405", NULL, NULL},
        {"GET /", HTML, "", "200", "It is running.", NULL},
        {"GET /", "Accept: text/plain\r\n", "", "404", "~{'error':'not found'}", NULL},
        {"GET /", "", "", "404", NULL, "It is running."},
        {"GET /", STREAM, "", "40", NULL, "It is running."},
        {"GET /changes", HTML, "", "200", NULL, NULL},
        {"POST /changes",
         "Content-Type: application/x-www-form-urlencoded\r\nOrigin: "
         "http://localhost\r\n",
         "change=1&ticket=x", "403", "This page has expired", NULL},
        {"POST /changes",
         "Content-Type: application/x-www-form-urlencoded\r\nOrigin: "
         "http://evil.example\r\n",
         "change=1&ticket=x", "403", NULL, "expired"},
        {"GET /graph", HTML, "", "200", "<script", NULL},
        {"GET /graph/data?path=A.md&depth=1", "", "", "200", "A.md", NULL},
        {"GET /account", HTML, "", "404", NULL, NULL},
        {"GET /.well-known/oauth-protected-resource", "", "", "404", NULL, NULL},
        {"POST /webhook", "", "", "404", NULL, NULL},
        {"GET /nonsense", "", "", "404", NULL, NULL},
        {"GET /mcp", "X-Forwarded-For: 203.0.113.5\r\n", "", "403", NULL, NULL},
        {"POST /mcp", MODERN("vault_read") "X-Forwarded-For: 203.0.113.5\r\n",
         CALL(1, "vault_read", "'path':'A.md'"), "403", NULL, "alpha"},
        {"POST /mcp", MODERN("vault_read") "Origin: https://evil.example\r\n",
         CALL(1, "vault_read", "'path':'A.md'"), "403", NULL, "alpha"},
    };
    static const struct row of_operators[] = {
        {"GET /health", "", "", "200", "~'sign_in':false", NULL},
        {"GET /health", "", "", "200", "unix:", NULL},
        {"GET /metrics", "", "", "200", "vaultd_notes 1\n", "vaultd_sync_ahead"},
        {"GET /metrics", "", "", "200", "vaultd_vaults_ready 1\n", NULL},
        {"GET /mcp", "", "", "404", NULL, NULL},
    };
    struct server *s = *state;
    struct place *p = s->place;
    place_put(p, "A.md", STR("alpha\n"));
    begin(s, "");
    check_rows(s, s->main, rows, COUNT_OF(rows));
    check_rows(s, s->ops, of_operators, COUNT_OF(of_operators));
    end(s);
}

/* The text of a new key. */
static const char *add_key(struct server *s, const struct settings *settings,
                           const char *name, unsigned scopes)
{
    struct oauth *o;
    struct oauth_rights rights = rights_all(scopes);
    str key = {0};
    OK(auth_open_store(settings, &o, &err));
    OK(keys_add(o, &s->place->arena, str_c(name), &rights, &key, &err));
    oauth_free(o);
    return arena_printf(&s->place->arena, "Authorization: Bearer " STR_FMT "\r\n",
                        STR_ARG(key))
        .p;
}

static void test_sign_in(void **state)
{
    struct server *s = *state;
    struct place *p = s->place;
    place_put(p, "A.md", STR("alpha\n"));
    app_place_clean_environment(p);
    struct settings stored = app_place_settings(p, "");
    const char *read = add_key(s, &stored, "read", OAUTH_READ),
               *write = add_key(s, &stored, "write", OAUTH_MAY_WRITE);
    begin(s, "--server-url https://notes.example.com --allowed-hosts localhost");
    const char *reads = arena_printf(&p->arena, MODERN("vault_read") "%s", read).p;
    const char *no_writes = arena_printf(&p->arena, MODERN("vault_write") "%s", read).p;
    const char *writes = arena_printf(&p->arena, MODERN("vault_write") "%s", write).p;
    const struct row rows[] = {
        {"GET /health", "", "", "200", "~'status':'ok'", NULL},
        {"POST /mcp", MODERN("vault_read"), CALL(1, "vault_read", "'path':'A.md'"), "401",
         "resource_metadata=\"https://notes.example.com/.well-known/"
         "oauth-protected-resource",
         "alpha"},
        {"POST /", MODERN("vault_read"), CALL(1, "vault_read", "'path':'A.md'"), "401",
         NULL, "alpha"},
        {"POST /mcp", MODERN("vault_read") "Authorization: Bearer vk_wrong\r\n",
         CALL(1, "vault_read", "'path':'A.md'"), "401", "invalid_token", "alpha"},
        {"POST /mcp", reads, CALL(1, "vault_read", "'path':'A.md'"), "200", "alpha",
         NULL},
        {"POST /mcp", no_writes, CALL(2, "vault_write", "'path':'B.md','content':'b'"),
         "403", "insufficient_scope", NULL},
        {"POST /mcp", writes, CALL(3, "vault_write", "'path':'B.md','content':'b'"),
         "200", "B.md", NULL},
        {"GET /", HTML, "", "200", "Sign in", "1 note"},
        {"GET /changes", HTML, "", "403", "Sign-in is not set up", "alpha"},
        {"GET /graph/data?path=A.md", "", "", "401", NULL, "A.md"},
        {"GET /.well-known/oauth-protected-resource/mcp", "", "", "200",
         "~'resource':'https://notes.example.com/mcp'", NULL},
        {"GET /.well-known/oauth-authorization-server", "", "", "200",
         "~'issuer':'https://notes.example.com'", NULL},
        {"POST /webhook", "", "", "404", NULL, NULL},
    };
    check_rows(s, s->main, rows, COUNT_OF(rows));
    assert_true(place_has(p, "B.md"));
    end(s);
}

/* Whether this program gets a token with its secret. */
static bool is_known(struct server *s, const char *id)
{
    const char *form =
        arena_printf(&s->place->arena,
                     "grant_type=client_credentials&client_id=%s&client_secret=of-%s", id,
                     id)
            .p;
    str got = ask(s, s->main, "POST /token",
                  "Content-Type: application/x-www-form-urlencoded\r\n", form);
    bool known = str_starts(got, STR("HTTP/1.1 200"));
    if (!known && str_find(got, STR("invalid_client")) == STR_NONE)
        fail_msg("%s: " STR_FMT, id, STR_ARG(got));
    return known;
}

static void put_client(struct place *p, const char *id)
{
    place_put(
        p, "../clients",
        quoted(
            &p->arena,
            arena_printf(
                &p->arena,
                "[{'client_id':'%s','client_secret':'of-%s','token_endpoint_auth_method':"
                "'client_secret_post','grant_types':['client_credentials']}]",
                id, id)
                .p));
}

/* SIGHUP reads the clients again, and nothing else does. */
static void test_reload(void **state)
{
    struct server *s = *state;
    struct place *p = s->place;
    put_client(p, "ann");
    begin(s, "--server-url http://localhost --oauth-clients-file @/clients");
    assert_true(is_known(s, "ann") && !is_known(s, "ben"));
    put_client(p, "ben");
    assert_false(is_known(s, "ben"));
    kill(getpid(), SIGHUP);
    UNTIL(is_known(s, "ben"));
    assert_false(is_known(s, "ann"));
    end(s);
}

/* It does not begin to serve. */
static void test_refusals(void **state)
{
    static const struct {
        const char *flags, *why;
    } rows[] = {
        {"--listen-addr unix:@/main --server-url https://notes.example.com",
         "signing in"},
        {"--listen-addr 0.0.0.0:0", "signing in"},
        {"--listen-addr unix:@/none/main", "cannot listen"},
        {"--listen-addr unix:@/main --trusted-proxies nonsense --auth none", "nonsense"},
        {"--listen-addr 127.0.0.1:0 --auth required", "--server-url"},
        {"--listen-addr unix:@/main --server-url http://localhost --auth required "
         "--oauth-clients-file @/none",
         "oauth-clients-file: it cannot be opened"},
    };
    struct server *s = *state;
    struct place *p = s->place;
    app_place_clean_environment(p);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct settings settings = app_place_settings(p, rows[i].flags);
        struct err err = {0};
        CHECK(rows[i].flags, !serve_run(&settings, &err));
        prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
        if (strstr(err.msg, rows[i].why) == NULL)
            fail_msg("%s: %s (%s)", rows[i].flags, err.msg, err.detail);
    }
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        SERVER_TEST(test_routes),
        SERVER_TEST(test_sign_in),
        SERVER_TEST(test_reload),
        SERVER_TEST(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
