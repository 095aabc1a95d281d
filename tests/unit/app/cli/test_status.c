/* vaultd status: what the health of a server means to a person, and to the exit code. */
#include "app/cli/verbs.h"
#include "app_place.h"
#include "cli_place.h"
#include "fixed_server.h"

static const struct cli_verb *const verbs[] = {&cli_status, NULL};

#define SERVER                                                                           \
    "'version':'1.2','listening':'127.0.0.1:8090','pid':7,'connections':3,"              \
    "'sandbox':{'files':true,'ports':true,'system_calls':true}"
#define READY                                                                            \
    "'name':'notes','folder':'/v','index':{'ready':true},'notes':5,'attachments':2,"     \
    "'watching':'inotify'"

static const struct {
    const char *health; /* further members, in the form of quoted.h */
    int code;
    const char *out; /* part of it */
} rows[] = {
    {"'status':'ok','uptime_seconds':59", 0,
     "ok  vaultd 1.2 on 127.0.0.1:8090, process 7, for 59 s\nconnections 3\nsign-in     "
     "not required\nsandbox     "},
    {"'status':'degraded','uptime_seconds':60", 1,
     "degraded  vaultd 1.2 on 127.0.0.1:8090, process 7, for 1 min\n"},
    {"'status':'ok','uptime_seconds':7260", 0, ", for 2 h 1 min\n"},
    {"'status':'ok','uptime_seconds':180000", 0, ", for 2 d 2 h\n"},
    {"'status':'ok','vaults':[{" READY "}]", 0,
     "vault       notes (/v)\nindex       5 notes, 2 other files; changes by inotify\n"},
    {"'status':'ok','vaults':[{'name':'a','folder':'/"
     "a','index':{'ready':false,'done':3,'expected':9},'problem':'gone'}]",
     0, "vault       a (/a)\nproblem     gone\nindex       3 of 9 files read\n"},
    {"'status':'ok','vaults':[{" READY ",'blocked_by':'process 9','blocked_seconds':4}]",
     0, "changes     not possible for 4 s: process 9 has locked the vault;"},
    {"'status':'ok','vaults':[{" READY
     ",'sync':{'kind':'git','last_success':'2026-01-02T03:04:05Z'}}]",
     0, "sync        git, last success 2026-01-02 03:04\n"},
    {"'status':'degraded','vaults':[{" READY
     ",'sync':{'kind':'git','last_error':'refused'}}]",
     1, "sync        git, last success never\n            refused\n"},
    {"'status':'ok','hosted_vaults':40,'vaults':[{" READY "}]", 0,
     "hosted      40 vaults, 1 open\n"},
    {"'status':'ok','hosted_vaults':40", 0, "hosted      40 vaults, 0 open\n"},
    {"'status':'ok','clock_in_doubt':true", 0, "clock       in doubt: far ahead"},
    {"'status':'ok','sign_in':true,'sign_in_problem':'no users'", 0,
     "sign-in     required\n            no users\n"},
    {"'status':'ok','state_db':{'database':'postgres://h/d'}", 0,
     "state-db    postgres://h/d\n"},
    {"'status':'degraded','state_db':{'database':'postgres://h/d','away_seconds':61}", 1,
     "state-db    postgres://h/d has not answered for 1 min: sign-in fails; clients "
     "with a token are served for 5 minutes\n"},
    {"'status':'ok','memory_bytes':10485760", 0, "memory      10"},
};

static void test_rows(void **state)
{
    struct place *p = *state;
    struct fixed_server s = {0};
    app_place_clean_environment(p);
    fixed_server_start(&s);
    const char *words =
        arena_printf(&p->arena, "status --ops-addr 127.0.0.1:%u", s.port).p;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        str body = quoted(&p->arena,
                          arena_printf(&p->arena, "{" SERVER ",%s}", rows[i].health).p);
        s.answer =
            arena_printf(&p->arena, "HTTP/1.1 200 OK\r\n\r\n" STR_FMT, STR_ARG(body)).p;
        struct cli_row row = {words, .code = rows[i].code, .out = rows[i].out};
        cli_check_rows(&(struct cli_place){p, verbs, NULL}, &row, 1);
    }
    s.answer = "HTTP/1.1 200 OK\r\n\r\n<p>hello";
    struct cli_row other = {words, .code = 2, .err = "is not vaultd"};
    cli_check_rows(&(struct cli_place){p, verbs, NULL}, &other, 1);
    fixed_server_stop(&s);
}

static void test_none(void **state)
{
    struct place *p = *state;
    static const struct cli_row none[] = {
        {"status --state-dir @/state", .code = 1, .out = "No server is running"},
        {"status --state-dir @/state --json", .code = 1, .out = "=~{'servers':[]}\n"},
        {"status --ops-addr unix:@/none", .code = 1, .out = "No server is running"},
        {"status --ops-addr nonsense", .code = 2, .err = "vaultd: "},
    };
    app_place_clean_environment(p);
    cli_check_rows(&(struct cli_place){p, verbs, NULL}, none, COUNT_OF(none));
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        PLACE_TEST(test_rows),
        PLACE_TEST(test_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
