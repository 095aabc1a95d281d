/* What callers see of hosted vaults: the table and the grant must both allow it. */
#include "app/setup/callers.h"

#include "app/setup/reach.h"
#include "app/setup/vaults.h"
#include "base/sbuf.h"
#include "state/vault_table.h"
#include "vault_place.h"

struct world {
    struct place *place;
    struct app app;
};

/* team: ann and ben; notes: ann; open: everybody; empty: no one. The last is allowed first,
 * so it is the default. */
static void fill(struct app *app)
{
    static const char *const rows[][3] = {{"team", "ann", "ben"},
                                          {"Notes", "ann", NULL},
                                          {"open", VAULT_TABLE_EVERYBODY, NULL},
                                          {"empty", NULL, NULL}};
    struct arena a = {0};
    struct store *s;
    struct err err = {0};
    bool ok = store_open(reach_state(&a, &app->settings), &s, &err);
    for (size_t i = 0; ok && i < COUNT_OF(rows); i++) {
        struct vault_table_row row = {.name = str_c(rows[i][0])};
        ok = vault_table_add(s, &row, &err);
    }
    for (size_t i = COUNT_OF(rows); ok && i-- > 0;)
        for (size_t k = 1; ok && k < 3 && rows[i][k] != NULL; k++)
            ok = vault_table_allow(s, str_c(rows[i][0]), str_c(rows[i][k]), &err);
    store_close(s);
    arena_release(&a);
    if (!ok)
        fail_msg("%s", err.msg);
}

static int setup(void **state)
{
    struct world *w = mem_zero(sizeof(*w));
    struct err err = {0};
    void *place;
    place_setup(&place);
    w->place = place;
    assert_int_equal(mkdir(w->place->state, 0700), 0);
    w->app = (struct app){.state_dir = w->place->state,
                          .settings = {.state_dir = str_c(w->place->state),
                                       .vaults_dir = str_c(w->place->folder)}};
    fill(&w->app);
    if (!vaults_open(&w->app, &err))
        fail_msg("%s", err.msg);
    *state = w;
    return 0;
}

static int teardown(void **state)
{
    struct world *w = *state;
    void *place = w->place;
    vaults_close(&w->app);
    arena_release(&w->app.arena);
    place_teardown(&place);
    free(w);
    return 0;
}

static struct mcp_caller with_grant(struct world *w, str grant)
{
    return (struct mcp_caller){
        .grant = grant, .rights = app_read_grant(&w->app, &w->place->arena, grant)};
}

/* A grant for these places, or for everything. */
static str grant_for(struct world *w, const char *person, enum access_level most,
                     const struct access_place *places, size_t n)
{
    struct app_grant g = {.most = most,
                          .places = {n > 0 ? ACCESS_HIDDEN : ACCESS_WRITE, places, n}};
    return app_grant_of(&w->app, &w->place->arena, str_c(person), &g);
}

/* The caller sees these vaults, the default first. */
static void check_seen(const char *name, struct world *w, const struct mcp_caller *caller,
                       const char *expected)
{
    struct arena *a = &w->place->arena;
    struct app_vault **list;
    size_t n = vaults_seen(&w->app, a, caller, &list), wanted = 0;
    str rest = str_c(expected), one;
    while (rest.n > 0 && str_next(&rest, ' ', &one)) {
        struct app_vault *v = vaults_find(&w->app, caller, one);
        CHECK(name, v != NULL && app_sees(v, caller));
        CHECK(name, wanted < n && list[wanted] == v);
        wanted++;
    }
    CHECK_INT(name, n, wanted);
    CHECK(name, vaults_first(&w->app, caller) == (n > 0 ? list[0] : NULL));
}

/* A message for a caller names what the caller sees, and nothing else. */
static void test_names(void **state)
{
    struct world *w = *state;
    struct arena *a = &w->place->arena;
    struct mcp_caller ann = with_grant(w, grant_for(w, "ann", ACCESS_WRITE, NULL, 0));
    CHECK_STR("all", vaults_names(&w->app, a, &ann, 100), "open, Notes, team");
    CHECK_STR("some", vaults_names(&w->app, a, &ann, 6), "open, Notes, ...");
    struct mcp_caller eve = with_grant(w, grant_for(w, "eve", ACCESS_WRITE, NULL, 0));
    CHECK_STR("another", vaults_names(&w->app, a, &eve, 100), "open");
}

static void test_grants(void **state)
{
    static const struct {
        const char *name, *person;
        const char *folders[2];
        const char *seen;
    } cases[] = {
        {"what the table allows", "ann", {0}, "open Notes team"},
        {"another person", "ben", {0}, "open team"},
        {"a stranger", "eve", {0}, "open"},
        {"names are exact", "Ann", {0}, "open"},
        {"a person named as everybody is not everybody", "*", {0}, "open"},
        {"a line in a name", "ann\nperson ben", {0}, "open"},
        {"a grant for one vault", "ann", {"team:"}, "team"},
        {"for folders of two, ignoring case",
         "ann",
         {"team:Work", "NOTES:"},
         "Notes team"},
        {"for a vault that the table denies", "ben", {"Notes:"}, ""},
        {"for one that there is not", "ann", {"attic:"}, ""},
        {"a folder without a vault", "ann", {"Work"}, ""},
    };
    struct world *w = *state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct access_place folders[COUNT_OF(cases[i].folders)];
        size_t n = 0;
        for (; n < COUNT_OF(folders) && cases[i].folders[n] != NULL; n++)
            folders[n] = (struct access_place){str_c(cases[i].folders[n]), ACCESS_WRITE};
        struct mcp_caller caller =
            with_grant(w, grant_for(w, cases[i].person, ACCESS_WRITE, folders, n));
        check_seen(cases[i].name, w, &caller, cases[i].seen);
        CHECK(cases[i].name, !app_only_reads(&w->app, &caller));
    }
}

/* What is not a grant allows nothing; without one, the operator sees everything. */
static void test_invalid(void **state)
{
    static const char *const grants[] = {
        "read= Work\n",
        "read-only\n",
        "person ann\nwhatever\n",
        "in team:\n",
        "person %zz\nin team:",
        "PERSON ann\n",
        "person ann\n",
        "person ann\nread-only\n",
        "person ann\nat-most write\n",
        "person ann\nat-most all\nelsewhere write\n",
        "person ann\nat-most write\nelsewhere all\n",
        "person ann\nat-most write\nelsewhere write\nat x team:\n",
        "person ann\nat-most hidden\nelsewhere write\n",
        "person ann\nat-most write\nelsewhere hidden\n"};
    struct world *w = *state;
    for (size_t i = 0; i < COUNT_OF(grants); i++) {
        struct mcp_caller caller = with_grant(w, str_c(grants[i]));
        check_seen(grants[i], w, &caller, "");
        CHECK(grants[i], app_only_reads(&w->app, &caller));
    }
    check_seen("the operator", w, &(struct mcp_caller){0}, "team Notes open empty");
}

static void test_paths(void **state)
{
    struct world *w = *state;
    struct access_place folder = {STR("team:Work"), ACCESS_WRITE};
    struct mcp_caller all = with_grant(w, grant_for(w, "ben", ACCESS_READ, NULL, 0));
    struct mcp_caller some = with_grant(w, grant_for(w, "ben", ACCESS_WRITE, &folder, 1));
    struct mcp_caller none = {0};
    struct app_vault *team = vaults_find(&w->app, &none, STR("team"));
    struct app_vault *notes = vaults_find(&w->app, &none, STR("notes"));
    CHECK("read-only", app_only_reads(&w->app, &all));
    CHECK("everything", app_may_read(team, &all, STR("Home/x.md")));
    CHECK("not of another", !app_may_read(notes, &all, STR("x.md")));
    CHECK("the folder", app_may_read(team, &some, STR("Work/x.md")));
    CHECK("beside it", !app_may_read(team, &some, STR("Home/x.md")));
    CHECK("the operator", app_may_read(notes, &none, STR("x.md")));
}

/* A level for each vault, and for folders in it. */
static void test_levels(void **state)
{
    struct world *w = *state;
    struct mcp_caller none = {0};
    struct app_vault *team = vaults_find(&w->app, &none, STR("team"));
    struct app_vault *notes = vaults_find(&w->app, &none, STR("notes"));
    const struct access_place places[] = {{STR("team:"), ACCESS_READ},
                                          {STR("team:Private"), ACCESS_HIDDEN},
                                          {STR("Notes:"), ACCESS_PROPOSE},
                                          {STR("empty:"), ACCESS_WRITE},
                                          {STR("open:"), ACCESS_HIDDEN}};
    struct mcp_caller ann = with_grant(w, grant_for(w, "ann", ACCESS_WRITE, places, 5));
    check_seen("levels", w, &ann, "Notes team");
    CHECK("restricted", app_is_restricted(team, &ann) && !app_is_restricted(notes, &ann));
    CHECK("proposes", !app_only_reads(&w->app, &ann));
    CHECK("read", app_may_read(team, &ann, STR("a.md")));
    CHECK("hidden", !app_may_read(team, &ann, STR("Private/a.md")));
    struct mcp_caller reader =
        with_grant(w, grant_for(w, "ann", ACCESS_WRITE, places, 2));
    CHECK("reads", app_only_reads(&w->app, &reader));
    struct app_grant all_but = {.most = ACCESS_WRITE,
                                .places = {ACCESS_WRITE, &places[4], 1}};
    struct mcp_caller others =
        with_grant(w, app_grant_of(&w->app, &w->place->arena, STR("ann"), &all_but));
    check_seen("all but one", w, &others, "Notes team");
}

/* An error names only what the caller sees. */
static void test_unknown(void **state)
{
    struct world *w = *state;
    struct err err = {0};
    struct mcp_caller ben = with_grant(w, grant_for(w, "ben", ACCESS_WRITE, NULL, 0));
    CHECK("hidden", vaults_find(&w->app, &ben, STR("Notes")) == NULL);
    assert_false(vaults_unknown(&w->app, &ben, STR("Notes"), &err));
    CHECK("seen", strstr(err.msg, "team") != NULL && strstr(err.msg, "open") != NULL);
    CHECK("unseen", strstr(err.msg, "empty") == NULL);
    CHECK_INT("code", err.name, E_VAULT_NOT_FOUND);
}

/* A person without a client, on a web page. */
static void test_person(void **state)
{
    struct world *w = *state;
    struct arena *a = &w->place->arena;
    struct mcp_caller ann = app_caller(&w->app, a, STR("ann"));
    struct mcp_caller operator_ = app_caller(&w->app, a, STR(""));
    check_seen("ann", w, &ann, "open Notes team");
    check_seen("the operator", w, &operator_, "team Notes open empty");
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_grants, setup, teardown),
        cmocka_unit_test_setup_teardown(test_names, setup, teardown),
        cmocka_unit_test_setup_teardown(test_invalid, setup, teardown),
        cmocka_unit_test_setup_teardown(test_paths, setup, teardown),
        cmocka_unit_test_setup_teardown(test_unknown, setup, teardown),
        cmocka_unit_test_setup_teardown(test_levels, setup, teardown),
        cmocka_unit_test_setup_teardown(test_person, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
