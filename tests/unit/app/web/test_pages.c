/* The pages for people, the health of the vaults, and the clients file: what each shows, and what it refuses. */
#include "app/web/pages.h"

#include <unistd.h>

#include "app/web/account.h"
#include "app/web/auth.h"
#include "app/web/changes_list.h"
#include "app/web/changes_page.h"
#include "app/web/health.h"
#include "app/web/review_link.h"
#include "app_place.h"
#include "http/form.h"
#include "oauth/page.h"
#include "oauth/parts.h"

static void fill(struct place *p)
{
    place_put(p, "Home.md", STR("[[Plan]] <b>\n"));
    place_put(p, "Sub/Plan.md", STR("plan\n"));
}

/* --- pages --- */

struct row {
    const char *path, *query;
    const char *form; /* NULL: GET */
    const char *user;
    bool stranger;
    int status;
    const char *has, *lacks; /* parts of the body, or NULL */
};

static const struct oauth_page *page_at(const char *path)
{
    const struct oauth_page *page = pages_of_app;
    while (page->path != NULL && strcmp(page->path, path) != 0)
        page++;
    assert_non_null(page->path);
    return page;
}

static void check_page(struct app_place *p, const struct row *r)
{
    struct arena a = {0};
    struct err err = {0};
    struct form form;
    struct page_site site = {.vault = STR("vault"), .pages = pages_of_app};
    struct http_request request = {.method = r->form != NULL ? HTTP_POST : HTTP_GET,
                                   .path = str_c(r->path),
                                   .query = str_c(r->query)};
    struct oauth_asked asked = {.request = &request,
                                .site = &site,
                                .url = STR("https://notes.example.com"),
                                .user = str_c(r->user),
                                .ticket = STR("ticket"),
                                .stranger = r->stranger};
    struct http_response out = {0};
    if (r->form != NULL) {
        assert_true(form_parse(&a, str_c(r->form), STR(""), &form, &err));
        asked.form = &form;
    }
    page_at(r->path)->answer(&p->app, &a, &asked, &out);
    const char *row = arena_printf(&a, "%s?%s %s: " STR_FMT, r->path, r->query,
                                   r->form != NULL ? r->form : "", STR_ARG(out.body))
                          .p;
    CHECK_INT(row, out.status, r->status);
    CHECK(row, r->has == NULL || str_find(out.body, str_c(r->has)) != STR_NONE);
    CHECK(row, r->lacks == NULL || str_find(out.body, str_c(r->lacks)) == STR_NONE);
    arena_release(&a);
}

static const struct row pages[] = {
    {"/", "", NULL, "", false, 200, "It is running.", "/account"},
    {"/", "", NULL, "", false, 200,
     "claude mcp add --transport http vault https://notes.example.com/mcp", NULL},
    {"/", "", NULL, "", false, 200, "2 notes", NULL},
    {"/", "", NULL, "", true, 200, "Sign in", "2 notes"},
    {"/", "", NULL, "", false, 200, "Search by meaning", "Sync"},
    {"/", "", NULL, "", false, 200, "1 change in the last 26 weeks", NULL},
    {"/mcp", "", NULL, "", false, 200, "This address is for apps", NULL},
    {"/changes", "", NULL, "", false, 200, "Home.md", NULL},
    {"/changes", "change=1", NULL, "", false, 200, "<ins>i</ins>", "<i>"},
    {"/changes", "", NULL, "", false, 200, "<h2 class=\"day\">", NULL},
    {"/changes", "note=Home.md", NULL, "", false, 200, "Only of <bdi>Home.md", NULL},
    {"/changes", "note=Plan.md", NULL, "", false, 200, "There are no changes.", NULL},
    {"/changes", "app=%3Cb%3E", NULL, "", false, 200, "&lt;b&gt;", "<b>"},
    {"/changes", "change=99", NULL, "", false, 404, NULL, NULL},
    {"/changes", "change=x", NULL, "", false, 404, "Page not found", NULL},
    {"/changes", "change=-1", NULL, "", false, 404, "Page not found", NULL},
    {"/changes", "before=x", NULL, "", false, 404, "Page not found", NULL},
    {"/changes", "vault=none", NULL, "", false, 404, "Page not found", NULL},
    {"/changes", "change=%zz", NULL, "", false, 404, "Page not found", NULL},
    {"/changes", "", "change=99", "", false, 404, NULL, NULL},
    {"/changes", "", "other=1", "", false, 404, "Page not found", NULL},
    {"/changes", "", "change=1", "", false, 303, NULL, NULL},
    {"/changes", "change=1&done=undone", NULL, "", false, 200, "undone", NULL},
    {"/graph", "", NULL, "", false, 200, "<script", "<!--nav-->"},
    {"/graph", "", NULL, "", false, 200, "href=\"/changes\"", NULL},
    {"/search", "", NULL, "", false, 200, "role=\"search\"", NULL},
    {"/search", "q=plan", NULL, "", false, 200, "href=\"/note/Sub/Plan.md\"", NULL},
    {"/search", "q=%3Cb%3Enope", NULL, "", false, 200, "&lt;b&gt;nope", "<b>nope"},
    {"/search", "q=a&offset=-1", NULL, "", false, 404, NULL, NULL},
    {"/search", "q=a&vault=none", NULL, "", false, 404, NULL, NULL},
    {"/graph/data", "vault=none&path=Home.md", NULL, "", false, 404, NULL, NULL},
    {"/graph/data", "path=Home.md&depth=1", NULL, "", false, 200, "Sub/Plan.md", NULL},
    {"/graph/data", "find=plan", NULL, "", false, 200, "Sub/Plan.md", NULL},
    {"/graph/data", "path=None.md&depth=1", NULL, "", false, 404, NULL, NULL},
};

static void test_pages(void **state)
{
    (void)state;
    struct app_place *p = app_place_open("", fill);
    (void)app_call(p, "vault_edit", "'path':'Home.md','old_text':'<b>','new_text':'<i>'");
    app_look(p);
    for (size_t i = 0; i < COUNT_OF(pages); i++)
        check_page(p, &pages[i]);
    app_place_close(p);
}

/* Whose changes a person sees, and may undo. */
static void test_changes_of_users(void **state)
{
    static const struct {
        const char *user;
        size_t seen;
        bool may;
    } rows[] = {{"", 3, true}, {"ann", 2, true}, {"ben", 2, false}};
    struct place *p = *state;
    struct vault *v;
    struct vault_options options = {.state_dir = p->state};
    struct draft_result made;
    struct changes_list list;
    struct review review;
    place_put(p, "a.md", STR("a\n"));
    OK(vault_open(p->folder, &v, &err));
    p->vault = v;
    vault_start(v, &options);
    OK(vault_wait(v, NULL, NULL, &err));
    static const char *const people[] = {"ann", "ben", ""};
    for (size_t i = 0; i < COUNT_OF(people); i++) {
        struct actor as = {.tool = STR("test"), .who = str_c(people[i])};
        struct draft *d = place_keep(p, draft_create(v, &p->arena, &as));
        str path = arena_printf(&p->arena, "%zu.md", i);
        OK(draft_write(d, path, STR("x\n"), DRAFT_CREATE, &err));
        OK(draft_commit(d, &(struct idempotency){.answer = STR("done")}, &made, &err));
    }
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        str user = str_c(rows[i].user);
        const struct changes_question q = {.user = user, .max = 10};
        OK(changes_list_find(v, &p->arena, &q, &list, &err));
        CHECK_INT(rows[i].user, list.n, rows[i].seen);
        CHECK_INT(rows[i].user, list.more_before, 0);
        struct err ignored;
        CHECK_INT(rows[i].user,
                  changes_list_review(v, &p->arena, user, 1, &review, &ignored),
                  rows[i].may);
    }
    CHECK_STR("summary", changes_list_summary(&p->arena, &list.items[1]), "Created 1.md");
    OK(changes_list_find(
        v, &p->arena, &(struct changes_question){.user = STR(""), .before = 0, .max = 1},
        &list, &err));
    CHECK_INT("more", list.more_before, 3);
    FAILS(changes_list_undo(v, &p->arena, STR("ben"), 1, &err), ERR_NOT_FOUND,
          "no such change 1");
    OK(changes_list_undo(v, &p->arena, STR("ann"), 1, &err));
    CHECK("undone", !place_has(p, "0.md"));
    OK(changes_list_find(
        v, &p->arena,
        &(struct changes_question){.user = STR("ann"), .before = 0, .max = 10}, &list,
        &err));
    CHECK_STR("undo", changes_list_summary(&p->arena, &list.items[0]),
              "Undid change 1: Deleted 0.md");
    CHECK("not twice", !changes_list_can_undo(&list.items[list.n - 1].entry));
}

static void test_routes(void **state)
{
    (void)state;
    struct app app = {.settings.reader = READER_ON};
    struct pages *p = pages_create(&app);
    const struct http_route *r = pages_routes(p);
    size_t n = 0;
    for (; r[n].path != NULL; n++) {
        bool posts =
            strcmp(r[n].path, CHANGES_PATH) == 0 || strcmp(r[n].path, REVIEW_PATH) == 0;
        CHECK_INT(r[n].path, r[n].methods, posts ? HTTP_GET | HTTP_POST : HTTP_GET);
        CHECK_INT(r[n].path, r[n].cors, HTTP_CORS_NONE);
        CHECK_INT(r[n].path, r[n].body_max, PAGES_FORM_MAX);
        CHECK(r[n].path, r[n].context == p);
    }
    CHECK_STR("pages", str_c(pages_of_app[n - 1].path), r[n - 1].path);
    CHECK("pages", pages_of_app[n].path == NULL);
    pages_free(p);
    pages_free(NULL);
}

/* --- health --- */

static void test_health(void **state)
{
    (void)state;
    struct app_place *p = app_place_open("", fill);
    struct sbuf b = SBUF_ON(&p->peer.arena);
    struct jsonw w = JSONW_ON(&b);
    app_look(p);
    CHECK_INT("fine", health_of(&p->app, NULL), HEALTH_OK);
    health_describe(&p->app, NULL, &w);
    jsonw_end(&w);
    str text = sbuf_str(&b);
    CHECK("status", str_starts(text, STR("{\"status\":\"ok\",\"version\":\"")));
    CHECK("notes", str_find(text, STR("\"notes\":2,\"attachments\":0")) != STR_NONE);
    CHECK("no problem", str_find(text, STR("problem")) == STR_NONE);
    const char *away = arena_printf(&p->peer.arena, "%s-away", p->place->folder).p;
    assert_int_equal(rename(p->place->folder, away), 0);
    CHECK_INT("gone", health_of(&p->app, NULL), HEALTH_FAILING);
    assert_int_equal(rename(away, p->place->folder), 0);
    app_place_close(p);
}

/* --poll looks at the files again and again, also where the system would report changes. */
static void test_watching(void **state)
{
    static const struct {
        const char *flags;
        bool polls;
    } rows[] = {{"", false}, {"--poll", true}};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct app_place *p = app_place_open(rows[i].flags, fill);
        app_look(p);
        const char *how = vault_watching(p->app.vaults[0].vault);
        CHECK(how, (strcmp(how, "polling") == 0) == rows[i].polls);
        app_place_close(p);
    }
}

/* What the settings say about sign-in reaches the authorization server. */
static void test_sign_in_settings(void **state)
{
    (void)state;
    struct app_place *p =
        app_place_open("--server-url https://notes.example.com/ --refresh-ttl 5000 "
                       "--refresh-idle 700 --access-ttl 300 --refresh-reuse-window 7",
                       fill);
    struct oauth *o = NULL;
    OK(auth_open(&p->app, &o, &err));
    assert_null(o); /* clients need not sign in */
    p->app.settings.signs_in = true;
    OK(auth_open(&p->app, &o, &err));
    CHECK_INT("ttl", o->config.refresh_ttl, 5000);
    CHECK_INT("idle", o->config.refresh_idle, 700);
    CHECK_INT("access", o->config.access_ttl, 300);
    CHECK_INT("reuse", o->config.reuse_window, 7);
    CHECK_STR("url", o->config.url, "https://notes.example.com");
    CHECK_INT("folders", o->config.n_vault_folders, 1);
    CHECK_STR("folder", o->config.vault_folders[0], "Sub");
    oauth_free(o);
    app_place_close(p);
}

/* --- the account --- */

/* What /account shows of the changes of a user, and its button. */
static void test_account(void **state)
{
    (void)state;
    struct app_place *p = app_place_open("", fill);
    struct arena *a = &p->place->arena;
    struct oauth_config config = {0};
    struct oauth_thing *things;
    str alert = {0};
    p->peer.caller.user = STR("ann");
    (void)app_call(p, "vault_edit", "'path':'Home.md','old_text':'<b>','new_text':'<i>'");
    account_offer(&p->app, a, &config);
    assert_null(config.vaults_of); /* only with hosted vaults */
    CHECK_INT("ann", config.section->list(config.app, a, STR("ann"), &things, &alert), 1);
    CHECK("what", str_find(things[0].what, STR("Home.md")) != STR_NONE);
    CHECK("button", things[0].has_button);
    CHECK_INT("ben", config.section->list(config.app, a, STR("ben"), &things, &alert), 0);
    CHECK_STR("nothing is missing", alert, "");
    FAILS(config.section->act(config.app, a, STR("ben"), 1, &err), ERR_NOT_FOUND, "");
    CHECK_STR("as it was", app_file(p, "Home.md"), "[[Plan]] <i>\n");
    OK(config.section->act(config.app, a, STR("ann"), 1, &err));
    CHECK_STR("undone", app_file(p, "Home.md"), "[[Plan]] <b>\n");
    app_place_close(p);
}

/* --- the clients file --- */

static const struct {
    const char *text, *want; /* the error; NULL: it is fine */
} clients[] = {
    {"[]", NULL},
    {"[{'client_id':'a','token_endpoint_auth_method':'none'}]", NULL},
    {"[{'client_id':'a','client_secret':'s'}]", NULL},
    {"[{'client_id':'a','client_secret_sha256':"
     "'0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef'}]",
     NULL},
    {"[{'client_id':'a','client_secret':'s','scope':'vault:read "
     "vault:write','folders':['Projects','/'],"
     "'grant_types':['client_credentials']}]",
     NULL},
    {"{}", "it must be a JSON list of clients"},
    {"nonsense", "invalid JSON"},
    {"[{}]", "every client needs a client_id"},
    {"[{'client_id':''}]", "every client needs a client_id"},
    {"[{'client_id':'a','scope':'all'}]",
     "scope must be vault:read, vault:propose or vault:write"},
    {"[{'client_id':'a','scope':''}]", "scope must be"},
    {"[{'client_id':'a','redirect_uris':'x'}]",
     "redirect_uris must be a list of strings"},
    {"[{'client_id':'a','redirect_uris':[1]}]",
     "redirect_uris must be a list of strings"},
    {"[{'client_id':'a','folders':[1]}]", "folders must be a list of strings"},
    {"[{'client_id':'a','folders':['../x']}]", "folders must be paths in the vault"},
    {"[{'client_id':'a','folders':['']}]", "folders must be paths in the vault"},
    {"[{'client_id':'a','token_endpoint_auth_method':'client_secret_post'}]",
     "a client has no secret"},
    {"[{'client_id':'a','client_secret_sha256':'abc'}]",
     "client_secret_sha256 must be 64 hex characters"},
    {"[{'client_id':'a','client_secret':'s','grant_types':['password']}]",
     "grant_types has an unknown or repeated name"},
    {"[{'client_id':'a','client_secret':'s','grant_types':['refresh_token','refresh_"
     "token']}]",
     "grant_types has an unknown or repeated name"},
    {"[{'client_id':'a','client_secret':'s','grant_types':'x'}]",
     "grant_types must be a list of names"},
};

static void test_clients_file(void **state)
{
    struct place *p = *state;
    const char *path = arena_printf(&p->arena, "%s/clients", p->folder).p;
    struct oauth_config config = {0};
    for (size_t i = 0; i < COUNT_OF(clients); i++) {
        struct err err = {0};
        place_put(p, "clients", quoted(&p->arena, clients[i].text));
        bool ok = auth_read_clients(&p->arena, str_c(path), &config, &err);
        CHECK_INT(clients[i].text, ok, clients[i].want == NULL);
        if (ok)
            continue;
        CHECK(clients[i].text, str_starts(str_c(err.msg), STR("oauth-clients-file: ")));
        CHECK(clients[i].text, strstr(err.msg, clients[i].want) != NULL);
    }
    FAILS(auth_read_clients(&p->arena, STR("/nowhere"), &config, &err), ERR_INVALID,
          "oauth-clients-file: ");
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pages),
        PLACE_TEST(test_changes_of_users),
        cmocka_unit_test(test_routes),
        cmocka_unit_test(test_health),
        PLACE_TEST(test_clients_file),
        cmocka_unit_test(test_watching),
        cmocka_unit_test(test_sign_in_settings),
        cmocka_unit_test(test_account),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
