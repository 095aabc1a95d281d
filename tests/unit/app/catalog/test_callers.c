/*
 * A caller with a grant gets the same from the whole app, without a transport, as every
 * caller does if the operator allows just that.
 */
#include <sys/stat.h>

#include "app/catalog/assembly.h"
#include "app/setup/callers.h"
#include "peer.h"
#include "vault_place.h"

struct world {
    struct place *place;
    struct app app;
    struct peer peer;
};

static void fill(struct place *p)
{
    static const char *const files[][2] = {
        {"Home.md", "[[Secret]] [[Plan]] Secret #open\n\n- [ ] todo"},
        {"Work/Plan.md", "alpha [[Home]] [[Twice]] #work"},
        {"Work/Twice.md", "alpha"},
        {"Private/Secret.md",
         "---\naliases: [Hush]\n---\nalpha omega [[Home]] #hidden Plan"},
        {"Private/Twice.md", "gamma"},
        {"Private/Ask.md", "---\ntags: prompt\n---\nomega"},
        {"Private/CLAUDE.md", "omega"},
    };
    struct timespec when[2] = {{.tv_sec = 1700000000}, {.tv_sec = 1700000000}};
    for (size_t i = 0; i < COUNT_OF(files); i++) {
        place_put(p, files[i][0], str_c(files[i][1]));
        assert_int_equal(utimensat(p->fd, files[i][0], when, 0), 0);
    }
}

/* deny: what the operator denies to everyone; grant: the caller's grant. */
static struct world *start(const char *deny, const char *grant)
{
    struct world *w = mem_zero(sizeof(*w));
    struct err err = {0};
    void *place;
    place_setup(&place);
    w->place = place;
    fill(w->place);
    str denied = str_c(deny), set = STR("default");
    struct settings settings = {
        .vault_path = str_c(w->place->folder),
        .state_dir = str_c(w->place->state),
        .read_lines = 200,
        .answers = ANSWERS_JSON,
        .tools = {&set, 1},
        .sandbox = SANDBOX_OFF,
        .access.deny_paths = {&denied, denied.n > 0},
    };
    if (!assembly_open(&w->app, &settings, &err))
        fail_msg("%s", err.msg);
    pthread_mutex_init(&w->peer.lock, NULL);
    pthread_cond_init(&w->peer.changed, NULL);
    w->peer.server = w->app.mcp;
    w->peer.revision = MCP_NEWEST_LEGACY;
    w->peer.capabilities = "{}";
    w->peer.scope = "here";
    w->peer.wait = true;
    w->peer.caller.grant = str_c(grant);
    return w;
}

static void stop(struct world *w)
{
    mcp_server_drain(w->app.mcp, 5000);
    assembly_close(&w->app, SYNC_STOP_PUSH_MS);
    peer_free_calls(&w->peer);
    arena_release(&w->peer.arena);
    void *place = w->place;
    place_teardown(&place);
    free(w);
}

static str ask(struct world *w, const char *method, const char *members)
{
    return peer_answer(peer_send(&w->peer, method, members));
}

#define CALL(tool, args)                                                                 \
    {                                                                                    \
        "tools/call", "'name':'" tool "','arguments':{" args "}"                         \
    }

static const char *const requests[][2] = {
    {"tools/list", ""},
    {"prompts/list", ""},
    {"resources/list", ""},
    {"prompts/get", "'name':'Ask'"},
    {"prompts/get", "'name':'tidy_note','arguments':{'note':'Secret'}"},
    {"resources/read", "'uri':'vault:///Private/Secret.md'"},
    {"resources/read", "'uri':'vault:///Home.md'"},
    {"completion/complete", "'ref':{'type':'ref/resource','uri':'vault:///{+path}'},"
                            "'argument':{'name':'path','value':''}"},
    CALL("vault_info", ""),
    CALL("vault_list", "'recursive':true"),
    CALL("vault_list", ""),
    CALL("vault_list", "'path':'Private'"),
    CALL("vault_query", "'from':'tags'"),
    CALL("vault_read", "'path':'Private/Secret.md'"),
    CALL("vault_read", "'path':'Secret'"),
    CALL("vault_read", "'path':'Twice'"),
    CALL("vault_read", "'path':'Home.md','view':'links'"),
    CALL("vault_search", "'query':'omega'"),
    CALL("vault_search", "'query':'alpha','mode':'words'"),
    CALL("vault_search", "'query':'Hush','mode':'words'"),
    CALL("vault_query", "'count':true"),
    CALL("vault_query", "'from':'tasks'"),
    CALL("vault_links", "'path':'Home.md'"),
    CALL("vault_links", "'direction':'unresolved'"),
    CALL("vault_links", "'direction':'mentions','path':'Work/Plan.md'"),
    CALL("vault_context", "'path':'Private/x.md'"),
    CALL("vault_write", "'path':'Private/Secret.md','content':'x'"),
    CALL("vault_write", "'path':'Private/none.md','content':'x'"),
    CALL("vault_edit", "'path':'Private/Secret.md','old_text':'a','new_text':'b'"),
    CALL("vault_task", "'path':'Private/Secret.md','text':'a','status':'done'"),
    CALL("vault_task", "'path':'Home.md','add':'a','to':'Secret'"),
    CALL("vault_query", "'from':'tasks','where':'task.blocked or task.blocking'"),
    CALL("vault_delete", "'path':'Private','recursive':true"),
    CALL("vault_move", "'path':'Private/Secret.md','to':'x.md'"),
    CALL("vault_move", "'path':'Home.md','to':'House.md'"),
    CALL("vault_move", "'tag':'hidden','to':'x'"),
    CALL("vault_links", "'path':'House.md'"),
    CALL("vault_undo", ""),
    CALL("vault_search", "'query':'House'"),
};

static void test_grant_equals_setting(void **state)
{
    (void)state;
    struct world *granted = start("", "deny PRIVATE\n"), *denied = start("Private", "");
    for (size_t i = 0; i < COUNT_OF(requests); i++) {
        str got = ask(granted, requests[i][0], requests[i][1]);
        str want = ask(denied, requests[i][0], requests[i][1]);
        CHECK_STR(requests[i][1], got, want);
    }
    CHECK("untouched", place_has(granted->place, "Private/Secret.md"));
    /* at the same time another caller sees everything */
    granted->peer.caller.grant = STR("");
    str all =
        ask(granted, "tools/call", "'name':'vault_search','arguments':{'query':'omega'}");
    CHECK("all", str_find(all, STR("Private/Secret.md")) != STR_NONE);
    stop(granted);
    stop(denied);
}

/* Callers cannot see or undo changes to notes that are hidden from them. */
static void test_changes(void **state)
{
    (void)state;
    struct world *w = start("", "");
    ask(w, "tools/call",
        "'name':'vault_write','arguments':{'path':'Work/Seen.md','content':'x'}");
    ask(w, "tools/call",
        "'name':'vault_write','arguments':{'path':'Private/New.md','content':'y'}");
    w->peer.caller =
        (struct mcp_caller){.user = STR("ann"), .grant = STR("deny private\n")};
    str list = ask(w, "tools/call", "'name':'vault_changes'");
    CHECK("seen", str_find(list, STR("Work/Seen.md")) != STR_NONE);
    CHECK("hidden", str_find(list, STR("Private")) == STR_NONE);
    CHECK("latest", str_find(list, STR("\\\"latest\\\":1")) != STR_NONE);
    str undo = ask(w, "tools/call", "'name':'vault_undo','arguments':{'change':2}");
    CHECK("no such", str_find(undo, STR("CHANGE_NOT_FOUND")) != STR_NONE);
    undo = ask(w, "tools/call", "'name':'vault_undo'");
    CHECK("own", str_find(undo, STR("\\\"undone\\\":1")) != STR_NONE);
    CHECK("others", place_has(w->place, "Private/New.md"));
    list = ask(w, "tools/call", "'name':'vault_changes'");
    CHECK("who", str_find(list, STR("\\\"who\\\":\\\"ann\\\"")) != STR_NONE);
    stop(w);
}

/* One view of a vault per request; a grant that cannot be read allows nothing. */
static void test_views(void **state)
{
    (void)state;
    struct world *w = start("", "");
    struct arena a = {0};
    const struct app_vault *served = &w->app.vaults[0];
    struct mcp_caller ann = {.grant = STR("deny private\n")}, bad = {.grant = STR("x y")};
    ann.rights = app_read_grant(&w->app, &a, ann.grant);
    bad.rights = app_read_grant(&w->app, &a, bad.grant);
    struct vault *v = app_vault_for(served, &ann);
    CHECK("the same", v == app_vault_for(served, &ann));
    CHECK("seen", vault_may_read(v, STR("Work/Plan.md")));
    CHECK("hidden", !vault_may_read(v, STR("Private/Secret.md")));
    CHECK("no grant",
          app_vault_for(served, &(struct mcp_caller){0}) == served->for_clients);
    v = app_vault_for(served, &bad);
    CHECK("nothing", !vault_may_read(v, STR("Work/Plan.md")) && vault_is_read_only(v));
    arena_release(&a);
    stop(w);
}

static void test_read_only_caller(void **state)
{
    (void)state;
    struct world *w = start("", "read-only\n");
    str tools = ask(w, "tools/list", "");
    CHECK("reads", str_find(tools, STR("vault_read")) != STR_NONE);
    CHECK("journal", str_find(tools, STR("vault_changes")) != STR_NONE);
    CHECK("writes", str_find(tools, STR("\"vault_write\"")) == STR_NONE);
    str answer = ask(w, "tools/call",
                     "'name':'vault_write','arguments':{'path':'a.md','content':'x'}");
    CHECK("call", str_find(answer, STR("Unknown tool: vault_write")) != STR_NONE);
    CHECK("disk", !place_has(w->place, "a.md"));
    CHECK("info", str_find(ask(w, "tools/call", "'name':'vault_info'"),
                           STR("\\\"can_change\\\":false")) != STR_NONE);
    w->peer.caller.grant = STR("");
    CHECK("others",
          str_find(ask(w, "tools/list", ""), STR("\"vault_write\"")) != STR_NONE);
    stop(w);
}

/* A grant that cannot be parsed allows nothing. */
static void test_broken_grant(void **state)
{
    (void)state;
    struct world *w = start("", "nonsense");
    str list = ask(w, "tools/call", "'name':'vault_list','arguments':{'recursive':true}");
    CHECK("nothing", str_find(list, STR("\\\"total_files\\\":0")) != STR_NONE);
    CHECK("no writing",
          str_find(ask(w, "tools/list", ""), STR("\"vault_write\"")) == STR_NONE);
    stop(w);
}

static void test_notifications(void **state)
{
    (void)state;
    struct world *w = start("", "deny Private\n");
    struct peer_call *stream = peer_new_call(&w->peer);
    ask(w, "resources/subscribe", "'uri':'vault:///'");
    hub_attach(&w->app.mcp->hub, STR("here"), &stream->sink);
    mcp_server_updated(w->app.mcp, STR("vault:///Private/Secret.md"));
    str uri = STR("vault:///Private/New%20one.md");
    mcp_server_changed_by(w->app.mcp, MCP_RESOURCES_CHANGED, &uri, 1);
    CHECK_INT("hidden", peer_n_sent(stream), 0);
    mcp_server_updated(w->app.mcp, STR("vault:///Home.md"));
    CHECK_INT("seen", peer_n_sent(stream), 1);
    hub_attach(&w->app.mcp->hub, STR("here"), NULL);
    stop(w);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grant_equals_setting),
        cmocka_unit_test(test_changes),
        cmocka_unit_test(test_views),
        cmocka_unit_test(test_read_only_caller),
        cmocka_unit_test(test_broken_grant),
        cmocka_unit_test(test_notifications),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
