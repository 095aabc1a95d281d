/* vaultd doctor on an endpoint for embeddings: what its answers mean, and whether its key is private. */
#include "app/doctor/checkup_parts.h"

#include "app_place.h"
#include "fixed_server.h"

static const struct row {
    const char *answer; /* NULL: it hangs up */
    enum finding_status status;
    const char *got, *fix; /* parts */
} rows[] = {
    {"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n"
     "{\"data\":[{\"index\":0,\"embedding\":[1,0,0]}]}",
     FINDING_GOOD, " returns embeddings of 3 dimensions in ", NULL},
    {"HTTP/1.1 401 X\r\n\r\n{}", FINDING_BAD, "", "docs/search.md"},
    {"HTTP/1.1 500 X\r\n\r\n{}", FINDING_BAD, "", "search uses words only"},
    {"HTTP/1.1 200 OK\r\n\r\n<p>", FINDING_BAD, "", "docs/search.md"},
    {NULL, FINDING_BAD, "", "Start that server and load its model"},
};

static const struct checkup_finding *judge(struct place *p, const char *flags)
{
    struct settings *settings = ARENA_NEW(&p->arena, struct settings);
    struct checkup *c = ARENA_NEW(&p->arena, struct checkup);
    *settings = app_place_settings(p, flags);
    *c = (struct checkup){.arena = &p->arena, .settings = settings};
    checkup_meaning(c);
    CHECK_INT(flags, c->n, 1); /* the text goes to this machine, so nobody else gets it */
    return &c->findings[0];
}

static const char *flags_for(struct place *p, unsigned port, const char *more)
{
    return arena_printf(&p->arena,
                        "--embeddings http://127.0.0.1:%u/v1 --embeddings-model m %s",
                        port, more)
        .p;
}

static void test_answers(void **state)
{
    struct place *p = *state;
    struct fixed_server s = {0};
    app_place_clean_environment(p);
    fixed_server_start(&s);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        s.answer = rows[i].answer;
        const struct checkup_finding *f = judge(p, flags_for(p, s.port, ""));
        const char *row = arena_printf(&p->arena, "%s: '" STR_FMT "', '" STR_FMT "'",
                                       s.answer != NULL ? s.answer : "nothing",
                                       STR_ARG(f->got), STR_ARG(f->fix))
                              .p;
        CHECK_INT(row, f->status, rows[i].status);
        CHECK(row, str_find(f->got, str_c(rows[i].got)) != STR_NONE);
        CHECK(row,
              rows[i].fix == NULL || str_find(f->fix, str_c(rows[i].fix)) != STR_NONE);
    }
    fixed_server_stop(&s);
}

/* A key that others can read is reported before it is sent anywhere. */
static void test_key(void **state)
{
    struct place *p = *state;
    app_place_clean_environment(p);
    place_put(p, "key", STR("secret\n"));
    assert_int_equal(fchmodat(p->fd, "key", 0644, 0), 0);
    const struct checkup_finding *f =
        judge(p, flags_for(p, 1, "--embeddings-key-file @/vault/key"));
    CHECK_INT("open", f->status, FINDING_WARN);
    CHECK("open", str_starts(f->fix, STR("chmod 600 '")));
    assert_int_equal(fchmodat(p->fd, "key", 0600, 0), 0);
    f = judge(p, flags_for(p, 1, "--embeddings-key-file @/vault/key"));
    CHECK_INT("private, but no server", f->status, FINDING_BAD);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        PLACE_TEST(test_answers),
        PLACE_TEST(test_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
