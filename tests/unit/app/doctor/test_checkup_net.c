/* vaultd doctor on the address, the proxy and the clock: what depends on another program or on files of the state folder. */
#include "app/doctor/checkup_parts.h"

#include <time.h>

#include "app_place.h"
#include "base/clock.h"
#include "base/monotonic_date.h"
#include "fixed_server.h"

static struct checkup *run_check(struct place *p, check_fn *check, const char *flags)
{
    struct settings *settings = ARENA_NEW(&p->arena, struct settings);
    struct checkup *c = ARENA_NEW(&p->arena, struct checkup);
    *settings = app_place_settings(p, flags);
    *c =
        (struct checkup){.arena = &p->arena, .settings = settings, .state_dir = p->state};
    check(c);
    CHECK_INT(flags, c->n, 1);
    return c;
}

static void check_finding(const struct checkup *c, enum finding_status status,
                          const char *got)
{
    const struct checkup_finding *f = &c->findings[0];
    const char *row = arena_str(c->arena, f->got).p;
    CHECK_INT(row, f->status, status);
    CHECK(row, str_find(f->got, str_c(got)) != STR_NONE);
    CHECK_INT(row, f->fix.n > 0, status != FINDING_GOOD);
}

static const char *answer_of(struct place *p, const char *headers, const char *body)
{
    return arena_printf(&p->arena, "HTTP/1.1 200 OK\r\n%sContent-Length: %zu\r\n\r\n%s",
                        headers, strlen(body), body)
        .p;
}

/* --- which program has the port? --- */

static void test_port_taken(void **state)
{
    struct place *p = *state;
    static const struct {
        const char *body;
        enum finding_status status;
        const char *got;
    } rows[] = {
        {"{\"status\":\"ok\"}", FINDING_GOOD, "vaultd is already running on 127.0.0.1:"},
        {"{\"state\":\"ok\"}", FINDING_BAD, " is in use by "},
        {"<p>hello", FINDING_BAD, " is in use by "},
    };
    struct fixed_server s = {0};
    app_place_clean_environment(p);
    fixed_server_start(&s);
    const char *flags = arena_printf(&p->arena, "--listen-addr 127.0.0.1:%u", s.port).p;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        s.answer = answer_of(p, "", rows[i].body);
        struct checkup *c = run_check(p, checkup_port, flags);
        check_finding(c, rows[i].status, rows[i].got);
        str ours = arena_printf(&p->arena, ", process %d", (int)getpid());
        CHECK_INT(rows[i].body, str_ends(c->findings[0].got, ours),
                  rows[i].status == FINDING_BAD);
    }
    fixed_server_stop(&s);
}

/* --- the clock of another server --- */

static const char *date_header(struct place *p, int64_t seconds)
{
    char text[64];
    time_t when = (time_t)seconds;
    struct tm tm;
    strftime(text, sizeof(text), "Date: %a, %d %b %Y %H:%M:%S GMT\r\n",
             gmtime_r(&when, &tm));
    return arena_str(&p->arena, str_c(text)).p;
}

static void test_clock_of_server(void **state)
{
    struct place *p = *state;
    static const struct {
        int64_t ahead;
        enum finding_status status;
        const char *got;
    } rows[] = {
        {0, FINDING_GOOD, "no deviation found"},
        {3 * 3600, FINDING_BAD, "it differs by 10"},
        {-3 * 3600, FINDING_BAD, "it differs by 10"},
    };
    struct fixed_server s = {0};
    app_place_clean_environment(p);
    assert_int_equal(mkdir(p->state, 0700), 0);
    fixed_server_start(&s);
    const char *flags =
        arena_printf(&p->arena, "--server-url http://127.0.0.1:%u", s.port).p;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        s.answer = answer_of(p, date_header(p, clock_now() + rows[i].ahead), "{}");
        check_finding(run_check(p, checkup_clock, flags), rows[i].status, rows[i].got);
    }
    static const char *const useless[] = {"", "Date: yesterday\r\n"};
    for (size_t i = 0; i < COUNT_OF(useless); i++) {
        s.answer = answer_of(p, useless[i], "{}");
        check_finding(run_check(p, checkup_clock, flags), FINDING_GOOD, "no deviation");
    }
    s.answer = NULL;
    check_finding(run_check(p, checkup_clock, flags), FINDING_GOOD, "no deviation");
    fixed_server_stop(&s);
}

/* --- the date that journals believe --- */

static void put_date(struct place *p, const char *folder, str text)
{
    str path = arena_printf(&p->arena, "%s/%s", p->state, folder);
    (void)mkdir(path.p, 0700);
    int fd = open(arena_printf(&p->arena, STR_FMT "/clock", STR_ARG(path)).p,
                  O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_int_equal(write(fd, text.p, text.n), text.n);
    close(fd);
}

static str date_before(struct place *p, int days)
{
    char text[MONOTONIC_DATE_SIZE];
    struct monotonic_date w = {.believed =
                                   clock_now() - days * (int64_t)CLOCK_DAY_S - 600};
    return arena_str(&p->arena, monotonic_date_print(&w, text));
}

static void test_clock_ahead(void **state)
{
    struct place *p = *state;
    app_place_clean_environment(p);
    assert_int_equal(mkdir(p->state, 0700), 0);
    put_date(p, "other", date_before(p, 400)); /* not a journal */
    put_date(p, "changes-a", date_before(p, 6));
    put_date(p, "changes-b", STR("nonsense"));
    check_finding(run_check(p, checkup_clock, ""), FINDING_GOOD, "no deviation found");
    put_date(p, "changes-c", date_before(p, 30));
    struct checkup *c = run_check(p, checkup_clock, "");
    check_finding(c, FINDING_WARN, "it is 30 days ahead of the last change");
    CHECK("fix", str_find(c->findings[0].fix, STR("after seven days")) != STR_NONE);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        PLACE_TEST(test_port_taken),
        PLACE_TEST(test_clock_of_server),
        PLACE_TEST(test_clock_ahead),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
