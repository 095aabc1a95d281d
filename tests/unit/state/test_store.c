#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/fs.h"
#include "oauth/sql.h"
#include "oauth_place.h"
#include "replica/sql.h"
#include "state/store_backend.h"
#include "state/vault_table_sql.h"

static struct store *open_store(struct oauth_place *p)
{
    struct store *s;
    struct err err = {0};
    if (!store_open(p->database, &s, &err) || !store_keep(s, &err))
        fail_msg("%s (%s)", err.msg, err.detail);
    return s;
}

static void test_SEC_74_private(void **state)
{
    struct oauth_place *p = *state;
    static const char *const suffixes[] = {"", "-wal", "-shm", "-generation"};
    place_grant(p);
    for (size_t i = 0; i < COUNT_OF(suffixes); i++) {
        struct stat st;
        str path = arena_printf(&p->arena, "%s%s", p->database, suffixes[i]);
        assert_int_equal(stat(path.p, &st), 0);
        CHECK_INT(suffixes[i], st.st_mode & 0777, 0600);
    }
}

/* What is mapped has its place on the disk: a hole would end the process when it is full. */
static void test_generation_has_room(void **state)
{
    struct oauth_place *p = *state;
    struct stat st;
    str path = arena_printf(&p->arena, "%s-generation", p->database);
    place_grant(p);
    assert_int_equal(stat(path.p, &st), 0);
    CHECK_INT("size", st.st_size, sizeof(uint64_t));
    CHECK("no hole", st.st_blocks > 0);
}

/* The files contain no usable secret. */
static void test_SEC_12_only_hashes(void **state)
{
    struct oauth_place *p = *state;
    struct oauth_answer answer = place_grant(p);
    struct err err;
    str code = place_code(p), cookie, key;
    struct oauth_rights rights = {.scopes = OAUTH_READ};
    assert_true(sign_in_create(p->oauth, &p->arena, STR("alice"), &cookie, &err));
    assert_true(keys_add(p->oauth, &p->arena, STR("k"), &rights, &key, &err));
    str secrets[] = {answer.access_token, answer.refresh_token, code, cookie, key};
    for (int file = 0; file < 2; file++) {
        static char bytes[4 << 20];
        str path = arena_printf(&p->arena, "%s%s", p->database, file == 0 ? "" : "-wal");
        FILE *f = fopen(path.p, "rb");
        assert_non_null(f);
        str all = {bytes, fread(bytes, 1, sizeof(bytes), f)};
        fclose(f);
        for (size_t i = 0; i < COUNT_OF(secrets); i++)
            assert_true(str_find(all, str_skip(secrets[i], 8)) == STR_NONE);
    }
}

static str bytes_of(struct oauth_place *p)
{
    str bytes;
    struct err err;
    assert_true(fs_read_file(&p->arena, str_c(p->database), 4 << 20, &bytes, &err));
    return bytes;
}

/* A program from before an upgrade reports that, and leaves the file for the newer
 * one. */
static void test_newer_is_refused(void **state)
{
    struct oauth_place *p = *state;
    struct store *s;
    struct err err;
    oauth_free(p->oauth);
    p->oauth = NULL;
    place_sql(p, "PRAGMA user_version = 99");
    str before = bytes_of(p);
    assert_false(store_open(p->database, &s, &err));
    assert_int_equal(err.code, ERR_INVALID);
    assert_non_null(strstr(err.msg, "newer vaultd"));
    assert_true(str_eq(bytes_of(p), before));
}

static int64_t version_of(struct oauth_place *p)
{
    sqlite3 *db;
    sqlite3_stmt *q;
    assert_int_equal(sqlite3_open(p->database, &db), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, "PRAGMA user_version", -1, &q, NULL),
                     SQLITE_OK);
    assert_int_equal(sqlite3_step(q), SQLITE_ROW);
    int64_t version = sqlite3_column_int64(q, 0);
    sqlite3_finalize(q);
    sqlite3_close(db);
    return version;
}

/* All of the upgrades, or none of them. */
static void test_SEC_26_older_is_upgraded(void **state)
{
    struct oauth_place *p = place_new(true);
    struct store *s;
    struct err err;
    place_sql(p, "CREATE TABLE keys(x); PRAGMA user_version = 0");
    assert_false(store_open(p->database, &s, &err)); /* the table keys already exists */
    assert_int_equal(version_of(p), 0);
    place_sql(p,
              "DROP TABLE keys; CREATE TABLE notes(kept); INSERT INTO notes VALUES(1)");
    assert_true(store_open(p->database, &s, &err));
    store_close(s);
    assert_int_equal(version_of(p), store_version());
    place_sql(p, "UPDATE notes SET kept = 2; SELECT * FROM keys");
    place_free(p);
}

static bool has_file(struct oauth_place *p, const char *suffix)
{
    return access(arena_printf(&p->arena, "%s%s", p->database, suffix).p, F_OK) == 0;
}

/* A query creates nothing, changes nothing, and reads older tables, too. */
static void test_find(void **state)
{
    struct oauth_place *p = place_new(true);
    struct store *s;
    struct store_value v[2];
    struct err err = {0};
    assert_false(store_find(NULL, &s, &err));
    assert_int_equal(err.code, ERR_NOT_FOUND);
    assert_false(store_find(p->database, &s, &err));
    assert_int_equal(err.code, ERR_NOT_FOUND);
    assert_false(has_file(p, "") || has_file(p, "-generation"));

    place_sql(p, store_upgrades[0]);
    place_sql(p, "INSERT INTO keys(hash, name, scopes, folders, created, used)"
                 " VALUES('h', 'robot', 1, '', 1, 0); PRAGMA user_version = 1");
    str before = bytes_of(p);
    assert_true(store_find(p->database, &s, &err));
    assert_true(
        store_get(s, &p->arena, SQL_ACCESS_GIVEN, STORE_NO_ARGS, v, COUNT_OF(v), &err));
    assert_int_equal(v[0].n, 1);
    store_close(s);
    assert_true(str_eq(bytes_of(p), before));
    assert_false(has_file(p, "-generation"));

    assert_true(store_open(p->database, &s, &err));
    store_close(s);
    assert_true(store_find(p->database, &s, &err));
    assert_false(
        store_run(s, SQL_KEY_DROP, STORE_ARGS(STORE_S(STR("robot"))), NULL, &err));
    store_close(s);
    place_free(p);
}

static void test_garbage_is_refused(void **state)
{
    struct oauth_place *p = place_new(true);
    struct store *s;
    struct err err;
    FILE *f = fopen(p->database, "w");
    for (int i = 0; i < 2000; i++)
        fputs("not a database\n", f);
    fclose(f);
    assert_false(store_open(p->database, &s, &err));
    assert_int_equal(err.code, ERR_INVALID);
    place_free(p);
}

static void test_rollback(void **state)
{
    struct oauth_place *p = *state;
    struct store *s = open_store(p);
    struct store_value v[1];
    struct err err;
    assert_true(store_begin(s, STORE_LOCK_ACCESS, &err));
    assert_true(store_run(s, SQL_SECRET_ADD,
                          STORE_ARGS(STORE_S(STR("x")), STORE_B("y", 1)), NULL, &err));
    assert_true(store_get(s, &p->arena, SQL_SECRET_GET, STORE_ARGS(STORE_S(STR("x"))), v,
                          1, &err));
    assert_false(store_peek(s, &p->arena, SQL_SECRET_GET, STORE_ARGS(STORE_S(STR("x"))),
                            v, 1, &err)); /* not committed */
    store_rollback(s);
    assert_false(store_get(s, &p->arena, SQL_SECRET_GET, STORE_ARGS(STORE_S(STR("x"))), v,
                           1, &err));
    assert_int_equal(err.code, ERR_NOT_FOUND);
    store_close(s);
}

/* Another process has changed something and could not announce it. */
static void test_generation_unannounced(void **state)
{
    struct oauth_place *p = *state;
    struct store *a = open_store(p), *b = open_store(p);
    struct err err;
    bool sqlite = p->name[0] == '\0'; /* PostgreSQL announces what revokes by itself */
    static const char *const values[] = {"the first look counts as a change", "so", "on"};
    for (size_t i = 0; sqlite && i < COUNT_OF(values); i++) {
        uint64_t before = store_generation(a);
        assert_true(store_run(b, SQL_FACT_PUT,
                              STORE_ARGS(STORE_S(STR("x")), STORE_S(str_c(values[i]))),
                              NULL, &err));
        UNTIL(store_generation(a) != before);
    }
    store_close(a);
    store_close(b);
}

/* What was answered is on the disk, not only in memory of the system. */
static void test_SEC_26_synced(void **state)
{
    struct oauth_place *p = *state;
    struct store *s = open_store(p);
    struct store_table t;
    struct err err;
    bool sqlite = p->name[0] == '\0';
    assert_true(s->backend->ask(s, &p->arena,
                                sqlite ? "SELECT synchronous FROM pragma_synchronous"
                                       : "SELECT current_setting('synchronous_commit')",
                                STORE_NO_ARGS, &t, &err));
    assert_int_equal(t.rows, 1);
    if (sqlite)
        CHECK_INT("FULL", t.values[0].n, 2);
    else
        CHECK_STR("on", t.values[0].s, "on");
    store_close(s);
}

static void test_generation(void **state)
{
    struct oauth_place *p = *state;
    struct store *a = open_store(p), *b = open_store(p);
    uint64_t before = store_generation(a);
    assert_true(store_generation(a) == before);
    store_revoked(b);
    if (p->name[0] != '\0') /* with PostgreSQL, others are told */
        UNTIL(store_generation(a) != before);
    assert_true(store_generation(a) != before);
    store_close(a);
    store_close(b);
}

/* Every statement is one that SQLite understands. */
static void test_statements(void **state)
{
    struct oauth_place *p = *state;
    sqlite3 *db;
#define TEXT(name, sql) sql,
    static const char *const texts[] = {STORE_STATEMENTS(TEXT) VAULT_TABLE_STATEMENTS(
        TEXT) REPLICA_STATEMENTS(TEXT) OAUTH_STATEMENTS(TEXT)};
    assert_int_equal(sqlite3_open(p->database, &db), SQLITE_OK);
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        sqlite3_stmt *st = NULL;
        CHECK_INT(texts[i], sqlite3_prepare_v2(db, texts[i], -1, &st, NULL), SQLITE_OK);
        sqlite3_finalize(st);
    }
    sqlite3_close(db);
}

/* The disk is full: the caller gets an error, nothing is half done, and work
 * continues. */
static void test_full_disk(void **state)
{
    struct oauth_place *p = *state;
    struct oauth_answer first = place_grant(p), answer;
    struct oauth_client app = place_client(p, "app");
    struct oauth_fault fault = {0};
    str code = place_code(p);
    struct rlimit was, none = {0};
    getrlimit(RLIMIT_FSIZE, &was);
    none.rlim_max = was.rlim_max;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &none);
    bool redeemed = grants_redeem_code(p->oauth, &p->arena, &app, code, STR(VERIFIER),
                                       (str){0}, &answer, &fault);
    setrlimit(RLIMIT_FSIZE, &was);
    assert_false(redeemed);
    assert_int_equal(fault.status, 503);
    assert_true(place_passes(p, first.access_token));
    assert_null(place_redeem(p, "app", code, &answer));
    place_reopen(p);
    assert_true(place_passes(p, answer.access_token));
}

/* --- concurrency --- */

enum { THREADS = 20 };

struct racer {
    struct oauth_place *place;
    struct oauth *oauth;
    pthread_barrier_t *start;
    str secret;
    bool refresh;
    struct arena arena;
    struct oauth_answer answer;
    bool won;
};

static void *race(void *arg)
{
    struct racer *r = arg;
    struct oauth_fault fault;
    const struct oauth_client *app = &place_clients[0];
    pthread_barrier_wait(r->start);
    r->won = r->refresh ? grants_refresh(r->oauth, &r->arena, app, r->secret, 0,
                                         &r->answer, &fault)
                        : grants_redeem_code(r->oauth, &r->arena, app, r->secret,
                                             STR(VERIFIER), (str){0}, &r->answer, &fault);
    return NULL;
}

/* Half of them use a second connection, which to the store is another process. */
static int run_race(struct oauth_place *p, struct racer *racers, str secret, bool refresh)
{
    struct oauth_place *q = place_new(false);
    pthread_t threads[THREADS];
    pthread_barrier_t start;
    int won = 0;
    q->config.database = p->database;
    q->config.token_format = p->config.token_format;
    place_open(q);
    pthread_barrier_init(&start, NULL, THREADS);
    for (int i = 0; i < THREADS; i++) {
        racers[i] = (struct racer){.place = p,
                                   .oauth = i % 2 == 0 ? p->oauth : q->oauth,
                                   .start = &start,
                                   .secret = secret,
                                   .refresh = refresh};
        assert_int_equal(pthread_create(&threads[i], NULL, race, &racers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        won += racers[i].won;
    }
    pthread_barrier_destroy(&start);
    q->config.database = NULL;
    place_free(q);
    return won;
}

static void test_SEC_13_code_race(void **state)
{
    struct oauth_place *p = *state;
    struct racer racers[THREADS];
    assert_int_equal(run_race(p, racers, place_code(p), false), 1);
    for (int i = 0; i < THREADS; i++) {
        struct oauth_answer out;
        if (racers[i].won) { /* the losers have revoked its grant */
            assert_false(place_passes(p, racers[i].answer.access_token));
            assert_non_null(
                place_refresh(p, "app", racers[i].answer.refresh_token, 0, &out));
        }
        arena_release(&racers[i].arena);
    }
}

static void test_SEC_18_refresh_race(void **state)
{
    struct oauth_place *p = *state;
    struct racer racers[THREADS];
    struct oauth_answer first = place_grant(p);
    assert_int_equal(run_race(p, racers, first.refresh_token, true), THREADS);
    for (int i = 0; i < THREADS; i++) {
        assert_true(
            str_eq(racers[i].answer.refresh_token, racers[0].answer.refresh_token));
        assert_true(place_passes(p, racers[i].answer.access_token));
    }
    for (int i = 0; i < THREADS; i++)
        arena_release(&racers[i].arena);
}

/* Two processes, each with its own key, verify what the other signed. */
static void test_jwt_race(void **state)
{
    struct oauth_place *p = *state;
    struct racer racers[THREADS];
    p->config.token_format = OAUTH_JWT;
    place_reopen(p);
    struct oauth_answer first = place_grant(p);
    place_sql(p, "UPDATE jwt_keys SET created = created - 7776001");
    assert_int_equal(run_race(p, racers, first.refresh_token, true), THREADS);
    for (int i = 0; i < THREADS; i++) {
        assert_true(place_passes(p, racers[i].answer.access_token));
        arena_release(&racers[i].arena);
    }
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        PLACE_TEST(test_SEC_74_private),
        PLACE_TEST(test_generation_has_room),
        PLACE_TEST(test_SEC_12_only_hashes),
        PLACE_TEST(test_newer_is_refused),
        cmocka_unit_test(test_SEC_26_older_is_upgraded),
        cmocka_unit_test(test_find),
        cmocka_unit_test(test_garbage_is_refused),
        PLACE_TEST(test_statements),
        PLACE_TEST(test_full_disk),
        PLACE_TEST(test_rollback),
        PLACE_TEST(test_SEC_26_synced),
        PLACE_TEST(test_generation),
        PLACE_TEST(test_generation_unannounced),
        PLACE_TEST(test_SEC_13_code_race),
        PLACE_TEST(test_SEC_18_refresh_race),
        PLACE_TEST(test_jwt_race),
    };
    return place_run(argc, tests, COUNT_OF(tests), 9);
}
