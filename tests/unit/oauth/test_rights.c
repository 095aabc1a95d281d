#include "check.h"

#include "oauth/rights.h"

static void test_scopes(void **state)
{
    static const struct {
        const char *text;
        int scopes; /* -1: broken */
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

static void test_within(void **state)
{
    static const struct {
        unsigned scopes_a;
        const char *a;
        unsigned scopes_b;
        const char *b;
        bool within;
    } cases[] = {
        {OAUTH_READ, "", OAUTH_READ, "", true},
        {OAUTH_READ, "", OAUTH_READ | OAUTH_WRITE, "", true},
        {OAUTH_READ | OAUTH_WRITE, "", OAUTH_READ, "", false},
        {OAUTH_READ, "Work", OAUTH_READ, "", true},
        {OAUTH_READ, "", OAUTH_READ, "Work", false},
        {OAUTH_READ, "Work/Plan", OAUTH_READ, "Work", true},
        {OAUTH_READ, "Workshop", OAUTH_READ, "Work", false},
        {OAUTH_READ, "Work\nHome", OAUTH_READ, "Home\nWork", true},
        {OAUTH_READ, "Work\nElse", OAUTH_READ, "Home\nWork", false},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct oauth_rights a = {.scopes = cases[i].scopes_a};
        struct oauth_rights b = {.scopes = cases[i].scopes_b};
        rights_read_folders(*state, str_c(cases[i].a), &a);
        rights_read_folders(*state, str_c(cases[i].b), &b);
        CHECK_INT(cases[i].a, rights_within(&a, &b), cases[i].within);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_scopes),
        ARENA_TEST(test_folders),
        ARENA_TEST(test_within),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
