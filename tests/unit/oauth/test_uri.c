#include "check.h"

#include "oauth/uri.h"

/* What real clients register (SEC-24), and what is never allowed (SEC-21). */
static void test_SEC_21_SEC_24_redirects(void **state)
{
    static const struct {
        const char *uri;
        bool good;
    } cases[] = {
        {"https://claude.ai/api/mcp/auth_callback", true},
        {"https://claude.com/api/mcp/auth_callback", true},
        {"https://chatgpt.com/connector/oauth/a_B-c1", true},
        {"https://chatgpt.com/connector_platform_oauth_redirect", true},
        {"cursor://anysphere.cursor-mcp/oauth/callback", true},
        {"https://www.cursor.com/agents/mcp/oauth/callback", true},
        {"http://localhost:8787/callback", true},
        {"http://127.0.0.1:33418", true},
        {"http://127.0.0.1:33418/", true},
        {"https://vscode.dev/redirect", true},
        {"http://localhost/callback", true},
        {"http://localhost:6274/oauth/callback", true},
        {"http://localhost:3334/oauth/callback", true},
        {"http://[::1]:1234/cb", true},
        {"https://[2001:db8::1]/cb", true},
        {"https://a.example:8443/cb?x=1&y=%20", true},
        {"com.example.app://host/cb", true},

        {"", false},
        {"/cb", false},
        {"//a.example/cb", false},
        {"https:a.example/cb", false},
        {"https:/a.example/cb", false},
        {"https:///cb", false},
        {"https://", false},
        {"https://?x", false},
        {"https://:443/cb", false},
        {"https://a.example:/cb", false},
        {"https://a.example:0/cb", false},
        {"https://a.example:080/cb", false},
        {"https://a.example:65536/cb", false},
        {"https://a.example:4x/cb", false},
        {"https://a.example/cb#", false},
        {"https://a.example/cb#f", false},
        {"https://user@a.example/cb", false},
        {"https://user:pass@a.example/cb", false},
        {"https://*.example/cb", false},
        {"https://a.example/*", false},
        {"https://a.example\\@evil.example/cb", false},
        {"https://a.example/\\cb", false},
        {"https://a.example/c b", false},
        {"https://a.example/c\tb", false},
        {"https://a.example/c\r\nb", false},
        {"https://a.example/\x7f", false},
        {"https://\xc3\xa4.example/cb", false},
        {"https://a%2eexample/cb", false},
        {"https://a..example/cb", false},
        {"https://.example/cb", false},
        {"https://a.example/../cb", false},
        {"https://a.example/x/./cb", false},
        {"https://a.example/%2e%2E/cb", false},
        {"https://a.example/.%2e/cb", false},
        {"https://a.example/%", false},
        {"https://a.example/%4", false},
        {"https://a.example/%zz", false},
        {"https://a.example/<x>", false},
        {"https://[::1", false},
        {"https://[::1]x/cb", false},
        {"https://[]/cb", false},
        {"http://a.example/cb", false},
        {"HTTP://a.example/cb", false},
        {"http://127.0.0.2/cb", false},
        {"http://127.1/cb", false},
        {"http://localhost.evil.example/cb", false},
        {"http://LOCALHOST/cb", false},
        {"http://0.0.0.0/cb", false},
        {"javascript://x/%0aalert(1)", false},
        {"JavaScript://x/y", false},
        {"data://x/y", false},
        {"vbscript://x/y", false},
        {"file://x/etc/passwd", false},
        {"blob://x/y", false},
        {"filesystem://x/y", false},
        {"intent://x/y", false},
        {"about://blank", false},
        {"view-source://x/y", false},
        {"ftp://x/y", false},
        {"ws://x/y", false},
        {"wss://x/y", false},
        {"com.example.app:/cb", false},
        {"1app://x/y", false},
        {"://x/y", false},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct err err = {0};
        CHECK_INT(cases[i].uri, uri_check_redirect(str_c(cases[i].uri), &err),
                  cases[i].good);
    }
    struct err err;
    char *long_uri = arena_alloc(*state, 3000);
    memset(long_uri, 'a', 3000);
    memcpy(long_uri, "https://x/", 10);
    assert_true(uri_check_redirect((str){long_uri, 2048}, &err));
    assert_false(uri_check_redirect((str){long_uri, 2049}, &err));
    assert_false(uri_check_redirect((str){"https://x/\0y", 12}, &err));
}

/* The 26 variants of SEC-40, and the only difference that is allowed. */
static void test_SEC_41_same_redirect(void **state)
{
    static const char registered[] = "https://app.example.com/oauth/callback";
    static const char *const variants[] = {
        "https://app.example.com/oauth/callback/",
        "https://app.example.com/oauth/Callback",
        "https://APP.example.com/oauth/callback",
        "HTTPS://app.example.com/oauth/callback",
        "http://app.example.com/oauth/callback",
        "https://app.example.com:443/oauth/callback",
        "https://app.example.com:8443/oauth/callback",
        "https://app.example.com//oauth/callback",
        "https://app.example.com/oauth//callback",
        "https://app.example.com/oauth/./callback",
        "https://app.example.com/oauth/x/../callback",
        "https://app.example.com/oauth/%63allback",
        "https://app.example.com/oauth%2Fcallback",
        "https://app.example.com/oauth/callback?",
        "https://app.example.com/oauth/callback?x=1",
        "https://app.example.com/oauth/callback#",
        "https://app.example.com/oauth/callback#x",
        "https://user@app.example.com/oauth/callback",
        "https://app.example.com@evil.example/oauth/callback",
        "https://app.example.com.evil.example/oauth/callback",
        "https://evil.example/https://app.example.com/oauth/callback",
        "https://app.example.com\\.evil.example/oauth/callback",
        "https:\\\\app.example.com/oauth/callback",
        "https://app.example.com./oauth/callback",
        "https://app-example.com/oauth/callback",
        "https://app.example.com/oauth/callback%00",
        " https://app.example.com/oauth/callback",
        "https://app.example.com/oauth/callback ",
        "https://app.example.com/oauth",
        "https://app.ex\xc3\xa4mple.com/oauth/callback",
        "",
    };
    assert_true(uri_same_redirect(str_c(registered), str_c(registered)));
    for (size_t i = 0; i < COUNT_OF(variants); i++)
        CHECK(variants[i], !uri_same_redirect(str_c(variants[i]), str_c(registered)));
    assert_false(uri_same_redirect((str){registered, sizeof(registered)},
                                   str_c(registered))); /* with a NUL */

    static const struct {
        const char *given, *registered;
        bool same;
    } loopback[] = {
        {"http://localhost:4711/callback", "http://localhost/callback", true},
        {"http://localhost:4711/callback", "http://localhost:3334/callback", true},
        {"http://localhost/callback", "http://localhost:3334/callback", true},
        {"http://127.0.0.1:9/", "http://127.0.0.1/", true},
        {"http://[::1]:9/x?y", "http://[::1]/x?y", true},
        {"http://127.0.0.1:9", "http://127.0.0.1/", false},
        {"http://127.0.0.1/callback", "http://localhost/callback", false},
        {"http://localhost:4711/callback/", "http://localhost/callback", false},
        {"http://localhost:4711/callback?x", "http://localhost/callback", false},
        {"http://localhost:99999/callback", "http://localhost/callback", false},
        {"http://localhost:/callback", "http://localhost/callback", false},
        {"http://u@localhost:1/callback", "http://localhost/callback", false},
        {"http://localhost:1@evil.example/callback", "http://localhost/callback", false},
        {"http://localhost.evil.example/callback", "http://localhost/callback", false},
        {"https://localhost:1/callback", "http://localhost/callback", false},
        {"https://localhost:1/callback", "https://localhost:2/callback", false},
        {"http://LOCALHOST:1/callback", "http://localhost/callback", false},
        {"cursor://localhost:1/cb", "cursor://localhost/cb", false},
    };
    for (size_t i = 0; i < COUNT_OF(loopback); i++)
        CHECK_INT(
            loopback[i].given,
            uri_same_redirect(str_c(loopback[i].given), str_c(loopback[i].registered)),
            loopback[i].same);
}

static void test_SEC_08_resource(void **state)
{
    static const struct {
        const char *given;
        bool ours;
    } cases[] = {
        {"https://vault.example.com", true},
        {"https://vault.example.com/", true},
        {"https://vault.example.com/mcp", true},
        {"https://vault.example.com/mcp/", true},
        {"HTTPS://Vault.Example.com/mcp", true},
        {"https://vault.example.com:443/mcp", true},
        {"https://vault.example.com/MCP", false},
        {"https://vault.example.com/mcp//", false},
        {"https://vault.example.com/mcp/x", false},
        {"https://vault.example.com/mcpx", false},
        {"https://vault.example.com/mcp?x", false},
        {"https://vault.example.com/mcp#", false},
        {"https://vault.example.com#x", false},
        {"https://vault.example.com:8443/mcp", false},
        {"http://vault.example.com/mcp", false},
        {"https://evil.example/mcp", false},
        {"https://vault.example.com.evil.example", false},
        {"https://x@vault.example.com", false},
        {"vault.example.com", false},
        {"", false},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        CHECK_INT(cases[i].given,
                  uri_is_resource(str_c(cases[i].given), STR("https://vault.example.com"),
                                  STR("/mcp")),
                  cases[i].ours);
    assert_true(
        uri_is_resource(STR("https://h/base/mcp"), STR("https://h/base"), STR("/mcp")));
    assert_true(
        uri_is_resource(STR("https://h/base/"), STR("https://h/base"), STR("/mcp")));
    assert_false(
        uri_is_resource(STR("https://h/mcp"), STR("https://h/base"), STR("/mcp")));
}

static void test_place(void **state)
{
    CHECK_STR("https", uri_place(*state, STR("https://a.example:1/cb")), "a.example");
    CHECK_STR("http", uri_place(*state, STR("http://localhost:1/cb")), "localhost");
    CHECK_STR("private", uri_place(*state, STR("cursor://x.y/cb")), "cursor://x.y");
    CHECK_STR("none", uri_place(*state, STR("")), "");
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_SEC_21_SEC_24_redirects),
        ARENA_TEST(test_SEC_41_same_redirect),
        ARENA_TEST(test_SEC_08_resource),
        ARENA_TEST(test_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
