#include "app/catalog/tools.h"

#include "app/tools/rows.h"

#include "base/sbuf.h"
#include "check.h"

static const struct mcp_tool a = {.name = "a"}, b = {.name = "b"}, c = {.name = "c"},
                             other_b = {.name = "b"};
static const struct mcp_tool *const first[] = {&a, &b, NULL},
                                    *const second[] = {&c, NULL},
                                    *const shares[] = {&b, &c, NULL},
                                    *const clashes[] = {&c, &other_b, NULL};

static const struct tool_set sets[] = {
    {.name = "first", .tools = first},
    {.name = "second", .tools = second},
    {.name = "shares", .tools = shares},
    {.name = "clashes", .tools = clashes},
    {0},
};

/* The names of the tools, or the error. */
static str chosen(struct arena *arena, const struct tool_set *from, const char *names)
{
    struct option_list list = {ARENA_ARRAY(arena, str, 8), 0};
    str rest = str_c(names), name;
    while (rest.n > 0 && str_next(&rest, ',', &name))
        list.items[list.n++] = name;
    const struct mcp_tool *const *tools;
    struct err err = {0};
    if (!tools_choose_from(arena, from, &list, &tools, &err))
        return arena_str(arena, str_c(err.msg));
    struct sbuf out = SBUF_ON(arena);
    for (; *tools != NULL; tools++)
        sbuf_printf(&out, "%s%s", out.n > 0 ? " " : "", (*tools)->name);
    return sbuf_str(&out);
}

static void test_choose(void **state)
{
    static const struct {
        const char *names, *want;
    } cases[] = {
        {"first", "a b"},
        {"second,first", "c a b"},
        {"first,first,FIRST", "a b"},
        {"first,shares", "a b c"},
        {"none", "no such tool or tool set 'none'; sets: first, second, shares, clashes; "
                 "vaultd docs tools lists the tools"},
        {"", "no such tool or tool set ''; sets: first, second, shares, clashes; vaultd "
             "docs tools lists the tools"},
        {"frist", "no such tool or tool set 'frist'; did you mean 'first'?"},
        /* single tools */
        {"a", "a"},
        {"c,a", "c a"},
        {"first,-a", "b"},
        {"first,second,-first", "c"},
        {"first,-b,c", "a c"},
        {"first,-a,a", "b a"},
        {"first,-a,-b", "no tools are left"},
        {"first,-c", "'-c' leaves out what was not chosen before it"},
        {"-a,first", "'-a' leaves out what was not chosen before it"},
        {"first,-second", "'-second' leaves out what was not chosen before it"},
        {"first,-frist", "no such tool or tool set 'frist'; did you mean 'first'?"},
        {"clashes,b", "c b"},
        {"first,clashes,-b",
         "tool sets 'first' and 'clashes' clash: both have a tool named 'b'"},
        {"first,-b,clashes", "a c b"},
        {"-", "no such tool or tool set ''; sets: first, second, shares, clashes; vaultd "
              "docs tools lists the tools"},
        {"first,clashes",
         "tool sets 'first' and 'clashes' clash: both have a tool named 'b'"},
        {"clashes,second,shares",
         "tool sets 'clashes' and 'shares' clash: both have a tool named 'b'"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        CHECK_STR(cases[i].names, chosen(*state, sets, cases[i].names), cases[i].want);
}

/* A list that only leaves tools out is about those of the profile. */
static void test_complete(void **state)
{
    str items[] = {STR("-vault_delete"), STR("-vault_move")};
    struct option_list names = {items, 2}, empty = {0}, plain = {items, 0};
    tools_complete(*state, "default", &names);
    CHECK_INT("n", names.n, 3);
    CHECK_STR("set", names.items[0], "default");
    CHECK_STR("kept", names.items[2], "-vault_move");
    tools_complete(*state, "default", &names);
    CHECK_INT("once", names.n, 3);
    tools_complete(*state, "default", &empty);
    tools_complete(*state, "default", &plain);
    CHECK_INT("empty", empty.n + plain.n, 0);
}

/* Every set in the program can be offered, and its row is complete. */
static void test_own_sets(void **state)
{
    for (const struct tool_set *s = tool_sets; s->name != NULL; s++) {
        CHECK(s->name, s->about != NULL && s->lead != NULL && s->tools[0] != NULL);
        CHECK(s->name,
              str_find(chosen(*state, tool_sets, s->name), STR("clash")) == STR_NONE);
    }
    CHECK_STR("chatgpt", chosen(*state, tool_sets, "chatgpt"), "search fetch");
    CHECK("both", str_ends(chosen(*state, tool_sets, "default,chatgpt"),
                           STR("vault_sync search fetch")));
    CHECK("as the bundle starts it",
          str_find(chosen(*state, tool_sets, "default,obsidian-bundle"), STR("clash")) ==
              STR_NONE);
}

/* Our own tools refuse unknown arguments; tools in the form of other servers do what
 * those do. */
static void test_exact(void **state)
{
    for (const struct tool_set *s = tool_sets; s->name != NULL; s++) {
        const struct mcp_tool *const *offered = tools_for(
            *state, s->tools, (struct tools_offer){.history = true, .meaning = true});
        for (size_t i = 0; s->tools[i] != NULL; i++) {
            CHECK_INT(s->tools[i]->name, (offered[i]->flags & MCP_EXACT) != 0,
                      strcmp(s->name, "default") == 0);
            CHECK_INT(s->tools[i]->name, tools_context_of(offered[i]), s->context);
            CHECK_INT(s->tools[i]->name,
                      offered[i]->flags &
                          ~(unsigned)(MCP_EXACT | TOOLS_APART | TOOLS_GLUED),
                      s->tools[i]->flags);
        }
    }
}

static bool offers_meaning(struct arena *arena, bool meaning)
{
    static const struct mcp_tool *const tools[] = {&tool_vault_search, NULL};
    const struct mcp_tool *const *offered =
        tools_for(arena, tools, (struct tools_offer){.meaning = meaning});
    for (const struct mcp_field *f = offered[0]->fields; f->name != NULL; f++)
        for (size_t i = 0; f->choices != NULL && f->choices[i] != NULL; i++)
            if (strcmp(f->choices[i], "meaning") == 0)
                return true;
    return false;
}

/* A mode that can find nothing costs no tokens. */
static void test_meaning(void **state)
{
    assert_true(offers_meaning(*state, true));
    assert_false(offers_meaning(*state, false));
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_choose), ARENA_TEST(test_complete), ARENA_TEST(test_own_sets),
        ARENA_TEST(test_exact),  ARENA_TEST(test_meaning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
