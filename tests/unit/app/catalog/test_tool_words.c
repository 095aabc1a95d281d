/* A tool that is left out is named in no text for a model: by no set, and for no caller. */
#include "app/tool_support/tool_words.h"

#include "app/catalog/instructions.h"
#include "app/catalog/tools.h"
#include "app_place.h"
#include "base/chars.h"

static void fill(struct place *p)
{
    place_put(p, "Home.md", STR("# Home\n\n[[Plan]] #open\n"));
    place_put(p, "Plan.md", STR("plan\n"));
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

static size_t check_texts(struct app_place *p, const char *tool, bool per_caller)
{
    static const char *const topics[] = {"links",  "properties", "tags",   "tasks",
                                         "tables", "search",     "canvas", "daily"};
    struct arena *a = &p->peer.arena;
    size_t wrong = 0;
    struct {
        const char *what;
        str text;
    } all[40];
    size_t n = 0;
    if (!per_caller) {
        all[n].what = "instructions";
        all[n++].text = instructions_write(&p->app, a);
        all[n].what = "tools/list";
        all[n++].text = ask(p, "tools/list", "");
    }
    for (size_t i = 0; strcmp(tool, "vault_guide") != 0 && i < COUNT_OF(topics); i++) {
        all[n].what = topics[i];
        const char *args = arena_printf(a, "'topic':'%s'", topics[i]).p;
        all[n++].text = app_call(p, "vault_guide", args);
    }
    for (size_t i = 0; p->app.prompts != NULL && p->app.prompts[i] != NULL; i++) {
        all[n].what = p->app.prompts[i]->name;
        all[n++].text = ask(p, "prompts/get",
                            arena_printf(a, "'name':'%s','arguments':{'question':'x'}",
                                         p->app.prompts[i]->name)
                                .p);
    }
    for (size_t i = 0; i < n; i++)
        if (names(all[i].text, tool)) {
            print_error("%s names %s: " STR_FMT "\n", all[i].what, tool,
                        STR_ARG(all[i].text));
            wrong++;
        }
    return wrong;
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
