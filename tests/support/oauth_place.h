/*
 * oauth_place - an authorization server in a temporary folder, and helpers to use it.
 */
#pragma once

#include <ftw.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/encode.h"
#include "base/hash.h"
#include "oauth/clients.h"
#include "oauth/grants.h"
#include "oauth/oauth.h"
#include "state/store.h"

#include "check.h"
#include "postgres_place.h"
#include "until.h"

#define PLACE_HASH "$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy"
#define OTHER_HASH "$2b$10$bYiDJMX47iJ5ML/uHZI2P.WfqayZsMa607ySDqnJPgzoadb2OrcYa"
#define VERIFIER "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
#define CHALLENGE "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

struct oauth_place {
    struct arena arena;
    struct oauth *oauth;
    struct oauth_config config;
    char folder[64], database[160]; /* a path, or a URL */
    char name[32];                  /* of a database in PostgreSQL; or empty */
};

static const str place_redirects[] = {{"https://app.example/cb", 22}};

static const struct oauth_client place_clients[] = {
    {.id = {"app", 3},
     .name = {"App", 3},
     .grants = GRANT_CODE | GRANT_REFRESH,
     .redirect_uris = place_redirects,
     .n_redirect_uris = 1},
    {.id = {"other", 5},
     .name = {"Other", 5},
     .grants = GRANT_CODE | GRANT_REFRESH,
     .redirect_uris = place_redirects,
     .n_redirect_uris = 1},
    {.id = {"robot", 5},
     .name = {"Robot", 5},
     .auth = CLIENT_SECRET_BASIC,
     .grants = GRANT_CREDENTIALS,
     .secret_hash = {1},
     .rights = {.scopes = OAUTH_READ, .elsewhere = RIGHTS_WRITE}},
};

static inline void place_open(struct oauth_place *p)
{
    struct err err = {0};
    if (!oauth_create(&p->config, &p->oauth, &err))
        fail_msg("%s (%s)", err.msg, err.detail);
}

static inline void place_reopen(struct oauth_place *p)
{
    oauth_free(p->oauth);
    place_open(p);
}

static inline struct oauth_place *place_new_in(bool disk, bool postgres)
{
    struct oauth_place *p = mem_zero(sizeof(*p));
    p->config =
        (struct oauth_config){.url = STR("https://vault.example"),
                              .mcp_path = STR("/mcp"),
                              .users = STR("alice:" PLACE_HASH ",bob:" PLACE_HASH),
                              .access_ttl = 3600,
                              .refresh_ttl = 1000000,
                              .refresh_idle = 100000,
                              .reuse_window = 60,
                              .clients = place_clients,
                              .n_clients = COUNT_OF(place_clients)};
    snprintf(p->folder, sizeof(p->folder), "/tmp/vaultd-oauth-XXXXXX");
    if (disk && postgres) {
        postgres_new(p->name, p->database, sizeof(p->database));
        p->config.database = p->database;
    } else if (disk) {
        assert_non_null(mkdtemp(p->folder));
        snprintf(p->database, sizeof(p->database), "%s/oauth.db", p->folder);
        p->config.database = p->database;
    }
    return p;
}

/* disk: in a file, or in PostgreSQL if one is running; else in memory. */
static inline struct oauth_place *place_new(bool disk)
{
    return place_new_in(disk, postgres_folder[0] != '\0');
}

static inline int place_remove(const char *path, const struct stat *st, int type,
                               struct FTW *at)
{
    return remove(path);
}

static inline void place_free(struct oauth_place *p)
{
    oauth_free(p->oauth);
    if (p->config.database != NULL && p->name[0] == '\0')
        nftw(p->folder, place_remove, 8, FTW_DEPTH | FTW_PHYS);
    arena_release(&p->arena);
    free(p);
}

static inline int place_setup(void **state)
{
    *state = place_new(true);
    place_open(*state);
    return 0;
}

static inline int place_teardown(void **state)
{
    place_free(*state);
    return 0;
}

#define PLACE_TEST(function)                                                             \
    cmocka_unit_test_setup_teardown(function, place_setup, place_teardown)

/* Another process that uses the database, with its thread. */
static inline struct store *place_open_kept(struct oauth_place *p)
{
    struct store *s;
    struct err err = {0};
    if (!store_open(p->database, &s, &err) || !store_keep(s, &err))
        fail_msg("%s (%s)", err.msg, err.detail);
    return s;
}

/* Change the database behind the server's back, to make time pass. */
static inline void place_sql(struct oauth_place *p, const char *sql)
{
    sqlite3 *db;
    char *why = NULL;
    if (p->name[0] != '\0') {
        postgres_sql(p->name, sql);
        return;
    }
    assert_int_equal(sqlite3_open(p->database, &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, &why) != SQLITE_OK)
        fail_msg("%s: %s", sql, why);
    sqlite3_close(db);
}

static inline struct oauth_client place_client(struct oauth_place *p, const char *id)
{
    struct oauth_client c;
    struct err err = {0};
    if (!clients_find(p->oauth, &p->arena, str_c(id), &c, &err))
        fail_msg("%s: %s", id, err.msg);
    return c;
}

static inline struct oauth_code place_order(void)
{
    return (struct oauth_code){.client_id = STR("app"),
                               .client_name = STR("App"),
                               .redirect_uri = STR("https://app.example/cb"),
                               .challenge = STR(CHALLENGE),
                               .user = STR("alice"),
                               .rights = rights_all(OAUTH_MAY_WRITE)};
}

static inline str place_code(struct oauth_place *p)
{
    struct oauth_code order = place_order();
    struct err err = {0};
    str code;
    if (!grants_issue_code(p->oauth, &p->arena, &order, &code, &err))
        fail_msg("%s (%s)", err.msg, err.detail);
    return code;
}

/* NULL: fine; else the error. */
static inline const char *place_redeem(struct oauth_place *p, const char *client,
                                       str code, struct oauth_answer *out)
{
    struct oauth_client c = place_client(p, client);
    struct oauth_fault fault = {0};
    return grants_redeem_code(p->oauth, &p->arena, &c, code, STR(VERIFIER), (str){0}, out,
                              &fault)
               ? NULL
               : fault.code;
}

static inline const char *place_refresh(struct oauth_place *p, const char *client,
                                        str token, unsigned scopes,
                                        struct oauth_answer *out)
{
    struct oauth_client c = place_client(p, client);
    struct oauth_fault fault = {0};
    return grants_refresh(p->oauth, &p->arena, &c, token, scopes, out, &fault)
               ? NULL
               : fault.code;
}

static inline struct oauth_answer place_grant(struct oauth_place *p)
{
    struct oauth_answer answer = {0};
    const char *error = place_redeem(p, "app", place_code(p), &answer);
    if (error != NULL)
        fail_msg("%s", error);
    return answer;
}

/* The grant of a token. A database that answers late leaves it open, and is asked again. */
static inline bool place_finds(struct oauth_place *p, str token, struct oauth_grant *g)
{
    bool found, unsure = false;
    UNTIL((found = grant_of_token(p->oauth, &p->arena, token, g, &unsure)) || !unsure);
    return found;
}

static inline bool place_passes(struct oauth_place *p, str token)
{
    struct oauth_grant g;
    return place_finds(p, token, &g);
}

/* Whether a token that another process revoked is refused: immediately with SQLite, soon
 * with PostgreSQL. */
static inline bool place_ends(struct oauth_place *p, str token)
{
    bool passes = place_passes(p, token);
    for (int i = 0; p->name[0] != '\0' && passes && i < 30000; i++) {
        usleep(10000);
        passes = place_passes(p, token);
    }
    return !passes;
}

/* Run tests with a PostgreSQL. */
static inline int place_run_postgres(const struct CMUnitTest *tests, size_t n)
{
    postgres_start();
    int failed = _cmocka_run_group_tests("postgres", tests, n, NULL, NULL);
    postgres_stop();
    return failed;
}

/* Run tests: with the argument "postgres" in a PostgreSQL, and without those of SQLite's
 * files, the first n_files. */
static inline int place_run(int argc, const struct CMUnitTest *tests, size_t n,
                            size_t n_files)
{
    if (argc < 2)
        return _cmocka_run_group_tests("tests", tests, n, NULL, NULL);
    return place_run_postgres(tests + n_files, n - n_files);
}
