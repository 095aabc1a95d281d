#include "check.h"

#include "oauth/rights.h"

static void test_scopes(void **state)
{
    static const struct {
        const char *text;
        int scopes; /* -1: malformed */
        const char *printed;
    } cases[] = {
        {"vault:read", OAUTH_READ, "vault:read"},
        {"vault:write", OAUTH_READ | OAUTH_WRITE, "vault:read vault:write"},
        {"vault:write vault:read", OAUTH_READ | OAUTH_WRITE, "vault:read vault:write"},
        {"openid email profile offline_access", 0, ""},
        {"openid vault:read", OAUTH_READ, "vault:read"},
        {"VAULT:READ", 0, ""},
        {"vault:reader", 0, ""},
        {"", -1, NULL},
        {" vault:read", -1, NULL},
        {"vault:read ", -1, NULL},
        {"vault:read  vault:write", -1, NULL},
        {"vault:read\tvault:write", -1, NULL},
        {"a\"b", -1, NULL},
        {"a\\b", -1, NULL},
        {"\xc3\xa4", -1, NULL},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        unsigned scopes = 77;
        bool ok = rights_read_scopes(str_c(cases[i].text), &scopes);
        CHECK_INT(cases[i].text, ok ? (int)scopes : -1, cases[i].scopes);
        if (ok)
            CHECK_STR(cases[i].text, rights_print_scopes(*state, scopes),
                      cases[i].printed);
    }
}

static void test_folders(void **state)
{
    static const char *const cases[] = {"", "Work", "Work\nHome/Garden\nX"};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct oauth_rights r = {0};
        rights_read_folders(*state, str_c(cases[i]), &r);
        CHECK_INT(cases[i], r.n_folders, i == 0 ? 0 : i == 1 ? 1 : 3);
        CHECK_STR(cases[i], rights_print_folders(*state, &r), cases[i]);
    }
}

/* The root of a vault is a limit, too: it must not become none. */
static void test_root_folder(void **state)
{
    str root = STR("");
    struct oauth_rights r = {.folders = &root, .n_folders = 1};
    str text = rights_print_folders(*state, &r);
    CHECK_STR("text", text, "/");
    rights_read_folders(*state, text, &r);
    assert_int_equal(r.n_folders, 1);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_scopes),
        ARENA_TEST(test_folders),
        ARENA_TEST(test_root_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
