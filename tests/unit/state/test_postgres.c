/* A PostgreSQL that refuses, hangs, dies and comes back. */
#include "state/postgres.h"

#include <pthread.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/clock.h"
#include "oauth/parts.h"
#include "oauth/sql.h"
#include "oauth_outage.h"
#include "oauth_place.h"
#include "replica/sql.h"
#include "state/store.h"
#include "state/vault_table_sql.h"

enum { SOON_MS = STORE_BUSY_MS, ATTEMPTS = 10 };

struct attempts {
    int n;
    uint64_t start;
};

/* As the condition of a loop: again until the body took less than SOON_MS, since the
 * machine may be busy. */
static bool is_late(struct attempts *t)
{
    if (t->n > 0 && clock_ms() - t->start < SOON_MS)
        return false;
    if (t->n++ == ATTEMPTS)
        fail_msg("it waits for the database");
    t->start = clock_ms();
    return true;
}

#define UNKNOWN_KEY "vk_0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void test_url(void **state)
{
    static const struct {
        const char *url, *described, *host;
        unsigned port;
    } cases[] = {
        {"postgres://db.example/v", "postgres://db.example:5432/v", "db.example", 5432},
        {"postgresql://u:secret@db.example:99/v", "postgres://db.example:99/v",
         "db.example", 99},
        {"postgres://u@/v?host=/run/pg", "postgres:///run/pg:5432/v", "/run/pg", 5432},
        {"postgres://a:1,b:2/v", "postgres://a:1,b:2/v", "a", 1},
    };
    struct arena *a = *state;
    struct err err;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct pg_host hosts[PG_HOSTS_MAX];
        size_t n;
        str text;
        CHECK(cases[i].url, store_is_url(cases[i].url));
        CHECK(cases[i].url, pg_describe(a, cases[i].url, &text, &err));
        CHECK_STR(cases[i].url, text, cases[i].described);
        CHECK(cases[i].url, pg_hosts(a, cases[i].url, hosts, &n, &err));
        CHECK_STR(cases[i].url, hosts[0].name, cases[i].host);
        CHECK_INT(cases[i].url, hosts[0].port, cases[i].port);
    }
    assert_false(store_is_url("/var/lib/oauth.db"));
    assert_false(store_is_url(NULL));
}

/* What libpq would quote may be a part of the password. */
static void test_bad_url(void **state)
{
    struct store *s;
    struct err err = {0};
    assert_false(store_open("postgres://u:se%zzcret@h/d", &s, &err));
    assert_int_equal(err.code, ERR_INVALID);
    assert_null(strstr(err.msg, "cret"));
    assert_null(strstr(err.detail, "cret"));
}

static void test_refused(void **state)
{
    struct store *s;
    struct err err = {0};
    char url[160];
    assert_false(store_open("postgres://vaultd@/d?host=/nowhere", &s, &err));
    assert_int_equal(err.code, ERR_BUSY);
    assert_non_null(strstr(err.msg, "cannot be reached"));
    snprintf(url, sizeof(url), "postgres://vaultd@/missing?host=%s", postgres_folder);
    assert_false(store_open(url, &s, &err));
    assert_non_null(strstr(err.detail, "does not exist"));
}

/* A server that accepts and says nothing does not hold anybody up for long. */
static void test_silent(void **state)
{
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    char folder[] = "/tmp/vaultd-silent-XXXXXX", url[160];
    struct pg *pg;
    struct err err = {0};
    assert_non_null(mkdtemp(folder));
    snprintf(at.sun_path, sizeof(at.sun_path), "%s/.s.PGSQL.5432", folder);
    assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof(at)), 0);
    assert_int_equal(listen(fd, 8), 0);
    snprintf(url, sizeof(url), "postgres://u@/d?host=%s", folder);
    uint64_t start = clock_ms();
    assert_false(pg_connect(url, 300, &pg, &err));
    assert_int_equal(err.code, ERR_BUSY);
    assert_true(clock_ms() - start < 30000);
    close(fd);
    unlink(at.sun_path);
    rmdir(folder);
}

static void test_newer_is_refused(void **state)
{
    struct oauth_place *p = *state;
    struct store *s;
    struct err err = {0};
    int64_t version;
    place_sql(p, "UPDATE vaultd_version SET version = 99");
    assert_false(store_open(p->database, &s, &err));
    assert_int_equal(err.code, ERR_INVALID);
    assert_non_null(strstr(err.msg, "newer vaultd"));
    assert_true(store_look(p->database, &version, &err));
    assert_int_equal(version, 99);
}

/* Many processes start at the same time: one of them makes the tables. */
static void *open_one(void *database)
{
    struct store *s = NULL;
    struct err err = {0};
    if (!store_open(database, &s, &err))
        print_error("%s (%s)\n", err.msg, err.detail);
    return s;
}

static void test_SEC_26_made_once(void **state)
{
    enum { AT_ONCE = 8 };
    pthread_t threads[AT_ONCE];
    struct oauth_place *p = place_new(true);
    for (int i = 0; i < AT_ONCE; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, open_one, p->database), 0);
    for (int i = 0; i < AT_ONCE; i++) {
        void *s;
        pthread_join(threads[i], &s);
        assert_non_null(s);
        store_close(s);
    }
    place_free(p);
}

/* A step that fails leaves nothing. */
static void test_SEC_26_older_is_upgraded(void **state)
{
    struct oauth_place *p = place_new(true);
    struct store *s;
    struct err err = {0};
    int64_t version;
    place_sql(p, "CREATE TABLE documents(x bigint)");
    assert_false(store_open(p->database, &s, &err)); /* it already exists */
    assert_true(store_look(p->database, &version, &err));
    assert_int_equal(version, 0);
    place_sql(p, "DROP TABLE documents");
    assert_true(store_open(p->database, &s, &err));
    store_close(s);
    assert_true(store_look(p->database, &version, &err));
    assert_int_equal(version, store_version());
    place_free(p);
}

/* Every statement is one that PostgreSQL understands. */
static void test_statements(void **state)
{
    struct oauth_place *p = *state;
#define TEXT(name, sql) sql,
    static const char *const texts[] = {STORE_STATEMENTS(TEXT) VAULT_TABLE_STATEMENTS(
        TEXT) REPLICA_STATEMENTS(TEXT) OAUTH_STATEMENTS(TEXT)};
    struct sbuf all = SBUF_ON(&p->arena);
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        str text = sql_text_postgres(&p->arena, str_c(texts[i]));
        sbuf_printf(&all, "PREPARE s%zu AS " STR_FMT ";\n", i, STR_ARG(text));
    }
    sbuf_printf(&all, "SELECT 1 / (count(*) = %zu)::int FROM pg_prepared_statements;\n",
                COUNT_OF(texts)); /* an error if one is missing */
    sbuf_char(&all, '\0');
    place_sql(p, all.p);
}

/* COMMIT of a transaction in which something failed is not a success. */
static void test_SEC_26_failed_is_not_committed(void **state)
{
    struct oauth_place *p = *state;
    struct store *s;
    struct store_value v[1];
    struct err err = {0};
    assert_true(store_open(p->database, &s, &err));
    assert_true(store_begin(s, STORE_LOCK_ACCESS, &err));
    assert_true(store_run(s, SQL_SECRET_ADD,
                          STORE_ARGS(STORE_S(STR("x")), STORE_B("y", 1)), NULL, &err));
    assert_false(store_run(s, SQL_FACT_PUT,
                           STORE_ARGS(STORE_S(STR("f")), STORE_S(STR("\xff"))), NULL,
                           &err)); /* not UTF-8 */
    assert_int_equal(err.code, ERR_INVALID);
    assert_false(store_commit(s, &err));
    assert_false(store_get(s, &p->arena, SQL_SECRET_GET, STORE_ARGS(STORE_S(STR("x"))), v,
                           1, &err));
    assert_int_equal(err.code, ERR_NOT_FOUND);
    store_close(s);
}

/*
 * The server is killed within a transaction: the change fails and nothing of it is kept,
 * known tokens pass, unknown ones are neither valid nor invalid, and it comes back by
 * itself.
 */
static void test_SEC_26_killed(void **state)
{
    struct oauth_place *p = *state;
    struct oauth_grant g;
    struct oauth_answer known = place_grant(p), unseen = place_grant(p), answer;
    struct err err = {0};
    bool unsure;
    struct store *s;
    assert_true(store_open(p->database, &s, &err) && store_keep(s, &err));
    assert_true(place_passes(p, known.access_token));
    assert_true(store_begin(s, STORE_LOCK_ACCESS, &err));
    assert_true(store_run(s, SQL_SECRET_ADD,
                          STORE_ARGS(STORE_S(STR("x")), STORE_B("y", 1)), NULL, &err));
    postgres_do("kill");
    assert_false(store_run(s, SQL_SECRET_ADD,
                           STORE_ARGS(STORE_S(STR("z")), STORE_B("y", 1)), NULL, &err));
    assert_int_equal(err.code, ERR_BUSY);
    assert_false(store_commit(s, &err));
    assert_int_equal(err.code, ERR_BUSY);
    outage_wait(s, false);
    for (struct attempts t = {0}; is_late(&t);) { /* nothing waits for it */
        assert_true(place_passes(p, known.access_token));
        assert_false(
            grant_of_token(p->oauth, &p->arena, unseen.access_token, &g, &unsure));
        assert_true(unsure);
        assert_string_equal(place_refresh(p, "app", known.refresh_token, 0, &answer),
                            "temporarily_unavailable");
    }
    postgres_do("again");
    outage_wait(s, true);
    struct store_value v[1];
    assert_false(store_get(s, &p->arena, SQL_SECRET_GET, STORE_ARGS(STORE_S(STR("x"))), v,
                           1, &err));
    assert_int_equal(err.code, ERR_NOT_FOUND);
    outage_wait(p->oauth->store, true);
    assert_true(place_passes(p, unseen.access_token));
    assert_null(place_refresh(p, "app", known.refresh_token, 0, &answer));
    store_close(s);
}

/* After five minutes all requests are refused: any grant may have been revoked in the
 * meantime. */
static void test_SEC_26_away_for_too_long(void **state)
{
    struct oauth_place *p = *state;
    struct oauth_answer known = place_grant(p);
    struct oauth_grant g;
    bool unsure;
    assert_true(place_passes(p, known.access_token));
    postgres_do("kill");
    outage_wait(p->oauth->store, false);
    assert_true(place_passes(p, known.access_token));
    outage_put_back(p, STORE_AWAY_MAX_MS - 60000);
    assert_true(place_passes(p, known.access_token));
    outage_put_back(p, 60000);
    assert_false(grant_of_token(p->oauth, &p->arena, known.access_token, &g, &unsure));
    assert_true(unsure); /* which is answered with 503 */
    postgres_do("again");
    outage_wait(p->oauth->store, true);
    assert_true(place_passes(p, known.access_token));
}

/* Stopped, not dead: what waits for it gives up, and later calls do not wait. */
static void test_hangs(void **state)
{
    struct oauth_place *p = *state;
    struct oauth_answer known = place_grant(p);
    struct oauth_grant g;
    bool unsure;
    for (struct attempts t = {0}; is_late(&t);) {
        postgres_do("thaw");
        UNTIL(oauth_away_ms(p->oauth) == 0 && place_passes(p, known.access_token));
        postgres_do("freeze");
        t.start = clock_ms();
        assert_false(grant_of_token(p->oauth, &p->arena, STR(UNKNOWN_KEY), &g, &unsure));
        assert_true(unsure);
    }
    for (struct attempts t = {0}; is_late(&t);) { /* it costs that much only once */
        for (int i = 0; i < 100; i++) {
            assert_false(
                grant_of_token(p->oauth, &p->arena, STR(UNKNOWN_KEY), &g, &unsure));
            assert_true(unsure);
        }
    }
    postgres_do("thaw");
    UNTIL(oauth_away_ms(p->oauth) == 0 && place_passes(p, known.access_token));
    assert_false(grant_of_token(p->oauth, &p->arena, STR(UNKNOWN_KEY), &g, &unsure));
}

static bool read_secret(struct store *s, struct err *err)
{
    struct arena a = {0};
    struct store_value v[1];
    bool ok = store_get(s, &a, SQL_SECRET_GET, STORE_ARGS(STORE_S(STR("x"))), v, 1, err);
    arena_release(&a);
    return ok;
}

static void *hang(void *store)
{
    struct err ignored; /* it may get an answer at last */
    (void)!read_secret(store, &ignored);
    return NULL;
}

/* One thread hangs in a query: when that is noticed, others do not wait for it. */
static void test_hangs_for_one(void **state)
{
    struct oauth_place *p = *state;
    struct store *s = p->oauth->store;
    struct err err = {0};
    pthread_t thread;
    postgres_do("freeze");
    assert_int_equal(pthread_create(&thread, NULL, hang, s), 0);
    outage_wait(s, false);
    for (struct attempts t = {0}; is_late(&t);) {
        assert_false(read_secret(s, &err));
        assert_int_equal(err.code, ERR_BUSY);
    }
    postgres_do("thaw");
    pthread_join(thread, NULL);
    outage_wait(s, true);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_url),
        cmocka_unit_test(test_bad_url),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_silent),
        PLACE_TEST(test_newer_is_refused),
        cmocka_unit_test(test_SEC_26_made_once),
        cmocka_unit_test(test_SEC_26_older_is_upgraded),
        PLACE_TEST(test_statements),
        PLACE_TEST(test_SEC_26_failed_is_not_committed),
        PLACE_TEST(test_SEC_26_killed),
        PLACE_TEST(test_SEC_26_away_for_too_long),
        PLACE_TEST(test_hangs),
        PLACE_TEST(test_hangs_for_one),
    };
    return place_run_postgres(tests, COUNT_OF(tests));
}
