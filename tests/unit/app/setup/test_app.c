#include "app/setup/app.h"

#include "app/setup/callers.h"
#include "check.h"

/* "propose: write Work, hidden Private": a level for everything else, then places. */
static struct app_grant grant_of(struct arena *a, enum access_level most,
                                 const char *text)
{
    struct app_grant g = {.most = most};
    struct access_place *places = ARENA_ARRAY(a, struct access_place, 8);
    str rest = str_c(text), item, level;
    str_next(&rest, ':', &level);
    CHECK(text, access_level_find(level, &g.places.elsewhere));
    while (rest.n > 0 && str_next(&rest, ',', &item)) {
        struct access_place *place = &places[g.places.n++];
        place->path = str_trim(item);
        str_next(&place->path, ' ', &level);
        CHECK(text, access_level_find(level, &place->level));
    }
    g.places.items = places;
    return g;
}

/* What a grant allows in which vault, as text. */
static void test_grants(void **state)
{
#define NOTHING "read-only\ndeny /\n"
    static const struct {
        size_t n_vaults;
        enum access_level most;
        const char *places, *text;
    } cases[] = {
        {1, ACCESS_WRITE, "write:", ""},
        {1, ACCESS_READ, "write:", "read-only\nelsewhere write\n"},
        {1, ACCESS_PROPOSE, "write:", "propose\nelsewhere write\n"},
        {1, ACCESS_HIDDEN, "write:", NOTHING},
        {1, ACCESS_WRITE, "hidden:", "elsewhere hidden\n"},
        {1, ACCESS_WRITE, "hidden: write Work", "elsewhere hidden\nat write Work\n"},
        {1, ACCESS_READ, "hidden: write [Archive], write *",
         "read-only\nelsewhere hidden\nat write *\nat write [Archive]\n"},
        {1, ACCESS_WRITE, "hidden: write home:Work",
         "elsewhere hidden\nat write home:Work\n"},
        {1, ACCESS_WRITE, "hidden: write ", "elsewhere write\n"},
        {1, ACCESS_WRITE, "hidden: write .git", NOTHING},
        {1, ACCESS_WRITE, "read: write In, propose Work, hidden Diary",
         "elsewhere read\nat hidden Diary\nat write In\nat propose Work\n"},
        {1, ACCESS_WRITE, "hidden: write Work\nelsewhere write", NOTHING},
        {2, ACCESS_WRITE, "write:", ""},
        {2, ACCESS_READ,
         "write:", "read-only\nelsewhere write\nvault\nread-only\nelsewhere write\n"},
        {2, ACCESS_WRITE, "hidden: write Work",
         "elsewhere hidden\nat write Work\nvault\nelsewhere hidden\n"},
        {2, ACCESS_WRITE, "hidden: write home:Work",
         "elsewhere hidden\nvault\nelsewhere hidden\nat write Work\n"},
        {2, ACCESS_WRITE, "hidden: write work:A, read home:B",
         "elsewhere hidden\nat write A\nvault\nelsewhere hidden\nat read B\n"},
        {2, ACCESS_WRITE, "write: hidden home:B",
         "elsewhere write\nvault\nelsewhere write\nat hidden B\n"},
        {2, ACCESS_WRITE, "write: hidden attic:B", NOTHING "vault\n" NOTHING},
        {1, ACCESS_WRITE, "write: read home:B", NOTHING},
        {2, ACCESS_WRITE, "hidden: write attic:A",
         "elsewhere hidden\nat write attic:A\nvault\nelsewhere hidden\n"},
        {2, ACCESS_WRITE,
         "hidden: write home:", "elsewhere hidden\nvault\nelsewhere write\n"},
    };
    struct app_vault vaults[] = {{.name = STR("work")}, {.name = STR("home")}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct app app = {.vaults = vaults, .n_vaults = cases[i].n_vaults};
        struct app_grant g = grant_of(*state, cases[i].most, cases[i].places);
        CHECK_STR(cases[i].places, app_grant_of(&app, *state, STR("ann"), &g),
                  cases[i].text);
    }
}

/* 10,000 places are not a grant, and neither are 10,000 bytes. */
static void test_huge(void **state)
{
    enum { MANY = 10000 };
    struct app_vault vaults[] = {{.name = STR("work")}};
    struct app app = {.vaults = vaults, .n_vaults = 1};
    struct access_place *places = ARENA_ARRAY(*state, struct access_place, MANY);
    struct app_grant g = {.most = ACCESS_WRITE, .places = {ACCESS_WRITE, places, MANY}};
    for (int i = 0; i < MANY; i++)
        places[i] = (struct access_place){arena_printf(*state, "f%d", i), ACCESS_READ};
    CHECK_STR("many", app_grant_of(&app, *state, STR(""), &g), NOTHING);
    places[0].path = arena_printf(*state, "%010000d", 1);
    g.places.n = 1;
    CHECK_STR("long", app_grant_of(&app, *state, STR(""), &g), NOTHING);
}

static void test_tools(void **state)
{
    static const str some[] = {{"vault_read", 10}, {"vault_list", 10}};
    struct app_vault vaults[] = {{.name = STR("work")}};
    struct app app = {.vaults = vaults, .n_vaults = 1};
    struct app_grant g = {.most = ACCESS_WRITE,
                          .places.elsewhere = ACCESS_WRITE,
                          .only_tools = true,
                          .tools = some,
                          .n_tools = 2};
    struct mcp_caller caller = {.grant = app_grant_of(&app, *state, STR(""), &g)};
    CHECK_STR("text", caller.grant,
              "only-tools vault_read,vault_list\nelsewhere write\n");
    caller.rights = app_read_grant(&app, *state, caller.grant);
    CHECK("one", app_may_call(&caller, "vault_list"));
    CHECK("another", !app_may_call(&caller, "vault_write"));
    CHECK("part", !app_may_call(&caller, "vault"));
    CHECK("changes", !app_only_reads(&app, &caller));
    g.n_tools = 0;
    caller.grant = app_grant_of(&app, *state, STR(""), &g);
    caller.rights = app_read_grant(&app, *state, caller.grant);
    CHECK("none", !app_may_call(&caller, "vault_list"));
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_grants),
        ARENA_TEST(test_huge),
        ARENA_TEST(test_tools),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
