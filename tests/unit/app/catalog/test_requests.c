/* What clients are offered besides tools: prompts, resources, completion, instructions. One row for each request. */
#include "app_place.h"

struct row {
    const char *method, *members;
    const char *want;  /* part of the answer, in the form of quoted.h */
    const char *lacks; /* not part of it, or NULL */
};

static void fill(struct place *p)
{
    static const char *const files[][2] = {
        {"Home.md", "---\naliases: [Start]\n---\n# Home\n\n[[Plan]] #open\n"},
        {"Work/Plan.md", "---\ntags: [work/deep]\n---\n# Plan\n\nalpha\n"},
        {"Work/Old plan.md", "beta\n"},
        {"Ask.md", "---\ntags: [prompt]\narguments: [topic]\ndescription: Asks about a "
                   "topic\n---\nTell me "
                   "about {{topic}}.\n"},
        {"CLAUDE.md", "Always answer in Latin.\n"},
        {"../two/Home.md", "# Home\n"},
        {"../two/Work/Plan.md", "gamma\n"},
        {"../two/All.base", "views:\n  - type: table\n    name: Work\n    filters: "
                            "file.inFolder(\"Work\")\n"},
        {"pic.png", "\x89PNG\r\n\x1a\n"},
        {"All.base", "views:\n  - type: table\n    name: Work\n    filters: "
                     "file.inFolder(\"Work\")\n"},
    };
    for (size_t i = 0; i < COUNT_OF(files); i++)
        place_put(p, files[i][0], str_c(files[i][1]));
}

static bool is_right(struct app_place *p, const struct row *r)
{
    struct arena *a = &p->peer.arena;
    str got = peer_answer(peer_send(&p->peer, r->method, r->members));
    bool has = str_find(got, quoted(a, r->want)) != STR_NONE;
    bool lacks = r->lacks == NULL || str_find(got, quoted(a, r->lacks)) == STR_NONE;
    if (!has || !lacks)
        print_error("%s {%s}:\n  got  '" STR_FMT "'\n  want '%s', not '%s'\n", r->method,
                    r->members, STR_ARG(got), r->want, r->lacks != NULL ? r->lacks : "");
    return has && lacks;
}

static void check(const char *flags, const char *grant, const struct row *rows, size_t n)
{
    struct app_place *p = app_place_open(flags, fill);
    p->peer.caller.grant = str_c(grant);
    app_look(p);
    size_t wrong = 0;
    for (size_t i = 0; i < n; i++)
        wrong += !is_right(p, &rows[i]);
    app_place_close(p);
    if (wrong > 0)
        fail_msg("%zu of %zu rows are wrong", wrong, n);
}

static void test_prompts(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"prompts/list", "", "'name':'answer_from_notes'", NULL},
        {"prompts/list", "", "'description':'Asks about a topic'", NULL},
        {"prompts/get", "'name':'answer_from_notes','arguments':{'question':'Why?'}",
         "Why?", NULL},
        {"prompts/get", "'name':'answer_from_notes'", "'error'", NULL},
        {"prompts/get", "'name':'file_inbox'", "'messages':[", NULL},
        {"prompts/get", "'name':'daily_review'", "'messages':[", NULL},
        {"prompts/get", "'name':'find_related','arguments':{'note':'Plan'}", "Plan",
         NULL},
        {"prompts/get", "'name':'find_related','arguments':{'note':'Nope'}",
         "File not found: Nope", NULL},
        {"prompts/get", "'name':'tidy_note','arguments':{'note':'Home'}", "Home.md",
         NULL},
        {"prompts/get", "'name':'weekly_summary'", "'messages':[", NULL},
        {"prompts/get", "'name':'Ask','arguments':{'topic':'bees'}",
         "Tell me about bees.", "{{topic}}"},
        {"prompts/get", "'name':'none'", "'error'", NULL},
        {"prompts/get", "", "prompts/get needs name", NULL},
    };
    check("", "", rows, COUNT_OF(rows));
}

static void test_resources(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"resources/list", "", "'uri':'vault:///Home.md'", NULL},
        {"resources/list", "", "'uri':'vault:///Work/Old%20plan.md'", NULL},
        {"resources/list", "'cursor':'nonsense'", "'error'", NULL},
        {"resources/templates/list", "", "vault:///{+path}", NULL},
        {"resources/read", "'uri':'vault:///Work/Plan.md'", "alpha", NULL},
        {"resources/read", "'uri':'vault:///Work/Old%20plan.md'", "beta", NULL},
        {"resources/read", "'uri':'vault:///pic.png'", "'blob':'iVBORw0KGgo='", NULL},
        {"resources/read", "'uri':'vault:///None.md'", "'error'", NULL},
        {"resources/read", "'uri':'vault:///../../etc/passwd'", "'error'", "root:"},
        {"resources/read", "'uri':'vault:///%2e%2e/x.md'", "'error'", NULL},
        {"resources/read", "'uri':'vault://other/Home.md'", "'error'", NULL},
        {"resources/read", "'uri':'file:///etc/passwd'", "'error'", NULL},
        {"resources/read", "'uri':'vault:///.obsidian/app.json'", "'error'", NULL},
        {"resources/read", "'uri':'vault-base:///Work/All.base'", "Old plan", "Home"},
        {"resources/read", "'uri':'vault-base:///None/All.base'", "no view", NULL},
        {"resources/read", "", "resources/read needs uri", NULL},
        {"resources/read", "'uri':'vault-graph://1/Home.md'", "Work/Plan.md", NULL},
    };
    check("", "", rows, COUNT_OF(rows));
}

#define REF "'ref':{'type':'ref/prompt','name':'find_related'},"
#define FILE_REF "'ref':{'type':'ref/resource','uri':'vault:///{+path}'},"

#define BASE_REF "'ref':{'type':'ref/resource','uri':'vault-base:///{view}/{+path}'},"

static void test_completion(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"completion/complete", REF "'argument':{'name':'note','value':'pl'}",
         "'values':['Work/Plan.md'", NULL},
        {"completion/complete", REF "'argument':{'name':'note','value':'work/o'}",
         "'values':['Work/Old plan.md']", NULL},
        {"completion/complete", REF "'argument':{'name':'note','value':'start'}",
         "'values':['Home.md']", NULL},
        {"completion/complete", REF "'argument':{'name':'note','value':'zzz'}",
         "'values':[]", NULL},
        {"completion/complete", REF "'argument':{'name':'none','value':''}", "'", NULL},
        {"completion/complete", FILE_REF "'argument':{'name':'path','value':'pic'}",
         "'values':['pic.png']", NULL},
        {"completion/complete", FILE_REF "'argument':{'name':'path','value':''}",
         "'total':7", NULL},
        {"completion/complete", BASE_REF "'argument':{'name':'path','value':'al'}",
         "'values':['All.base']", NULL},
        {"completion/complete",
         BASE_REF "'argument':{'name':'view','value':'w'},'context':{'arguments':{'path':"
                  "'All.base'}}",
         "'values':['Work']", NULL},
        {"completion/complete",
         BASE_REF "'argument':{'name':'view','value':'w'},'context':{'arguments':{'path':"
                  "'None.base'}}",
         "'values':[]", NULL},
        {"completion/complete",
         "'ref':{'type':'strange'},'argument':{'name':'x','value':''}", "'error'", NULL},
    };
    check("", "", rows, COUNT_OF(rows));
}

/* With several vaults, URIs and completions name the vault. */
static void test_several(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"resources/list", "", "'uri':'vault://a/Home.md'", NULL},
        {"resources/list", "", "'nextCursor':", "vault:///"},
        {"resources/list", "'cursor':'b/'", "Invalid cursor", "vault://"},
        {"resources/read", "'uri':'vault://b/Work/Plan.md'", "gamma", "alpha"},
        {"resources/read", "'uri':'vault://c/Work/Plan.md'", "'error'", "alpha"},
        {"resources/read", "'uri':'vault:///Work/Plan.md'", "'error'", "alpha"},
        {"resources/read", "'uri':'vault-base://b/Work/All.base'", "Work/Plan.md",
         "Old plan"},
        {"resources/read", "'uri':'vault-base://c/Work/All.base'", "'error'", "Old plan"},
        {"completion/complete",
         "'ref':{'type':'ref/resource','uri':'vault://{vault}/"
         "{+path}'},'argument':{'name':'vault','value':''}",
         "'values':['a','b']", NULL},
        {"completion/complete",
         "'ref':{'type':'ref/resource','uri':'vault://{vault}/"
         "{+path}'},'argument':{'name':'vault','value':'B'}",
         "'values':['b']", NULL},
        {"completion/complete",
         "'ref':{'type':'ref/resource','uri':'vault-base://{vault}/{view}/"
         "{+path}'},'argument':{'name':'vault','value':'a'}",
         "'values':['a']", NULL},
        {"prompts/get", "'name':'find_related','arguments':{'note':'Plan','vault':'b'}",
         "Plan", NULL},
        {"prompts/get", "'name':'find_related','arguments':{'note':'Plan','vault':'c'}",
         "vault must be one of: a, b", NULL},
    };
    check("--vault a=@/vault,b=@/two", "", rows, COUNT_OF(rows));
}

/* Each page of the list is about one vault. */
static void test_pages_of_several(void **state)
{
    (void)state;
    struct app_place *p = app_place_open("--vault a=@/vault,b=@/two", fill);
    app_look(p);
    str cursor =
        arena_str(&p->peer.arena,
                  json_get_str(peer_result(peer_send(&p->peer, "resources/list", "")),
                               STR("nextCursor")));
    str got = peer_answer(peer_send(
        &p->peer, "resources/list",
        arena_printf(&p->peer.arena, "'cursor':'" STR_FMT "'", STR_ARG(cursor)).p));
    CHECK(got.p, str_find(got, STR("vault://b/Home.md")) != STR_NONE);
    CHECK(got.p, str_find(got, STR("vault://a/")) == STR_NONE);
    CHECK(got.p, str_find(got, STR("nextCursor")) == STR_NONE);
    app_place_close(p);
}

/* What a caller may not see is in no list, and cannot be asked for. */
static void test_hidden(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"resources/list", "", "vault:///Home.md", "Work/"},
        {"resources/read", "'uri':'vault:///Work/Plan.md'", "'error'", "alpha"},
        {"completion/complete", REF "'argument':{'name':'note','value':'pl'}",
         "'values':[]", NULL},
        {"resources/read", "'uri':'vault-graph://1/Home.md'", "Home", "Work/Plan.md"},
        {"prompts/get", "'name':'find_related','arguments':{'note':'Plan'}",
         "File not found: Plan", "alpha"},
        {"tools/list", "", "'name':'vault_read'", NULL},
    };
    check("--deny-paths Work", "", rows, COUNT_OF(rows));
}

static void test_sets(void **state)
{
    (void)state;
    static const struct {
        const char *flags;
        struct row row;
    } rows[] = {
        {"", {"tools/list", "", "'name':'vault_write'", "'name':'search'"}},
        {"--read-only",
         {"tools/list", "", "'name':'vault_read'", "'name':'vault_write'"}},
        {"--tools chatgpt", {"tools/list", "", "'name':'fetch'", "'name':'vault_read'"}},
        {"--tools chatgpt",
         {"tools/call", "'name':'vault_read','arguments':{'path':'Home.md'}", "'error'",
          NULL}},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        check(rows[i].flags, "", &rows[i].row, 1);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_prompts),
        cmocka_unit_test(test_resources),
        cmocka_unit_test(test_completion),
        cmocka_unit_test(test_hidden),
        cmocka_unit_test(test_sets),
        cmocka_unit_test(test_several),
        cmocka_unit_test(test_pages_of_several),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
