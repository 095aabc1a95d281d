/* What the start page says about a vault: sync, what is wrong, and who changed how much; to each person only what is theirs. */
#include "app/web/home_status.h"

#include "app/setup/syncing.h"
#include "page_asked.h"
#include "until.h"

static void fill(struct place *p)
{
    place_put(p, "Home.md", STR("one\n"));
}

/* With a note that clients do not see. */
static void fill_hidden(struct place *p)
{
    fill(p);
    place_put(p, "Secret.md", STR("---\nai: hidden\n---\nx\n"));
}

static struct http_response home(struct app_place *p, const char *user)
{
    return page_ask(p, &(struct page_asked){"/", .user = user});
}

static void change(struct app_place *p, const char *user, int n)
{
    p->peer.caller.user = str_c(user);
    for (int i = 0; i < n; i++) {
        str got = app_call(p, "vault_insert", "'path':'Home.md','content':'x'");
        CHECK(got.p, !str_starts(got, STR("ERROR")));
    }
}

static void test_activity(void **state)
{
    static const struct {
        const char *user, *has;
    } rows[] = {
        {"ann", "3 changes in the last 26 weeks"},
        {"ben", "1 change in the last 26 weeks"},
        {"eva", "0 changes in the last 26 weeks"},
        {"", "4 changes in the last 26 weeks"},
        {"ann", "<i class=\"c2\" title=\""}, /* today */
        {"ben", "<i class=\"c1\" title=\""},
    };
    (void)state;
    struct app_place *p = app_place_open("", fill);
    app_look(p);
    change(p, "ann", 3);
    change(p, "ben", 1);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct http_response out = home(p, rows[i].user);
        page_check(rows[i].has, &out, 200, rows[i].has, NULL);
    }
    struct http_response none = home(p, "eva");
    page_check("no change of others", &none, 200, "Activity", "/changes?app=");
    app_place_close(p);
}

static void test_no_sync(void **state)
{
    (void)state;
    struct app_place *p = app_place_open("", fill);
    app_look(p);
    struct http_response out = home(p, "ann");
    page_check("none", &out, 200, "Running since", "<dt>Sync</dt>");
    page_check("nothing is wrong", &out, 200, "Search by meaning", "role=\"alert\"");
    app_place_close(p);
}

static bool has_failed(struct app_place *p)
{
    struct sync_state s;
    struct arena a = {0};
    sync_state(p->app.vaults[0].sync.sync, &a, &s);
    bool failed = s.last_error.n > 0 && s.running_since == 0;
    arena_release(&a);
    return failed;
}

/* The error of sync may name any file, so a caller who does not see all of them gets another sentence. */
static void test_sync_fails(void **state)
{
    static const struct {
        void (*fill)(struct place *p);
        const char *user, *has, *lacks;
    } rows[] = {
        {fill, "ann", "Sync fails: ", SYNCING_FAILED},
        {fill_hidden, "ann", "Sync fails: ", SYNCING_FAILED},
        {fill_hidden, "", SYNCING_FAILED, "Sync fails: "},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct app_place *p = app_place_open(
            "--sync-command false --sync-quiet 0 --sync-interval 0", rows[i].fill);
        app_look(p);
        change(p, "ann", 1);
        UNTIL(has_failed(p));
        struct http_response out = home(p, rows[i].user);
        page_check(rows[i].has, &out, 200, rows[i].has, rows[i].lacks);
        page_check("not synced", &out, 200, "<dt>Sync</dt><dd>not synced yet", NULL);
        app_place_close(p);
    }
}

static void test_synced(void **state)
{
    (void)state;
    struct app_place *p =
        app_place_open("--sync-command true --sync-quiet 0 --sync-interval 0", fill);
    struct http_response out;
    app_look(p);
    change(p, "ann", 1);
    UNTIL(
        (out = home(p, "ann"), str_find(out.body, STR("last synced <time")) != STR_NONE));
    page_check("fine", &out, 200, "<dt>Sync</dt>", "role=\"alert\"");
    app_place_close(p);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_activity),
        cmocka_unit_test(test_no_sync),
        cmocka_unit_test(test_sync_fails),
        cmocka_unit_test(test_synced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
