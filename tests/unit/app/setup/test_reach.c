#include "app/setup/reach.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/fs.h"
#include "check.h"
#include "settings_of_argv.h"
#include "state/store.h"
#include "tree.h"

enum { ARGS_MAX = 8 };

static void read_args(struct arena *a, const char *const args[ARGS_MAX],
                      struct settings *s)
{
    struct option_list words;
    struct err err = {0};
    char *argv[ARGS_MAX + 2] = {(char *)arena_str(a, STR("vaultd")).p};
    int argc = 1;
    for (; argc <= ARGS_MAX && args[argc - 1] != NULL; argc++)
        argv[argc] = (char *)arena_str(a, str_c(args[argc - 1])).p;
    if (!settings_of_argv(a, argc, argv, s, &words, &err))
        fail_msg("%s", err.msg);
}

#define USER "--auth-users=a:$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy"

enum outcome { OPEN, SIGN_IN, REFUSED };

/* What the store has. */
enum content { NOTHING, GIVEN /* and revoked */, KEYS, UNKNOWN };
static const struct reach_content contents[] = {
    [NOTHING] = {0},
    [GIVEN] = {.given = true},
    [KEYS] = {.given = true, .keys = true},
    [UNKNOWN] = {.unknown = true},
};

#define LAN_PROFILE "--profile=obsidian-vault-mcp"

/* Every way in which others may reach the server, and what follows from it. */
static void test_decision(void **state)
{
    static const struct {
        const char *name, *args[ARGS_MAX];
        enum content content;
        enum outcome outcome;
    } cases[] = {
        {"the default", {0}, NOTHING, OPEN},
        {"loopback", {"--listen-addr=127.0.0.1:80"}, NOTHING, OPEN},
        {"IPv6 loopback", {"--listen-addr=[::1]:80"}, NOTHING, OPEN},
        {"a unix socket alone", {"--listen-addr=unix:/run/v.sock"}, NOTHING, OPEN},
        {"a local URL", {"--server-url=http://localhost:8090"}, NOTHING, OPEN},
        {"a local IPv6 URL", {"--server-url=http://[::1]:8090/x"}, NOTHING, OPEN},
        {"a local allowed host", {"--allowed-hosts=localhost"}, NOTHING, OPEN},

        {"every address", {"--listen-addr=:80"}, NOTHING, REFUSED},
        {"every IPv4 address", {"--listen-addr=0.0.0.0:80"}, NOTHING, REFUSED},
        {"every IPv6 address", {"--listen-addr=[::]:80"}, NOTHING, REFUSED},
        {"one address", {"--listen-addr=192.0.2.1:80", "--auth=auto"}, NOTHING, REFUSED},
        {"a public URL", {"--server-url=https://v.example"}, NOTHING, REFUSED},
        {"a URL like loopback",
         {"--server-url=https://localhost.evil"},
         NOTHING,
         REFUSED},
        {"a URL with user", {"--server-url=https://127.0.0.1@evil"}, NOTHING, REFUSED},
        {"a public URL, a unix socket",
         {"--listen-addr=unix:/run/v.sock", "--server-url=https://v.example"},
         NOTHING,
         REFUSED},
        {"an allowed host", {"--allowed-hosts=localhost,nas"}, NOTHING, REFUSED},
        {"a trusted proxy", {"--trusted-proxies=127.0.0.1"}, NOTHING, REFUSED},
        {"a lost state folder",
         {"--server-url=https://v.example", "--state-dir=/nonexistent"},
         NOTHING,
         REFUSED},
        {"in memory",
         {"--server-url=https://v.example", "--state=memory"},
         NOTHING,
         REFUSED},

        {"earlier access", {0}, GIVEN, SIGN_IN},
        {"earlier access, a unix socket", {"--listen-addr=unix:/v.sock"}, GIVEN, SIGN_IN},
        {"earlier access, a public URL",
         {"--server-url=https://v.example"},
         GIVEN,
         SIGN_IN},
        {"earlier access, every address", {"--listen-addr=:80"}, GIVEN, SIGN_IN},
        {"earlier access that is not used", {"--state=memory"}, GIVEN, REFUSED},
        {"a user", {USER}, NOTHING, SIGN_IN},
        {"a user, every address", {USER, "--listen-addr=:80"}, NOTHING, SIGN_IN},
        {"a user, in memory", {USER, "--state=memory"}, GIVEN, SIGN_IN},
        {"required", {"--auth=required"}, NOTHING, SIGN_IN},
        {"required, every address",
         {"--auth=required", "--listen-addr=:80"},
         NOTHING,
         SIGN_IN},

        {"none", {"--auth=none", "--listen-addr=:80"}, GIVEN, OPEN},
        {"none, a public URL",
         {"--auth=none", "--server-url=https://v.e"},
         NOTHING,
         OPEN},
        {"stdio", {"--stdio", "--server-url=https://v.example"}, NOTHING, OPEN},

        {"a key", {0}, KEYS, SIGN_IN},
        {"an unreadable store", {0}, UNKNOWN, SIGN_IN},
        {"hosted vaults", {"--vaults-dir=/v"}, NOTHING, SIGN_IN},
        {"shared state", {"--state-db=postgres://v@db/v"}, NOTHING, SIGN_IN},

        {"none, a user", {"--auth=none", USER}, NOTHING, REFUSED},
        {"none, a users file", {"--auth=none", "--auth-users-file=u"}, NOTHING, REFUSED},
        {"none, GitHub", {"--auth=none", "--github-client-id=i"}, NOTHING, REFUSED},
        {"none, clients", {"--auth=none", "--oauth-clients-file=c"}, NOTHING, REFUSED},
        {"none, hosted vaults", {"--auth=none", "--vaults-dir=/v"}, NOTHING, REFUSED},
        {"none, keys", {"--auth=none"}, KEYS, REFUSED},
        {"none, an unreadable store", {"--auth=none"}, UNKNOWN, OPEN},

        {"a profile without sign-in", {LAN_PROFILE}, NOTHING, OPEN}, /* S0-36 */
        {"it and a user", {LAN_PROFILE, USER}, NOTHING, REFUSED},
        {"it and a users file", {LAN_PROFILE, "--auth-users-file=u"}, NOTHING, REFUSED},
        {"it and hosted vaults", {LAN_PROFILE, "--vaults-dir=/v"}, NOTHING, REFUSED},
        {"it and keys", {LAN_PROFILE}, KEYS, REFUSED},
        {"it and earlier access", {LAN_PROFILE}, GIVEN, REFUSED},
        {"it and an unreadable store", {LAN_PROFILE}, UNKNOWN, REFUSED},
        {"it, earlier access, none", {LAN_PROFILE, "--auth=none"}, GIVEN, OPEN},
        {"it with sign-in", {LAN_PROFILE, "--auth=required", USER}, NOTHING, SIGN_IN},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct settings s;
        struct err err = {0};
        bool signs_in;
        read_args(*state, cases[i].args, &s);
        bool starts = reach_decide(&s, &contents[cases[i].content], &signs_in, &err);
        enum outcome outcome = !starts ? REFUSED : signs_in ? SIGN_IN : OPEN;
        CHECK_INT(cases[i].name, outcome, cases[i].outcome);
        if (outcome == REFUSED) {
            CHECK_INT(cases[i].name, err.code, ERR_INVALID);
            CHECK(err.msg, str_find(str_c(err.msg), STR("--")) != STR_NONE);
        }
    }
}

static void run_sql(struct store *s, const char *q, const struct store_value *v, size_t n)
{
    struct err err = {0};
    if (!store_run(s, q, v, n, NULL, &err))
        fail_msg("%s", err.msg);
}

static struct reach_content look(const struct settings *s)
{
    struct reach_content c;
    reach_look(s, &c);
    return c;
}

/* The content decides, not the file; looking creates nothing. */
static void test_content(void **state)
{
    char name[] = "/tmp/vaultd-reach-XXXXXX";
    struct settings s = {.state_dir = arena_str(*state, str_c(mkdtemp(name)))};
    const char *path = reach_database(*state, &s).p;
    struct store *store;
    struct err err = {0};
    struct reach_content c = look(&s);
    CHECK("no file", !c.given && !c.keys && !c.unknown);
    CHECK("none was made", access(path, F_OK) != 0);
    assert_true(store_open(path, &store, &err));
    c = look(&s);
    CHECK("empty", !c.given && !c.keys && !c.unknown);
    run_sql(store,
            "INSERT INTO keys(hash, name, scopes, folders, created, used) "
            "VALUES(?, ?, ?, ?, ?, 0)",
            STORE_ARGS(STORE_B("h", 1), STORE_S(STR("robot")), STORE_N(1),
                       STORE_S(STR("")), STORE_N(1)));
    run_sql(store, SQL_FACT_PUT,
            STORE_ARGS(STORE_S(STR("access")), STORE_S(STR("given"))));
    c = look(&s);
    CHECK("a key", c.given && c.keys);
    run_sql(store, "DELETE FROM keys WHERE name = ?", STORE_ARGS(STORE_S(STR("robot"))));
    c = look(&s);
    CHECK("revoked", c.given && !c.keys);
    store_close(store);
    remove_tree(AT_FDCWD, s.state_dir.p);
}

/* If it cannot be found out whether access was given, it was. */
static void test_unsure(void **state)
{
    struct settings s = {.state_dir = STR("/proc/self/fd/x\nnot/there")};
    CHECK("missing", !look(&s).unknown);
    char *long_name = arena_alloc(*state, 5001);
    memset(long_name, 'x', 5000);
    s.state_dir = (str){long_name, 5000};
    CHECK("unknown", look(&s).unknown);
}

static void test_bound(void **state)
{
    struct settings s = {0}, none = {.auth = AUTH_NONE};
    struct err err = {0};
    CHECK("local", reach_check_bound(&s, false, false, &err));
    CHECK("elsewhere, with sign-in", reach_check_bound(&s, true, true, &err));
    CHECK("elsewhere, allowed", reach_check_bound(&none, true, false, &err));
    CHECK("elsewhere", !reach_check_bound(&s, true, false, &err));
    CHECK_INT("why", err.code, ERR_INVALID);
    (void)state;
}

/* A proxy in front shows itself in the requests. */
static void test_requests(void **state)
{
    static const struct {
        const char *name, *value;
        bool open;
    } cases[] = {
        {"Host", "localhost:8090", true},
        {"Host", "127.0.0.1", true},
        {"Host", "[::1]:1", true},
        {"Accept", "*/*", true},
        {"Origin", "http://localhost:6274", true},
        {"Host", "vault.example", false},
        {"Host", "localhost.evil", false},
        {"Host", "127.0.0.1.evil:80", false},
        {"X-Forwarded-For", "203.0.113.7", false},
        {"x-forwarded-host", "vault.example", false},
        {"X-Forwarded-Proto", "https", false},
        {"Forwarded", "for=203.0.113.7", false},
        {"X-Real-IP", "203.0.113.7", false},
        {"Via", "1.1 proxy", false},
        {"CF-Connecting-IP", "203.0.113.7", false},
        {"Tailscale-User-Login", "ada", false},
    };
    struct settings s = {0}, none = {.auth = AUTH_NONE};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct http_header h = {str_c(cases[i].name), str_c(cases[i].value)};
        struct http_request r = {.peer_is_local = true, .headers = &h, .n_headers = 1};
        CHECK_INT(cases[i].value, reach_is_open_to(&s, &r), cases[i].open);
        CHECK(cases[i].value, reach_is_open_to(&none, &r));
        r.peer_is_local = false;
        CHECK(cases[i].value, !reach_is_open_to(&s, &r));
    }
    (void)state;
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_decision), ARENA_TEST(test_content),  ARENA_TEST(test_unsure),
        ARENA_TEST(test_bound),    ARENA_TEST(test_requests),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
