/* A tool that is left out is named in no text for a model: by no set, and for no caller. */
#include "app/tool_support/tool_words.h"

#include "app/catalog/instructions.h"
#include "app/catalog/tools.h"
#include "app_place.h"
#include "base/chars.h"

static void fill(struct place *p)
{
    struct sbuf lines = SBUF_ON(&p->arena);
    for (int i = 0; i < 300; i++)
        sbuf_printf(&lines, "text of line %d with [[Link %d]]\n", i, i);
    place_put(p, "Home.md", STR("# Home\n\n[[Plan]] #open\n\n## Part\n\n- [ ] task\n"));
    place_put(p, "Plan.md", STR("plan\n"));
    place_put(p, "Long.md", sbuf_str(&lines));
    place_put(p, "Latin.md", STR("caf\xe9\n"));
    place_put(p, "Broken.md", STR("---\na: [\n---\n"));
    place_put(p, "Inline.md", STR("key:: value\n"));
    place_put(p, "Twice.md", STR("# Same\n\na\n\n# Same\n"));
    place_put(p, "Drawn.canvas", STR("{\"nodes\":[],\"edges\":[]}"));
    place_put(p, "CLAUDE.md", sbuf_str(&lines));
    place_put(p, "Folder/About.md", STR("---\ntags: [claude]\n---\nabout\n"));
}

/* Whether the name occurs as a word; names that are English words do not count. */
static bool names(str text, const char *tool)
{
    str name = str_c(tool);
    if (strchr(tool, '_') == NULL)
        return false;
    for (size_t at; (at = str_find(text, name)) != STR_NONE;
         text = str_skip(text, at + name.n)) {
        char before = at > 0 ? text.p[at - 1] : ' ',
             after = at + name.n < text.n ? text.p[at + name.n] : ' ';
        if (!is_alnum(before) && before != '_' && !is_alnum(after) && after != '_')
            return true;
    }
    return false;
}

static str ask(struct app_place *p, const char *method, const char *members)
{
    return peer_answer(peer_send(&p->peer, method, members));
}

/* Calls that fail, find nothing, or have more to say, and the text they are answered with. */
static const struct {
    const char *tool, *arguments;
} attempts[] = {
    {"vault_read", "'path':'Folder'"},
    {"vault_read", "'path':'Missing'"},
    {"vault_read", "'path':'Long','limit':2"},
    {"vault_read", "'path':'Long','budget':100"},
    {"vault_read", "'path':'Long','view':'links','budget':100"},
    {"vault_read", "'path':'Latin'"},
    {"vault_read", "'path':'Drawn.canvas','view':'outline'"},
    {"vault_search", "'query':'nothingofthekind'"},
    {"vault_search", "'query':'nothingofthekind','mode':'query'"},
    {"vault_search", "'query':'x','folder':'Missing'"},
    {"vault_search", "'query':'text','budget':100"},
    {"vault_list", "'tag':'missing','recursive':true"},
    {"vault_list", "'path':'Missing'"},
    {"vault_list", "'path':'Home.md'"},
    {"vault_query", "'from':'tags','where':'a = 1'"},
    {"vault_query", "'from':'properties','where':'a = 1'"},
    {"vault_query", "'where':'nothing ~~ 1'"},
    {"vault_query", "'dql':'TABLE FROM'"},
    {"vault_query", "'where':'missing = 1'"},
    {"vault_links", "'path':'Missing'"},
    {"vault_links", "'path':'Folder'"},
    {"vault_links", "'path':'Home','direction':'path','to':'Missing'"},
    {"vault_check", "'kinds':['nothing']"},
    {"vault_check", ""},
    {"vault_context", "'path':'Folder/x','budget':100"},
    {"vault_context", ""},
    {"vault_changes", "'change':999"},
    {"vault_changes", ""},
    {"vault_undo", "'change':999"},
    {"vault_guide", "'topic':'nothing'"},
    {"vault_info", ""},
    {"vault_edit", "'path':'Missing','old_text':'a','new_text':'b'"},
    {"vault_edit", "'path':'Home','old_text':'missing','new_text':'b'"},
    {"vault_edit", "'path':'Latin','old_text':'caf','new_text':'\xe2\x82\xac'"},
    {"vault_edit", "'path':'Home','section':'Part','new_text':'# Other'"},
    {"vault_edit", "'path':'Drawn.canvas','old_text':'missing','new_text':'b'"},
    {"vault_insert", "'path':'Missing','content':'x'"},
    {"vault_insert", "'path':'Twice','content':'x','heading':'Same'"},
    {"vault_write", "'path':'Home','content':'x'"},
    {"vault_write", "'path':'Folder','content':'x'"},
    {"vault_write", "'path':'x.canvas','content':'x'"},
    {"vault_write", "'path':'Folder/New','content':'x'"},
    {"vault_frontmatter", "'path':'Broken','set':{'a':1}"},
    {"vault_frontmatter", "'path':'Inline','set':{'key':1}"},
    {"vault_frontmatter", "'where':'missing = 1','set':{'a':1}"},
    {"vault_task", "'path':'Home','text':'missing','status':'done'"},
    {"vault_move", "'path':'Missing','to':'x.md'"},
    {"vault_move", "'path':'Twice','heading':'Same','to':'Other'"},
    {"vault_move", "'path':'Home','heading':'Missing','to':'Other'"},
    {"vault_delete", "'path':'Home','to':'x.md'"},
    {"vault_delete", "'path':'Missing'"},
    {"vault_delete", "'path':'Folder'"},
    {"vault_canvas", "'path':'Home','steps':[{'remove':'x'}]"},
    {"vault_canvas", "'path':'Drawn.canvas','steps':[{'remove':'missing'}]"},
    {"vault_daily", "'date':'never'"},
    {"vault_batch", "'steps':[{'tool':'nothing'}]"},
    {"vault_batch", "'steps':[{'path':'Home'}]"},
    {"vault_batch", "'steps':[]"},
    {"vault_sync", ""},
};

struct said {
    str what, text;
};

struct saying {
    struct arena *a;
    struct said items[200];
    size_t n;
};

static void keep(struct saying *s, str what, str text)
{
    assert_true(s->n < COUNT_OF(s->items));
    s->items[s->n++] = (struct said){what, text};
}

/* Every text that a client can get without its own words in it. */
static void collect(struct app_place *p, bool per_caller, struct saying *s)
{
    static const char *const topics[] = {"links",  "properties", "tags",   "tasks",
                                         "tables", "search",     "canvas", "daily"},
                             *const lists[] = {"tools/list", "prompts/list",
                                               "resources/list",
                                               "resources/templates/list"};
    struct arena *a = &p->peer.arena;
    struct mcp_caller caller = p->peer.caller;
    if (caller.grant.n > 0)
        caller.rights = app_read_grant(&p->app, a, caller.grant);
    str instructions = instructions_write(&p->app, a);
    keep(s, STR("instructions"),
         per_caller ? tool_words(&p->app, a, &caller, instructions) : instructions);
    for (size_t i = 0; i < COUNT_OF(lists); i++)
        keep(s, str_c(lists[i]), ask(p, lists[i], ""));
    p->peer.revision = MCP_2026_07_28;
    keep(s, STR("server/discover"), ask(p, "server/discover", ""));
    p->peer.revision = MCP_NEWEST_LEGACY;
    for (size_t i = 0; i < COUNT_OF(topics); i++)
        keep(s, str_c(topics[i]),
             app_call(p, "vault_guide", arena_printf(a, "'topic':'%s'", topics[i]).p));
    for (size_t i = 0; p->app.prompts != NULL && p->app.prompts[i] != NULL; i++)
        keep(s, str_c(p->app.prompts[i]->name),
             ask(p, "prompts/get",
                 arena_printf(a, "'name':'%s','arguments':{'question':'x'}",
                              p->app.prompts[i]->name)
                     .p));
    for (size_t i = 0; i < COUNT_OF(attempts); i++)
        keep(s, arena_printf(a, "%s {%s}", attempts[i].tool, attempts[i].arguments),
             app_call(p, attempts[i].tool, attempts[i].arguments));
}

static size_t check_said(const struct saying *s, const char *tool)
{
    size_t wrong = 0;
    for (size_t i = 0; i < s->n; i++) {
        if (str_starts(s->items[i].text, STR("RPC")) || !names(s->items[i].text, tool))
            continue; /* an unknown tool is named as the client has named it */
        print_error(STR_FMT " names %s: " STR_FMT "\n", STR_ARG(s->items[i].what), tool,
                    STR_ARG(s->items[i].text));
        wrong++;
    }
    return wrong;
}

static size_t check_texts(struct app_place *p, const char *tool, bool per_caller)
{
    struct saying s = {.a = &p->peer.arena};
    collect(p, per_caller, &s);
    return check_said(&s, tool);
}

static void test_left_out_by_the_server(void **state)
{
    (void)state;
    size_t wrong = 0;
    for (const struct tool_set *s = tool_sets; s->name != NULL; s++)
        for (const struct mcp_tool *const *t = s->tools; *t != NULL; t++) {
            char flags[200];
            if (strcmp(s->name, "adr") == 0 || s->tools[1] == NULL)
                continue; /* nothing would be left */
            snprintf(flags, sizeof(flags), "--tools %s,-%s", s->name, (*t)->name);
            struct app_place *p = app_place_open(flags, fill);
            wrong += check_texts(p, (*t)->name, false);
            app_place_close(p);
        }
    CHECK_INT("wrong", wrong, 0);
}

static void test_left_out_by_a_grant(void **state)
{
    (void)state;
    size_t wrong = 0;
    struct app_place *p = app_place_open("", fill);
    for (const struct mcp_tool *const *t = p->app.tools; *t != NULL; t++) {
        struct sbuf grant = SBUF_ON(&p->peer.arena);
        for (const struct mcp_tool *const *o = p->app.tools; *o != NULL; o++)
            if (*o != *t)
                sbuf_printf(&grant, "%s%s", grant.n > 0 ? "," : "only-tools ",
                            (*o)->name);
        sbuf_add(&grant, STR("\nelsewhere write\n"));
        p->peer.caller.grant = sbuf_str(&grant);
        wrong += check_texts(p, (*t)->name, true);
    }
    app_place_close(p);
    CHECK_INT("wrong", wrong, 0);
}

/* Who only reads has none of the tools that change something. */
static void test_left_out_by_a_level(void **state)
{
    static const struct app_grant reads = {.most = ACCESS_READ,
                                           .places.elsewhere = ACCESS_READ};
    (void)state;
    size_t wrong = 0;
    for (int by_server = 0; by_server < 2; by_server++) {
        struct app_place *p = app_place_open(by_server ? "--read-only" : "", fill);
        struct saying s = {.a = &p->peer.arena};
        if (!by_server)
            p->peer.caller.grant =
                app_grant_of(&p->app, &p->peer.arena, STR("anna"), &reads);
        collect(p, true, &s);
        for (const struct mcp_tool *const *t = p->app.tools; *t != NULL; t++)
            if (((*t)->flags & MCP_READ_ONLY) == 0)
                wrong += check_said(&s, (*t)->name);
        app_place_close(p);
    }
    CHECK_INT("wrong", wrong, 0);
}

/* No set names tools of another one. */
static void test_left_out_by_the_set(void **state)
{
    (void)state;
    size_t wrong = 0;
    for (const struct tool_set *set = tool_sets; set->name != NULL; set++) {
        char flags[100];
        if (strcmp(set->name, "adr") == 0)
            continue; /* needs a repository */
        snprintf(flags, sizeof(flags), "--tools %s", set->name);
        struct app_place *p = app_place_open(flags, fill);
        struct saying s = {.a = &p->peer.arena};
        collect(p, true, &s);
        for (const struct mcp_tool *const *t = p->app.left_out; *t != NULL; t++)
            wrong += check_said(&s, (*t)->name);
        app_place_close(p);
    }
    CHECK_INT("wrong", wrong, 0);
}

static void test_words(void **state)
{
    static const struct mcp_tool read = {.name = "vault_read"},
                                 list = {.name = "vault_list"};
    static const struct mcp_tool *const out[] = {&read, &list, NULL}, *const none[] = {
                                                                          NULL};
    static const struct {
        const char *text, *want;
    } cases[] = {
        {"Find with vault_search, read with vault_read, change with vault_edit.",
         "Find with vault_search, change with vault_edit."},
        {"Use vault_read. Then go.", "Then go."},
        {"Then go. Use vault_read.", "Then go."},
        {"- look: vault_list, vault_read\n- find: vault_search", "- find: vault_search"},
        {"- look: vault_list (a, b), vault_info; vault_read", "- look: vault_info"},
        {"- move: vault_read, which keeps it; never copy", "- move: never copy"},
        {"See it (vault_read) here (vault_info, vault_list).",
         "See it here (vault_info)."},
        {"a vault_reader stays", "a vault_reader stays"},
        {"nothing\nhere", "nothing\nhere"},
        {"vault_read", ""},
    };
    struct app app = {.tools = none, .left_out = out};
    const struct mcp_caller any = {0};
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        CHECK_STR(cases[i].text, tool_words(&app, *state, &any, str_c(cases[i].text)),
                  cases[i].want);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_words),
        cmocka_unit_test(test_left_out_by_the_server),
        cmocka_unit_test(test_left_out_by_a_grant),
        cmocka_unit_test(test_left_out_by_a_level),
        cmocka_unit_test(test_left_out_by_the_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
