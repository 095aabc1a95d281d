/* Plans for a client's file: what they hold before anything is written, and the entries that
 * are found. test_connect.c and connect.test.mjs show the command. */
#include "app/cli/connect_plan.h"

#include "app_place.h"
#include "check.h"

static const struct client *client(const char *name)
{
    struct err err = {0};
    const struct client *c = client_find(str_c(name), &err);
    if (c == NULL)
        fail_msg("%s", err.msg);
    return c;
}

static const str served[] = {{"serve", 5}, {"/n", 2}};

static struct connect_request request(bool remove)
{
    return (struct connect_request){
        .name = STR("vault"),
        .command = STR("/v"),
        .args = served,
        .n_args = COUNT_OF(served),
        .remove = remove,
    };
}

static void test_names(void **state)
{
    static const struct {
        const char *name;
        bool good;
    } rows[] = {
        {"vault", true}, {"my-vault_2", true}, {"", false},    {"a b", false},
        {"a.b", false},  {"é", false},         {"a/b", false}, {"a\"b", false},
    };
    char longest[CONNECT_NAME_MAX + 1];
    struct err err = {0};
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        CHECK(rows[i].name,
              connect_check_name(str_c(rows[i].name), &err) == rows[i].good);
    memset(longest, 'a', sizeof(longest));
    CHECK("longest", connect_check_name((str){longest, CONNECT_NAME_MAX}, &err));
    CHECK("too long", !connect_check_name((str){longest, sizeof(longest)}, &err));
    CHECK("with a zero byte", !connect_check_name((str){"a\0b", 3}, &err));
}

static void test_urls(void **state)
{
    static const struct {
        const char *url, *out; /* NULL: refused */
    } rows[] = {
        {"https://v.example", "https://v.example/mcp"},
        {"https://v.example/", "https://v.example/mcp"},
        {"http://127.0.0.1:8090", "http://127.0.0.1:8090/mcp"},
        {"https://v.example/a/mcp", "https://v.example/a/mcp"},
        {"https://v.example/?x=1", "https://v.example/?x=1"},
        {"ftp://v.example", NULL},
        {"v.example", NULL},
        {"https://", NULL},
        {"https://v.example/a b", NULL},
        {"https://v.example/\x7f", NULL},
        {"https://v.example/\xff", NULL},
        {"", NULL},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct err err = {0};
        str out = STR("");
        bool good = connect_url(*state, str_c(rows[i].url), &out, &err);
        CHECK(rows[i].url, good == (rows[i].out != NULL));
        CHECK_STR(rows[i].url, out, good ? rows[i].out : "");
        CHECK(rows[i].url, good || err.code == ERR_INVALID);
    }
}

#define TABLE "[mcp_servers.vault]\ncommand = \"/v\"\nargs = [\"serve\", \"/n\"]\n"

/* Each row: the file of Codex before, and what the plan has. */
static void test_plans(void **state)
{
    struct place *p = *state;
    static const struct {
        const char *before; /* NULL: there is no file */
        bool remove;
        const char *after, *says; /* says: it is refused */
    } rows[] = {
        {NULL, false, TABLE},
        {NULL, true, ""},
        {"a = 1\n", false, "a = 1\n\n" TABLE},
        {TABLE, false, TABLE},
        {"a = 1\n\n" TABLE, true, "a = 1\n"},
        {"[mcp_servers.vault]\nx = 1\n", false,
         .says = "'vault' has other settings: change the file by hand; nothing was "
                 "written"},
        {"mcp_servers = 1\n", false, .says = "'mcp_servers' is not a table: "},
        {"mcp_servers = 1\n", true, .says = "'mcp_servers' is not a table: "},
        {"a = '\n", false, .says = "line 1, column 5: this string is not closed"},
    };
    app_place_clean_environment(p);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const char *name = rows[i].before != NULL ? rows[i].before : "(none)";
        struct connect_request wanted = request(rows[i].remove);
        struct connect_plan plan;
        struct err err = {0};
        if (rows[i].before != NULL)
            place_put(p, "../.codex/config.toml", str_c(rows[i].before));
        bool good = connect_make_plan(&p->arena, client("codex"), &wanted, &plan, &err);
        CHECK(name, good == (rows[i].says == NULL));
        CHECK_STR(name, plan.snippet, rows[i].remove ? "" : TABLE);
        if (!good) {
            CHECK(name, strstr(err.msg, rows[i].says) != NULL);
            CHECK(name, strstr(err.msg, "/.codex/config.toml: ") != NULL);
            continue;
        }
        CHECK_STR(name, plan.after, rows[i].after);
        CHECK(name, connect_changes_file(&plan) ==
                        !str_eq(str_c(rows[i].before), str_c(rows[i].after)));
        CHECK(name, plan.installed == (rows[i].before != NULL));
    }
}

static void test_carry_out(void **state)
{
    struct place *p = *state;
    struct connect_request add = request(false), remove = request(true);
    struct connect_plan first, late;
    struct err err = {0};
    str backup = STR("");
    app_place_clean_environment(p);
    if (!connect_make_plan(&p->arena, client("codex"), &add, &first, &err) ||
        !connect_make_plan(&p->arena, client("codex"), &add, &late, &err) ||
        !connect_carry_out(&p->arena, &first, &backup, &err))
        fail_msg("%s", err.msg);
    CHECK_STR("a new file has no backup", backup, "");
    CHECK("written in between",
          !connect_carry_out(&p->arena, &late, &backup, &err) && backup.n == 0);
    if (!connect_make_plan(&p->arena, client("codex"), &remove, &late, &err) ||
        !connect_carry_out(&p->arena, &late, &backup, &err))
        fail_msg("%s", err.msg);
    CHECK("backup", str_find(backup, STR("/.codex/config.toml.backup-")) != STR_NONE);
    if (!connect_make_plan(&p->arena, client("codex"), &remove, &late, &err))
        fail_msg("%s", err.msg);
    CHECK_STR("removed", late.file.text, "");
    CHECK("nothing left to do", !connect_needed(&late));
}

/* Entries of other programs are not ours; what ours start is checked. */
static void test_look(void **state)
{
    struct place *p = *state;
    static const struct {
        const char *name, *what, *wrong;
    } rows[] = {
        {"gone", "", "there is no program /none/vaultd"},
        {"vault", "https://v.example/mcp", ""},
    };
    struct connect_found found;
    app_place_clean_environment(p);
    connect_look(&p->arena, client("cursor"), STR("/v"), &found);
    CHECK("no file", found.n == 0 && !found.installed && found.unreadable.n == 0);
    place_put(
        p, "../.cursor/mcp.json",
        STR("{\"mcpServers\":{\"other\":{\"command\":\"node\"},\"gone\":{\"command\":"
            "\"/none/vaultd\"},\"x\":{\"url\":\"https://x\"},\"vault\":{\"url\":"
            "\"https://v.example/mcp\"}}}"));
    connect_look(&p->arena, client("cursor"), STR("/v"), &found);
    CHECK("installed", found.installed);
    assert_int_equal(found.n, COUNT_OF(rows));
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        CHECK_STR(rows[i].name, found.entries[i].name, rows[i].name);
        CHECK_STR(rows[i].name, found.entries[i].what, rows[i].what);
        CHECK_STR(rows[i].name, found.entries[i].wrong, rows[i].wrong);
    }
    place_put(p, "../.cursor/mcp.json", STR("{"));
    connect_look(&p->arena, client("cursor"), STR("/v"), &found);
    CHECK_STR("unreadable", found.unreadable,
              "line 1, column 2: a key in quotes or '}' is expected here");
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_names), ARENA_TEST(test_urls),      PLACE_TEST(test_plans),
        PLACE_TEST(test_look),  PLACE_TEST(test_carry_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
