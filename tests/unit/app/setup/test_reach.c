#include "app/setup/reach.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fs.h"
#include "check.h"

enum { ARGS_MAX = 8 };

/* A state folder, with the database of grants or without. */
static str state_folder(struct arena *a, bool database)
{
    char name[] = "/tmp/vaultd-reach-XXXXXX";
    str folder = arena_str(a, str_c(mkdtemp(name)));
    if (database) {
        AUTO_CLOSE int fd = open(arena_printf(a, STR_FMT "/oauth.db", STR_ARG(folder)).p,
                                 O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
        assert_true(fd >= 0);
    }
    return folder;
}

static void remove_state(struct arena *a, str folder)
{
    unlink(arena_printf(a, STR_FMT "/oauth.db", STR_ARG(folder)).p);
    rmdir(folder.p);
}

static void read_args(struct arena *a, const char *const args[ARGS_MAX],
                      struct settings *s)
{
    struct option_list words;
    struct err err = {0};
    char *argv[ARGS_MAX + 2] = {(char *)arena_str(a, STR("vaultd")).p};
    int argc = 1;
    for (; argc <= ARGS_MAX && args[argc - 1] != NULL; argc++)
        argv[argc] = (char *)arena_str(a, str_c(args[argc - 1])).p;
    if (!settings_read(a, argc, argv, s, &words, &err))
        fail_msg("%s", err.msg);
}

#define USER "--auth-users=a:$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy"

enum outcome { OPEN, SIGN_IN, REFUSED };

/* Every way in which others may reach the server, and what follows from it. */
static void test_decision(void **state)
{
    static const struct {
        const char *name, *args[ARGS_MAX];
        bool database;
        enum outcome outcome;
    } cases[] = {
        {"the default", {0}, false, OPEN},
        {"loopback", {"--listen-addr=127.0.0.1:80"}, false, OPEN},
        {"IPv6 loopback", {"--listen-addr=[::1]:80"}, false, OPEN},
        {"a unix socket alone", {"--listen-addr=unix:/run/v.sock"}, false, OPEN},
        {"a local URL", {"--server-url=http://localhost:8090"}, false, OPEN},
        {"a local IPv6 URL", {"--server-url=http://[::1]:8090/x"}, false, OPEN},
        {"a local allowed host", {"--allowed-hosts=localhost"}, false, OPEN},

        {"every address", {"--listen-addr=:80"}, false, REFUSED},
        {"every IPv4 address", {"--listen-addr=0.0.0.0:80"}, false, REFUSED},
        {"every IPv6 address", {"--listen-addr=[::]:80"}, false, REFUSED},
        {"one address", {"--listen-addr=192.0.2.1:80", "--auth=auto"}, false, REFUSED},
        {"a public URL", {"--server-url=https://v.example"}, false, REFUSED},
        {"a URL like loopback", {"--server-url=https://localhost.evil"}, false, REFUSED},
        {"a URL with user", {"--server-url=https://127.0.0.1@evil"}, false, REFUSED},
        {"a public URL, a unix socket",
         {"--listen-addr=unix:/run/v.sock", "--server-url=https://v.example"},
         false,
         REFUSED},
        {"an allowed host", {"--allowed-hosts=localhost,nas"}, false, REFUSED},
        {"a trusted proxy", {"--trusted-proxies=127.0.0.1"}, false, REFUSED},
        {"a lost state folder",
         {"--server-url=https://v.example", "--state-dir=/nonexistent"},
         false,
         REFUSED},
        {"in memory",
         {"--server-url=https://v.example", "--state=memory"},
         false,
         REFUSED},

        {"a database", {0}, true, SIGN_IN},
        {"a database, a unix socket", {"--listen-addr=unix:/v.sock"}, true, SIGN_IN},
        {"a database, a public URL", {"--server-url=https://v.example"}, true, SIGN_IN},
        {"a database, every address", {"--listen-addr=:80"}, true, SIGN_IN},
        {"a database that is not used", {"--state=memory"}, true, REFUSED},
        {"a user", {USER}, false, SIGN_IN},
        {"a user, every address", {USER, "--listen-addr=:80"}, false, SIGN_IN},
        {"a user, in memory", {USER, "--state=memory"}, true, SIGN_IN},
        {"required", {"--auth=required"}, false, SIGN_IN},
        {"required, every address",
         {"--auth=required", "--listen-addr=:80"},
         false,
         SIGN_IN},

        {"none", {"--auth=none", "--listen-addr=:80"}, true, OPEN},
        {"none, a public URL", {"--auth=none", "--server-url=https://v.e"}, false, OPEN},
        {"stdio", {"--stdio", "--server-url=https://v.example"}, false, OPEN},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct settings s;
        struct err err = {0};
        read_args(*state, cases[i].args, &s);
        str folder = state_folder(*state, cases[i].database);
        if (s.state_dir.n == 0)
            s.state_dir = folder;
        bool starts = reach_check(&s, &err);
        enum outcome outcome = !starts ? REFUSED : reach_signs_in(&s) ? SIGN_IN : OPEN;
        remove_state(*state, folder);
        CHECK_INT(cases[i].name, outcome, cases[i].outcome);
        if (outcome == REFUSED) {
            CHECK_INT(cases[i].name, err.code, ERR_INVALID);
            CHECK(err.msg, str_find(str_c(err.msg), STR("--auth none")) != STR_NONE);
            CHECK(err.msg,
                  str_find(str_c(err.msg), STR("--auth-users-file")) != STR_NONE);
        }
    }
}

/* If it cannot be found out whether there are grants, there are. */
static void test_unsure(void **state)
{
    struct settings s = {.state_dir = STR("/proc/self/fd/x\nnot/there")};
    CHECK("missing", !reach_has_database(&s));
    char *long_name = arena_alloc(*state, 5001);
    memset(long_name, 'x', 5000);
    s.state_dir = (str){long_name, 5000};
    CHECK("unknown", reach_has_database(&s));
    CHECK("so clients sign in", reach_signs_in(&s));
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_decision),
        ARENA_TEST(test_unsure),
        ARENA_TEST(test_bound),
        ARENA_TEST(test_requests),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
