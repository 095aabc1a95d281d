/* A change with an idempotency key, at two replicas with one database: who makes it, and what a retry gets. */
#include <sqlite3.h>

#include "app_place.h"
#include "postgres_place.h"
#include "replica/lease.h"
#include "state/pg_thread.h"
#include "state/postgres.h"
#include "state/store.h"

struct pair {
    struct app_place *one, *two;
    char database[32]; /* of PostgreSQL, or empty */
};

static void fill(struct place *p)
{
    place_put(p, "A.md", STR("alpha\n"));
}

/* As replica_open() would, but in a file. */
static void join(struct app_place *p, const char *database, const char *replica)
{
    struct replica *s = &p->app.replica;
    OK(store_open(database, &s->store, &err));
    snprintf(s->name, sizeof(s->name), "%s", replica);
    app_look(p);
}

static int setup(void **state)
{
    struct pair *r = mem_zero(sizeof(*r));
    r->one = app_place_open("", fill);
    r->two = app_place_open("", fill);
    const char *database =
        arena_printf(&r->one->place->arena, "%s/shared.db", r->one->place->top).p;
    join(r->one, database, "one");
    join(r->two, database, "two");
    *state = r;
    return 0;
}

static int teardown(void **state)
{
    struct pair *r = *state;
    app_place_close(r->two);
    app_place_close(r->one);
    free(r);
    return 0;
}

#define ADD "'path':'A.md','content':'x','idempotency_key':'k1'"

/* A retry at another replica gets the first answer, and changes nothing there. */
static void test_retry_elsewhere(void **state)
{
    struct pair *r = *state;
    str first = app_call(r->one, "vault_insert", ADD);
    CHECK(first.p, !str_starts(first, STR("ERROR")));
    CHECK_STR("made", app_file(r->one, "A.md"), "alpha\n\nx\n");
    str again = app_call(r->one, "vault_insert", ADD);
    CHECK(again.p, !str_starts(again, STR("ERROR")));
    CHECK_STR("once here", app_file(r->one, "A.md"), "alpha\n\nx\n");
    str there = app_call(r->two, "vault_insert", ADD);
    CHECK(there.p, !str_starts(there, STR("ERROR")));
    CHECK("the same change", str_find(there, STR("A.md")) != STR_NONE);
    CHECK_STR("not there, it comes with sync", app_file(r->two, "A.md"), "alpha\n");
}

/* Keys belong to a user and a request. */
static void test_other_change(void **state)
{
    struct pair *r = *state;
    (void)app_call(r->one, "vault_insert", ADD);
    static const struct app_row rows[] = {
        {"vault_insert", "'path':'A.md','content':'y','idempotency_key':'k1'",
         "this idempotency_key was used for another change: use a new one", "A.md",
         "alpha\n"},
        {"vault_write", "'path':'B.md','content':'b','idempotency_key':'k1'",
         "this idempotency_key was used for another change: use a new one", "B.md", NULL},
        {"vault_insert", "'path':'A.md','content':'y','idempotency_key':'k2'", "A.md",
         "A.md", "alpha\n\ny\n"},
        {"vault_insert", "'path':'A.md','content':'z'", "A.md", "A.md",
         "alpha\n\ny\n\nz\n"},
    };
    app_check_rows(r->two, NULL, rows, COUNT_OF(rows));
    r->two->peer.caller.user = STR("ann");
    static const struct app_row of_ann = {
        "vault_write", "'path':'C.md','content':'c','idempotency_key':'k1'", "C.md",
        "C.md", "c"};
    app_check_rows(r->two, NULL, &of_ann, 1);
}

/* --confirm-files holds for all replicas together (SEC-123). */
static void test_SEC_123_files_of_all(void **state)
{
    struct pair *r = *state;
    r->one->app.settings.confirm_files = r->two->app.settings.confirm_files = 3;
    str made = app_call(r->one, "vault_write", "'path':'B.md','content':'x'");
    CHECK(made.p, !str_starts(made, STR("ERROR")));
    made = app_call(r->two, "vault_write", "'path':'C.md','content':'x'");
    CHECK(made.p, !str_starts(made, STR("ERROR")));
    made = app_call(r->two, "vault_write", "'path':'D.md','content':'x'");
    CHECK(made.p, !str_starts(made, STR("ERROR")));
    str refused = app_call(r->two, "vault_write", "'path':'E.md','content':'x'");
    CHECK(refused.p,
          str_starts(refused, STR("ERROR not changed: with this, more than 3")));
    refused = app_call(r->one, "vault_write", "'path':'E.md','content':'x'");
    CHECK(refused.p,
          str_starts(refused, STR("ERROR not changed: with this, more than 3")));
}

/* A change that failed claims nothing: another replica may make it. */
static void test_failed(void **state)
{
    struct pair *r = *state;
    static const char edit[] =
        "'path':'A.md','old_text':'beta','new_text':'x','idempotency_key':'k3'";
    str failed = app_call(r->one, "vault_edit", edit);
    CHECK(failed.p, str_starts(failed, STR("ERROR Text not found")));
    place_put(r->two->place, "A.md", STR("alpha beta\n"));
    app_look(r->two);
    str made = app_call(r->two, "vault_edit", edit);
    CHECK(made.p, !str_starts(made, STR("ERROR")));
    CHECK_STR("made", app_file(r->two, "A.md"), "alpha x\n");
    str there = app_call(r->one, "vault_edit", edit);
    CHECK(there.p, !str_starts(there, STR("ERROR")));
}

/* As if the first replica had claimed its keys, and made no change yet. */
static void take_back_numbers(struct pair *r)
{
    sqlite3 *db;
    const char *database =
        arena_printf(&r->one->place->arena, "%s/shared.db", r->one->place->top).p;
    assert_int_equal(sqlite3_open(database, &db), SQLITE_OK);
    assert_int_equal(
        sqlite3_exec(db, "UPDATE once SET number = 0, answer = ''", NULL, NULL, NULL),
        SQLITE_OK);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

/* The retry does not make a change that another replica has begun, and fails at the latest
 * when the server stops. */
static void test_unfinished(void **state)
{
    static const struct app_row rows[] = {
        {"vault_insert", ADD,
         "another server has begun this change and has not finished it: nothing was "
         "changed here, repeat this call later with the same idempotency_key",
         "A.md", "alpha\n"},
    };
    struct pair *r = *state;
    (void)app_call(r->one, "vault_insert", ADD);
    take_back_numbers(r);
    r->two->app.stopping = true;
    app_check_rows(r->two, NULL, rows, COUNT_OF(rows));
}

/* --- the first replica is gone --- */

/* With a database that knows who is alive, which has answered for long enough to tell. */
static void join_postgres(struct app_place *p, const char *url, const char *replica)
{
    struct replica *s = &p->app.replica;
    join(p, url, replica);
    OK(store_keep(s->store, &err));
    atomic_fetch_sub(&postgres_of(s->store)->steady, LEASE_MS);
}

static int setup_postgres(void **state)
{
    struct pair *r = mem_zero(sizeof(*r));
    char url[128];
    postgres_start();
    postgres_new(r->database, url, sizeof(url));
    r->one = app_place_open("", fill);
    r->two = app_place_open("", fill);
    join_postgres(r->one, url, "one");
    join_postgres(r->two, url, "two");
    *state = r;
    return 0;
}

static int teardown_postgres(void **state)
{
    teardown(state);
    postgres_stop();
    return 0;
}

/* No other replica can know whether it has made the change, so none makes it in its place. */
static void test_gone(void **state)
{
    static const struct app_row made = {
        "vault_insert", ADD,
        "the server that made this change stopped before it pushed it: do not make it "
        "again, repeat this call when that server is back, with the same "
        "idempotency_key",
        "A.md", "alpha\n"};
    static const struct app_row begun = {
        "vault_insert", ADD,
        "the server that began this change has stopped, and the remote does not have it: "
        "repeat this call when that server is back, with the same idempotency_key",
        "A.md", "alpha\n"};
    struct pair *r = *state;
    (void)app_call(r->one, "vault_insert", ADD);
    CHECK_STR("made", app_file(r->one, "A.md"), "alpha\n\nx\n");
    postgres_sql(r->database, "UPDATE once SET process = 'gone';");
    r->two->app.vaults[0].sync.ack = SYNC_ACK_PUSH;
    app_check_rows(r->two, NULL, &made, 1);
    postgres_sql(r->database, "UPDATE once SET number = 0, answer = '';");
    app_check_rows(r->two, NULL, &begun, 1);
    str again = app_call(r->one, "vault_insert", ADD);
    CHECK(again.p, !str_starts(again, STR("ERROR")));
    CHECK_STR("once, when it is back", app_file(r->one, "A.md"), "alpha\n\nx\n");
}

#define PAIR_TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        PAIR_TEST(test_retry_elsewhere),
        PAIR_TEST(test_other_change),
        PAIR_TEST(test_SEC_123_files_of_all),
        PAIR_TEST(test_failed),
        PAIR_TEST(test_unfinished),
        cmocka_unit_test_setup_teardown(test_gone, setup_postgres, teardown_postgres),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
