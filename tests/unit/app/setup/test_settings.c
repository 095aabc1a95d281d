#include "app/setup/settings.h"

#include "app/setup/reach.h"

#include "check.h"
#include "settings_of_argv.h"

static const char *const variables[] = {
    "VAULT_PATH",
    "OBSIDIAN_VAULT_PATH",
    "LISTEN_ADDR",
    "PORT",
    "SERVER_URL",
    "ALLOWED_HOSTS",
    "ALLOWED_ORIGINS",
    "AUTH",
    "STATE_DIR",
    "READ_LINES",
    "MAX_CONNECTIONS",
    "LOG_LEVEL",
    "LOG_FORMAT",
    "VAULTS",
    "VAULTD_TOOLS",
    "AUTH_USERS",
    "GITHUB_CLIENT_SECRET",
    "OIDC_CLIENT_SECRET",
    "OIDC_ISSUER",
};

enum { ARGS_MAX = 8 };

/* A command line and an environment, both as literal lists. */
struct input {
    const char *args[ARGS_MAX];
    const char *env[4]; /* "PORT=1" */
};

static bool read_settings(struct arena *a, const struct input *in, struct settings *s,
                          struct option_list *words, struct err *err)
{
    for (size_t i = 0; i < COUNT_OF(variables); i++)
        unsetenv(variables[i]);
    for (size_t i = 0; i < COUNT_OF(in->env) && in->env[i] != NULL; i++) {
        str value = str_c(in->env[i]), name;
        str_next(&value, '=', &name);
        setenv(arena_str(a, name).p, value.p, 1);
    }
    char *argv[ARGS_MAX + 2] = {(char *)arena_str(a, STR("vaultd")).p};
    int argc = 1;
    for (; argc <= ARGS_MAX && in->args[argc - 1] != NULL; argc++)
        argv[argc] = (char *)arena_str(a, str_c(in->args[argc - 1])).p;
    memset(s, 0xAA, sizeof(*s)); /* everything must be set */
    *err = (struct err){0};
    return settings_of_argv(a, argc, argv, s, words, err);
}

static str joined(struct arena *a, const struct option_list *list)
{
    struct sbuf b = SBUF_ON(a);
    for (size_t i = 0; i < list->n; i++)
        sbuf_printf(&b, "%s" STR_FMT, i > 0 ? "," : "", STR_ARG(list->items[i]));
    return sbuf_str(&b);
}

static void test_defaults(void **state)
{
    struct settings s;
    struct option_list words;
    struct err err;
    if (!read_settings(*state, &(struct input){0}, &s, &words, &err))
        fail_msg("%s", err.msg);
    CHECK_STR("vault", s.vault_path, "");
    CHECK("stdio", !s.stdio && !s.help && !s.version);
    CHECK_STR("address", s.listen_addr, "127.0.0.1:8090");
    CHECK_STR("url", s.server_url, "");
    CHECK_INT("lists", s.allowed_hosts.n + s.allowed_origins.n + words.n, 0);
    CHECK_INT("vaults", s.vaults.n, 0);
    CHECK_STR("tools", joined(*state, &s.tools), "default");
    CHECK_INT("auth", s.auth, AUTH_AUTO);
    CHECK_STR("state", s.state_dir, "");
    CHECK_INT("lines", s.read_lines, 200);
    CHECK_INT("connections", s.max_connections, 1024);
    CHECK_INT("level", s.log_level, LOG_INFO);
    CHECK_INT("format", s.log_format, LOG_TEXT);
}

static void test_given(void **state)
{
    static const struct input inputs[] = {
        {.args = {"--vault-path=/v", "--listen-addr=[::1]:1", "--server-url=https://x",
                  "--allowed-hosts=a,b", "--read-lines=7", "--max-connections=9",
                  "--log-level=error", "--log-format=json"}},
        {.args = {"--server-url=https://x", "--allowed-hosts=a", "--allowed-hosts=b",
                  "--max-connections=9", "--log-level=error", "--log-format=json",
                  "--read-lines=7"},
         .env = {"OBSIDIAN_VAULT_PATH=/v", "LISTEN_ADDR=[::1]:1", "READ_LINES=8"}},
    };
    for (size_t i = 0; i < COUNT_OF(inputs); i++) {
        struct settings s;
        struct option_list words;
        struct err err;
        if (!read_settings(*state, &inputs[i], &s, &words, &err))
            fail_msg("%s", err.msg);
        CHECK_STR("vault", s.vault_path, "/v");
        CHECK_STR("address", s.listen_addr, "[::1]:1");
        CHECK_STR("url", s.server_url, "https://x");
        CHECK_STR("hosts", joined(*state, &s.allowed_hosts), "a,b");
        CHECK_INT("lines", s.read_lines, 7);
        CHECK_INT("connections", s.max_connections, 9);
        CHECK_INT("level", s.log_level, LOG_ERROR);
        CHECK_INT("format", s.log_format, LOG_JSON);
    }
}

static void test_environment(void **state)
{
    struct settings s;
    struct option_list words;
    struct err err;
    assert_true(read_settings(
        *state,
        &(struct input){.env = {"AUTH=none", "STATE_DIR=/s",
                                "ALLOWED_ORIGINS=http://a, b", "MAX_CONNECTIONS=5"}},
        &s, &words, &err));
    CHECK_INT("auth", s.auth, AUTH_NONE);
    CHECK_STR("state", s.state_dir, "/s");
    CHECK_STR("origins", joined(*state, &s.allowed_origins), "http://a,b");
    CHECK_INT("connections", s.max_connections, 5);
    assert_true(
        read_settings(*state,
                      &(struct input){.env = {"LOG_LEVEL=debug", "LOG_FORMAT=json",
                                              "SERVER_URL=http://y", "ALLOWED_HOSTS=h"}},
                      &s, &words, &err));
    CHECK_INT("level", s.log_level, LOG_DEBUG);
    CHECK_INT("format", s.log_format, LOG_JSON);
    CHECK_STR("url", s.server_url, "http://y");
    CHECK_STR("hosts", joined(*state, &s.allowed_hosts), "h");
}

/* Also with the path of the endpoint, as every other place wants it. */
static void test_server_url(void **state)
{
    static const char *const urls[][2] = {
        {"--server-url=https://x", "https://x"},
        {"--server-url=https://x/", "https://x"},
        {"--server-url=https://x/mcp", "https://x"},
        {"--server-url=https://x:1/mcp/", "https://x:1"},
        {"--server-url=https://x/mcpx", "https://x/mcpx"},
        {"--server-url=http://mcp", "http://mcp"},
    };
    for (size_t i = 0; i < COUNT_OF(urls); i++) {
        struct settings s;
        struct option_list words;
        struct err err;
        struct input in = {.args = {urls[i][0]}};
        if (!read_settings(*state, &in, &s, &words, &err))
            fail_msg("%s: %s", urls[i][0], err.msg);
        CHECK_STR(urls[i][0], s.server_url, urls[i][1]);
    }
}

/* Secrets are kept, and erased from the environment. */
static void test_secrets(void **state)
{
    struct settings s;
    struct option_list words;
    struct err err;
    assert_true(read_settings(
        *state,
        &(struct input){.args = {"--oidc-client-id=i", "--oidc-allowed=a,b"},
                        .env = {"AUTH_USERS=a:b", "GITHUB_CLIENT_SECRET=g",
                                "OIDC_CLIENT_SECRET=o", "OIDC_ISSUER=https://id"}},
        &s, &words, &err));
    CHECK_STR("users", s.auth_users, "a:b");
    CHECK_STR("GitHub", s.github_client_secret, "g");
    CHECK_STR("OpenID", s.oidc_client_secret, "o");
    CHECK_STR("claim", s.oidc_claim, "email");
    CHECK_STR("allowed", joined(*state, &s.oidc_allowed), "a,b");
    bool signs_in = false;
    CHECK("starts", reach_decide(&s, &(struct reach_content){0}, &signs_in, &err));
    CHECK("sign-in", signs_in);
    CHECK("gone", getenv("AUTH_USERS") == NULL &&
                      getenv("GITHUB_CLIENT_SECRET") == NULL &&
                      getenv("OIDC_CLIENT_SECRET") == NULL);
}

/* Where to listen: an address, or only the port. */
static void test_address(void **state)
{
    static const struct {
        const char *name;
        struct input in;
        const char *address;
    } cases[] = {
        {"PORT", {.env = {"PORT=1234"}}, "127.0.0.1:1234"},
        {"--port", {.args = {"--port", "1234"}}, "127.0.0.1:1234"},
        {"any free port", {.args = {"--port=0"}}, "127.0.0.1:0"},
        {"highest port", {.env = {"PORT=65535"}}, "127.0.0.1:65535"},
        {"flag over PORT", {.args = {"--port=1"}, .env = {"PORT=2"}}, "127.0.0.1:1"},
        {"empty PORT", {.env = {"PORT="}}, "127.0.0.1:8090"},
        {"LISTEN_ADDR", {.env = {"LISTEN_ADDR=127.0.0.2:9"}}, "127.0.0.2:9"},
        {"both agree", {.env = {"LISTEN_ADDR=[::1]:99", "PORT=99"}}, "[::1]:99"},
        {"a flag replaces the port of LISTEN_ADDR",
         {.args = {"--port=9"}, .env = {"LISTEN_ADDR=[::1]:99"}},
         "[::1]:9"},
        {"a flag replaces PORT",
         {.args = {"--listen-addr=[::1]:9"}, .env = {"PORT=8"}},
         "[::1]:9"},
        {"localhost", {.env = {"LISTEN_ADDR=localhost:99"}}, "localhost:99"},
        {"socket", {.env = {"LISTEN_ADDR=unix:/run/v.sock"}}, "unix:/run/v.sock"},
        {"everywhere", {.args = {"--listen-addr=:80", "--auth=none"}}, ":80"},
        {"everywhere by variable",
         {.env = {"LISTEN_ADDR=0.0.0.0:80", "AUTH=none"}},
         "0.0.0.0:80"},
        {"everywhere, with users", {.env = {"LISTEN_ADDR=:80", "AUTH_USERS=a:b"}}, ":80"},
        {"everywhere, with a token only",
         {.args = {"--listen-addr=:80", "--auth=required"}},
         ":80"},
        {"stdio listens nowhere",
         {.args = {"--stdio", "--listen-addr=0.0.0.0:80"}},
         "0.0.0.0:80"},
        {"stdio needs no address at all",
         {.args = {"--stdio"}, .env = {"LISTEN_ADDR=nonsense"}},
         "nonsense"},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct settings s;
        struct option_list words;
        struct err err;
        if (!read_settings(*state, &cases[i].in, &s, &words, &err))
            fail_msg("%s: %s", cases[i].name, err.msg);
        CHECK_STR(cases[i].name, s.listen_addr, cases[i].address);
    }
}

static void test_refused(void **state)
{
    static const struct {
        struct input in;
        const char *msg;
    } cases[] = {
        {{.env = {"PORT=x"}}, "PORT: 'x' is not a whole number from 0 to 65535"},
        {{.env = {"PORT=65536"}}, "PORT: '65536' is not a whole number from 0 to 65535"},
        {{.args = {"--port=-1"}}, "--port: '-1' is not a whole number from 0 to 65535"},
        {{.args = {"--read-lines=0"}},
         "--read-lines: '0' is not a whole number from 1 to 1000000"},
        {{.env = {"READ_LINES=many"}},
         "READ_LINES: 'many' is not a whole number from 1 to 1000000"},
        {{.env = {"MAX_CONNECTIONS=0"}},
         "MAX_CONNECTIONS: '0' is not a whole number from 1 to 1000000"},
        {{.args = {"--log-level=loud"}},
         "--log-level: 'loud' is not one of debug, info, warn, error"},
        {{.env = {"LOG_FORMAT=xml"}}, "LOG_FORMAT: 'xml' is not one of text, json"},
        {{.args = {"--auth=off"}}, "--auth: 'off' is not one of auto, none, required"},
        {{.args = {"--stdio=maybe"}},
         "--stdio: 'maybe' is not on or off (1/0, true/false, yes/no)"},
        {{.args = {"--vault-path"}}, "--vault-path needs a value: --vault-path=FOLDER"},
        {{.args = {"--valt-path=/v"}},
         "unknown option '--valt-path'; did you mean '--vault-path'?"},
        {{.env = {"VAULT_PATH=/a", "OBSIDIAN_VAULT_PATH=/b"}},
         "VAULT_PATH and OBSIDIAN_VAULT_PATH contradict each other: set one of them"},

        {{.args = {"--oidc-issuer=https://id"}}, "oidc-issuer needs --oidc-client-id"},
        {{.args = {"--rate-address=119"}},
         "rate-address must be 0 or at least 120: many users share the addresses of "
         "claude.ai"},
        {{.env = {"LISTEN_ADDR=127.0.0.1:99", "PORT=98"}},
         "listen-addr '127.0.0.1:99' and port 98 contradict each other: give only one of "
         "them"},
        {{.args = {"--port=9", "--listen-addr=127.0.0.1:99"}},
         "listen-addr '127.0.0.1:99' and port 9 contradict each other: give only one of "
         "them"},
        {{.args = {"--listen-addr=unix:/v.sock", "--port=9"}},
         "listen-addr 'unix:/v.sock' and port 9 contradict each other: give only one of "
         "them"},

        {{.args = {"--listen-addr=127.0.0.1"}},
         "listen-addr: address '127.0.0.1' needs a port from 0 to 65535"},
        {{.args = {"--listen-addr=127.0.0.1:65536"}},
         "listen-addr: address '127.0.0.1:65536' needs a port from 0 to 65535"},
        {{.args = {"--listen-addr=example.org:80"}},
         "listen-addr: address 'example.org:80' is not host:port, :port, [v6]:port or "
         "unix:/path"},
        {{.args = {"--listen-addr=::1:80"}},
         "listen-addr: address '::1:80' is not host:port, :port, [v6]:port or "
         "unix:/path"},
        {{.args = {"--listen-addr=unix:"}},
         "listen-addr: a unix socket needs a path of 1 to 107 bytes"},
        {{.args = {"--listen-addr="}},
         "listen-addr: address '' needs a port from 0 to 65535"},

        {{.args = {"--server-url=example.org"}},
         "server-url must begin with https:// or http://, not 'example.org'"},
        {{.env = {"SERVER_URL=ftp://x"}},
         "server-url must begin with https:// or http://, not 'ftp://x'"},
        {{.args = {"--stdio"}, .env = {"SERVER_URL=x"}},
         "server-url must begin with https:// or http://, not 'x'"},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct settings s;
        struct option_list words;
        struct err err;
        CHECK(cases[i].msg, !read_settings(*state, &cases[i].in, &s, &words, &err));
        CHECK_INT(cases[i].msg, err.code, ERR_INVALID);
        CHECK_STR(cases[i].msg, str_c(err.msg), cases[i].msg);
    }
}

/* Help is shown even with settings that contradict each other. */
static void test_help_first(void **state)
{
    static const struct input cases[] = {
        {.args = {"--help", "--listen-addr=nonsense"}},
        {.args = {"-h"}, .env = {"LISTEN_ADDR=0.0.0.0:80"}},
        {.args = {"serve", "--version", "--server-url=x"}},
        {.args = {"-V"}, .env = {"LISTEN_ADDR=127.0.0.1:1", "PORT=2"}},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct settings s;
        struct option_list words;
        struct err err;
        if (!read_settings(*state, &cases[i], &s, &words, &err))
            fail_msg("%s: %s", cases[i].args[0], err.msg);
        CHECK_INT(cases[i].args[0], s.help, i < 2);
        CHECK_INT(cases[i].args[0], s.version, i >= 2);
    }
}

static void test_words(void **state)
{
    struct settings s;
    struct option_list words;
    struct err err;
    assert_true(read_settings(
        *state, &(struct input){.args = {"serve", "--stdio", "/my vault", "--", "--x"}},
        &s, &words, &err));
    CHECK_STR("words", joined(*state, &words), "serve,/my vault,--x");
    CHECK("stdio", s.stdio);
}

/* Every row explains itself, and no flag, variable or letter occurs twice. */
static void test_table(void **state)
{
    (void)state;
    for (const struct option *o = settings_table; o->flag != NULL; o++) {
        CHECK(o->flag, o->about != NULL && o->about[0] != '\0');
        CHECK(o->flag, o->type == OPTION_SWITCH || o->value != NULL);
        for (const struct option *other = o + 1; other->flag != NULL; other++) {
            CHECK(o->flag, strcmp(o->flag, other->flag) != 0);
            CHECK(o->flag, o->env == NULL || other->env == NULL ||
                               strcmp(o->env, other->env) != 0);
            CHECK(o->flag, o->letter == 0 || o->letter != other->letter);
        }
    }
}

/* Repeating a flag is the same as giving it a list; flags win over the environment. */
static void test_vaults_and_tools(void **state)
{
    static const struct {
        struct input in;
        const char *vaults, *tools;
    } cases[] = {
        {{.args = {"--vault", "a=/x", "--vault=b=/y z"}}, "a=/x,b=/y z", "default"},
        {{.env = {"VAULTS=a=/x, b=/y", "VAULTD_TOOLS=chatgpt"}}, "a=/x,b=/y", "chatgpt"},
        {{.args = {"--vault=c=/z", "--tools", "default,chatgpt"},
          .env = {"VAULTS=a=/x", "VAULTD_TOOLS=chatgpt"}},
         "c=/z",
         "default,chatgpt"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct settings s;
        struct option_list words;
        struct err err;
        if (!read_settings(*state, &cases[i].in, &s, &words, &err))
            fail_msg("%s: %s", cases[i].vaults, err.msg);
        CHECK_STR(cases[i].vaults, joined(*state, &s.vaults), cases[i].vaults);
        CHECK_STR(cases[i].vaults, joined(*state, &s.tools), cases[i].tools);
    }
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_defaults),
        ARENA_TEST(test_given),
        ARENA_TEST(test_environment),
        ARENA_TEST(test_server_url),
        ARENA_TEST(test_secrets),
        ARENA_TEST(test_address),
        ARENA_TEST(test_refused),
        ARENA_TEST(test_help_first),
        ARENA_TEST(test_words),
        cmocka_unit_test(test_table),
        ARENA_TEST(test_vaults_and_tools),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
