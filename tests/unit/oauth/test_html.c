/* Everything on a page is escaped, and names chosen by strangers are harmless. */
#include "check.h"
#include "http/response.h"

#include "oauth/html.h"
#include "oauth/page.h"

static void test_SEC_44_escape(void **state)
{
    static const struct {
        str text;
        const char *want;
    } rows[] = {
        {STR(""), ""},
        {STR("plain \xc3\xa4 \xf0\x9f\x8c\xb1"), "plain \xc3\xa4 \xf0\x9f\x8c\xb1"},
        {STR("<script>alert('x')</script>"),
         "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;"},
        {STR("\" onload=\"x"), "&quot; onload=&quot;x"},
        {STR("a & b &amp; c"), "a &amp; b &amp;amp; c"},
        {STR("nul\0here"), "nul\xef\xbf\xbdhere"},
        {STR("\x1b[31m\x7f\xc2\x85"), "\xef\xbf\xbd[31m\xef\xbf\xbd\xef\xbf\xbd"},
        {STR("broken \xff\xc3 utf-8"), "broken \xef\xbf\xbd\xef\xbf\xbd utf-8"},
        {STR("line\nand\ttab"), "line\nand\ttab"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct sbuf out = SBUF_ON(*state);
        html_escape(&out, rows[i].text);
        CHECK_STR(rows[i].want, sbuf_str(&out), rows[i].want);
    }
}

static void test_elements(void **state)
{
    struct html h = HTML_ON(*state);
    html_open(&h, "p");
    html_open(&h, "a", {"href", STR("/x?a=1&b=\"2\"")},
              {false ? "class" : NULL, STR("no")});
    html_text(&h, STR("1 < 2"));
    html_end(&h);
    html_void(&h, "input", {"value", STR("'")}, {"checked"});
    html_line(&h, "b", "c", STR("&"));
    html_line(&h, "i", NULL, STR(""));
    html_end(&h);
    CHECK_STR("elements", html_done(&h),
              "<p><a href=\"/x?a=1&amp;b=&quot;2&quot;\">1 &lt; 2</a>"
              "<input value=\"&#39;\" checked><b class=\"c\">&amp;</b><i></i></p>");
}

/* --- pages --- */

static const struct page_site site = {{"/v", 2}, {"<Vault>", 7}};

static bool has(str page, const char *text)
{
    return str_find(page, str_c(text)) != STR_NONE;
}

static void check_page(const char *row, str page)
{
    CHECK(row, str_starts(page, STR("<!DOCTYPE html>")));
    size_t end = str_find(page, STR("</footer>")); /* our script comes after it */
    CHECK(row, end != STR_NONE && !has(str_slice(page, 0, end), "<script"));
    CHECK(row, !has(page, "<Vault>") && !has(page, "<evil>"));
    CHECK(row, !has(page, " style=") && !has(page, "http:") && !has(page, "https:"));
    CHECK(row, !has(page, "onload") || has(page, "&quot; onload"));
    CHECK(row, has(page, "<main>") && has(page, "lang=\"en\"") && has(page, "<h1"));
}

static void test_pages(void **state)
{
    static const str folders[] = {{"A \"b\"", 5}};
    static const struct page_provider providers[] = {{{"github", 6}, {"GitHub", 6}}};
    struct page_client evil = {.name = STR("<evil>\" onload=x"),
                               .redirect_host = STR("<evil>"),
                               .id_host = STR("<evil>")};
    struct page_login login = {.ticket = STR("t"),
                               .client = &evil,
                               .password = true,
                               .providers = providers,
                               .n_providers = 1,
                               .error = STR("<evil>")};
    str page = page_login(*state, &site, &login);
    check_page("login", page);
    CHECK("login", has(page, "action=\"/v/oauth/login\"") && has(page, "role=\"alert\""));
    CHECK("login", has(page, "action=\"/v/oauth/upstream\""));
    CHECK("login", has(page, "<label for=\"password\">"));

    struct rights_place place = {folders[0], RIGHTS_NONE};
    const bool inherits = false;
    struct page_consent consent = {.ticket = STR("t"),
                                   .user = STR("<evil>"),
                                   .client = evil,
                                   .most = RIGHTS_READ,
                                   .chosen = RIGHTS_READ,
                                   .places = &place,
                                   .n_places = 1,
                                   .inherit = &inherits};
    page = page_consent(*state, &site, &consent);
    check_page("consent", page);
    CHECK("consent", has(page, "value=\"read A &quot;b&quot;\">"));
    CHECK("no write", !has(page, "value=\"write\"") && !has(page, "class=\"warning\""));
    consent.client.loopback = true;
    consent.most = RIGHTS_WRITE;
    page = page_consent(*state, &site, &consent);
    CHECK("write", has(page, "value=\"write\"") && has(page, "class=\"warning\""));

    place.level = RIGHTS_WRITE;
    struct oauth_grant grant = {
        .client_name = evil.name,
        .redirect_host = STR("<evil>"),
        .rights = {.scopes = OAUTH_READ, .places = &place, .n_places = 1}};
    struct oauth_section section = {.id = "things",
                                    .title = "Things",
                                    .text = "<evil>",
                                    .empty = "None.",
                                    .path = "/account/act",
                                    .button = "<evil>"};
    struct oauth_thing thing = {
        .what = STR("<evil>"), .client = evil.name, .has_button = true};
    struct oauth_key key = {.name = STR("<evil>")};
    struct page_account account = {.user = STR("<evil>"),
                                   .ticket = STR("t"),
                                   .grants = &grant,
                                   .n_grants = 1,
                                   .section = &section,
                                   .things = &thing,
                                   .n_things = 1,
                                   .keys = &key,
                                   .n_keys = 1,
                                   .notice = STR("<evil>")};
    page = page_account(*state, &site, &account);
    check_page("account", page);
    CHECK("account", has(page, "/v/account/revoke") && has(page, "/v/account/act"));
    account.n_things = 0;
    CHECK("none", has(page_account(*state, &site, &account), "None."));
    account.alert = STR("<evil> may be missing");
    page = page_account(*state, &site, &account);
    check_page("alert", page);
    CHECK("unknown, so not none", has(page, "may be missing") && !has(page, "None."));
    check_page("error", page_error(*state, &site, STR("<evil>"), STR("<evil>")));
    check_page("signed out", page_signed_out(*state, &site));
}

static const struct oauth_page linked[] = {
    {"/", "Home"}, {"/list", "<List>"}, {"/part"}, {0}};

/* The header leads to the other pages and vaults, also from an error. */
static void test_frame(void **state)
{
    static const struct page_vault_link vaults[] = {{{"<a>", 3}, {"/list", 5}, true},
                                                    {{"b", 1}, {"/list?vault=b", 13}}};
    struct page_site inside = site;
    inside.pages = linked;
    inside.here = STR("/list");
    inside.has_accounts = inside.is_known = true;
    inside.counted = "/list";
    inside.count = 3;
    inside.vaults = vaults;
    inside.n_vaults = COUNT_OF(vaults);
    str page = page_error(*state, &inside, STR("t"), STR("x"));
    CHECK("frame", has(page, "<a class=\"home\" href=\"/v/\">"));
    CHECK("frame", has(page, "<a href=\"/v/list\" aria-current=\"page\">&lt;List&gt;"));
    CHECK("frame", has(page, "<span class=\"count\"> 3</span>"));
    CHECK("frame",
          has(page, "href=\"/v/account\"><svg") && has(page, "</svg>Account</a>"));
    CHECK("frame", !has(page, "/part"));
    CHECK("frame", has(page, "href=\"/v/list?vault=b\">b</a>"));
    CHECK("frame", has(page, "aria-current=\"true\">&lt;a&gt;</a>"));
    CHECK("frame", has(page, "vaultd " VAULTD_VERSION) && !has(page, "<script"));
    page = page_error(*state, &site, STR("t"), STR("x"));
    CHECK("bare", !has(page, "<nav") && !has(page, VAULTD_VERSION));
}

/* Only a page that has something for it has the script, and the policy that allows it. */
static void test_script(void **state)
{
    struct http_response out = {0};
    struct html h = page_begin(*state, &site, STR("t"), PAGE_WIDE);
    page_time(&h, 0);
    page_copyable(&h, STR("<script>"));
    page_answer(*state, 200, page_end(&h), &out);
    CHECK("script", has(out.body, "<script>") && has(out.body, "&lt;script&gt;"));
    CHECK("script", has(out.headers[1].value, "script-src"));
    struct http_response plain = {0};
    page_answer(*state, 200, page_error(*state, &site, STR("t"), STR("<script>")),
                &plain);
    CHECK("plain", !has(plain.headers[1].value, "script-src"));
}

static void test_SEC_46_SEC_47_policy(void **state)
{
    str policy = page_policy(*state, false), scripted = page_policy(*state, true);
    CHECK("policy", str_starts(policy, STR("default-src 'none'; style-src 'sha256-")));
    CHECK("policy", has(policy, "base-uri 'none'; frame-ancestors 'none'"));
    CHECK("policy", !has(policy, "form-action") && !has(policy, "unsafe"));
    CHECK("no script", !has(policy, "script"));
    CHECK("ours", has(scripted, "; script-src 'sha256-") && !has(scripted, "unsafe"));
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_SEC_44_escape), ARENA_TEST(test_elements),
        ARENA_TEST(test_pages),         ARENA_TEST(test_frame),
        ARENA_TEST(test_script),        ARENA_TEST(test_SEC_46_SEC_47_policy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
