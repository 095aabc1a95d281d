#include "state/copy.h"

#include "oauth_place.h"

static struct store *open_at(const char *where)
{
    struct store *s;
    struct err err = {0};
    if (!store_open(where, &s, &err))
        fail_msg("%s (%s)", err.msg, err.detail);
    return s;
}

static void copy_between(struct arena *a, const char *from, const char *to, bool replace,
                         enum err_code expected)
{
    struct copy c = {.from = open_at(from),
                     .to = open_at(to),
                     .replace = replace,
                     .session = STR("0123456789abcdef0123456789abcdef")};
    struct copied *list;
    size_t n = 0, rows = 0;
    struct err err = {0};
    bool ok = store_copy(&c, a, &list, &n, &err);
    if (ok != (expected == ERR_NONE))
        fail_msg("%s (%s)", err.msg, err.detail);
    assert_int_equal(err.code, expected);
    for (size_t i = 0; ok && i < n; i++)
        rows += list[i].rows;
    assert_true(!ok || (n > 9 && rows >= 4));
    store_close(c.from);
    store_close(c.to);
}

/* A folder to a database and back: everything that was issued still works, and the number
 * of a grant that is gone is not used again. */
static void test_there_and_back(void **state)
{
    char url[160], name[32], back[128];
    struct oauth_place *p = place_new_in(true, false);
    struct oauth_answer first, answer;
    struct oauth_rights rights = {.scopes = OAUTH_READ};
    struct err err;
    str key;
    postgres_new(name, url, sizeof(url));
    place_open(p);
    first = place_grant(p);
    assert_true(keys_add(p->oauth, &p->arena, STR("k"), &rights, &key, &err));
    struct oauth_answer gone = place_grant(p);
    assert_true(grants_revoke_token(p->oauth, STR("app"), gone.refresh_token, &err));
    copy_between(&p->arena, p->database, url, false, ERR_NONE);
    copy_between(&p->arena, p->database, url, false, ERR_EXISTS);
    copy_between(&p->arena, p->database, url, true, ERR_NONE);
    snprintf(back, sizeof(back), "%s/back.db", p->folder);
    copy_between(&p->arena, url, back, false, ERR_NONE);

    const char *places[] = {url, back};
    for (size_t i = 0; i < COUNT_OF(places); i++) {
        struct oauth_place *q = place_new(false);
        q->config.database = places[i];
        place_open(q);
        CHECK(places[i], place_passes(q, first.access_token));
        CHECK(places[i], place_passes(q, key));
        CHECK(places[i],
              place_refresh(q, "app", first.refresh_token, 0, &answer) == NULL);
        (void)place_grant(q);
        CHECK(places[i], place_refresh(q, "app", gone.refresh_token, 0, &answer) != NULL);
        q->config.database = NULL;
        place_free(q);
    }
    place_free(p);
}

/* Open a place, give out a grant, and let the refresh token of another be refused. */
static str grant_there(struct arena *a, const char *where, str refused)
{
    struct oauth_place *q = place_new(false);
    struct oauth_answer answer;
    q->config.database = where;
    place_open(q);
    str token = arena_str(a, place_grant(q).refresh_token);
    if (refused.n > 0)
        CHECK(where, place_refresh(q, "app", refused, 0, &answer) != NULL);
    CHECK(where, place_refresh(q, "app", token, 0, &answer) == NULL);
    q->config.database = NULL;
    place_free(q);
    return token;
}

/* What was copied before is copied again: a grant that was given out in between is gone, and
 * its number is not that of the next one, whose user may be another. */
static void test_older_state(void **state)
{
    char url[160], name[32], file[128];
    struct oauth_place *p = place_new_in(true, false);
    postgres_new(name, url, sizeof(url));
    place_open(p);
    (void)place_grant(p);
    snprintf(file, sizeof(file), "%s/other.db", p->folder);
    const char *places[] = {url, file};
    for (size_t i = 0; i < COUNT_OF(places); i++) {
        copy_between(&p->arena, p->database, places[i], false, ERR_NONE);
        str between = grant_there(&p->arena, places[i], STR(""));
        copy_between(&p->arena, p->database, places[i], true, ERR_NONE);
        (void)grant_there(&p->arena, places[i], between);
    }
    place_free(p);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_there_and_back),
                                       cmocka_unit_test(test_older_state)};
    return place_run_postgres(tests, COUNT_OF(tests));
}
