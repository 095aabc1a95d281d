/* Notes that replicas share: stored once, and only so many by each owner. */
#include "check.h"
#include "postgres_place.h"
#include "replica/sql.h"
#include "state/store.h"

static int setup(void **state)
{
    struct store *s;
    struct err err;
    char name[32], url[256];
    bool postgres = postgres_folder[0] != '\0';
    if (postgres)
        postgres_new(name, url, sizeof(url));
    if (!store_open(postgres ? url : NULL, &s, &err))
        fail_msg("%s", err.msg);
    *state = s;
    return 0;
}

static int teardown(void **state)
{
    store_close(*state);
    return 0;
}

static int run(struct store *s, const char *q, const struct store_value *args, size_t n)
{
    struct err err;
    int changed = 0;
    if (!store_run(s, q, args, n, &changed, &err))
        fail_msg("%s: %s", err.msg, err.detail);
    return changed;
}

static void test_once(void **state)
{
    struct store *s = *state;
    for (int i = 0; i < 3; i++)
        CHECK_INT("once",
                  run(s, SQL_MEMO_ADD,
                      STORE_ARGS(STORE_S(STR("spent/x")), STORE_S(STR("")),
                                 STORE_S(STR("")), STORE_N(100))),
                  i == 0);
}

/* At most three for a, four in all. */
static int put_some(struct store *s, const char *name, const char *part)
{
    bool a = strncmp(name, "client/a/", 9) == 0;
    return run(s, SQL_MEMO_PUT_SOME,
               STORE_ARGS(STORE_S(str_c(name)), STORE_S(str_c(part)), STORE_N(100),
                          STORE_S(a ? STR("client/a/") : STR("client/b/")),
                          STORE_S(a ? STR("client/a0") : STR("client/b0")), STORE_N(3),
                          STORE_S(STR("client/")), STORE_S(STR("client0")), STORE_N(4)));
}

static void test_limits(void **state)
{
    struct store *s = *state;
    CHECK_INT("1", put_some(s, "client/a/one", "u:1"), 1);
    CHECK_INT("2", put_some(s, "client/a/two", "u:1"), 1);
    CHECK_INT("3", put_some(s, "client/a/two", "u:2"), 1);
    CHECK_INT("too many for a", put_some(s, "client/a/three", "u:1"), 0);
    CHECK_INT("known", put_some(s, "client/a/one", "u:1"), 1);
    CHECK_INT("another owner", put_some(s, "client/b/one", "u:1"), 1);
    CHECK_INT("too many in all", put_some(s, "client/b/one", "u:2"), 0);
    CHECK_INT(
        "kept",
        run(s, SQL_MEMO_TOUCH, STORE_ARGS(STORE_N(200), STORE_S(STR("client/a/two")))),
        2);
    CHECK_INT("without a stream", run(s, SQL_MEMO_EXPIRE, STORE_ARGS(STORE_N(150))), 2);
    CHECK_INT("room again", put_some(s, "client/b/one", "u:2"), 1);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_once, setup, teardown),
        cmocka_unit_test_setup_teardown(test_limits, setup, teardown),
    };
    if (argc > 1)
        postgres_start();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    if (argc > 1)
        postgres_stop();
    return failed;
}
