/* What a model is told before it asks: instructions, notes for assistants with the first result, skills. */
#include "app_place.h"

static void fill(struct place *p)
{
    static const char *const files[][2] = {
        {"Home.md", "[[Plan]] #open\n"},
        {"CLAUDE.md", "Always answer in Latin.\n"},
        {"For.md", "---\ntags: claude\ndescription: when\tyou plan\n---\nx\n"},
        {"Bare.md", "#claude without one\n"},
        {"../two/Home.md", "two\n"},
        {"../two/CLAUDE.md", "Answer in Greek.\n"},
    };
    for (size_t i = 0; i < COUNT_OF(files); i++)
        place_put(p, files[i][0], str_c(files[i][1]));
}

/* --- instructions --- */

struct told {
    const char *flags;
    const char *has, *lacks; /* NULL: nothing */
};

static void test_instructions(void **state)
{
    static const struct told rows[] = {
        {"", "Obsidian vault \\\"vault\\\": Markdown notes", "Latin"},
        {"", "Paths start at the vault root", "read-only"},
        {"", "Find with vault_search", NULL},
        {"--read-only", "This vault is read-only", NULL},
        {"--tools claude-desktop", "Notes are known by their names", "Paths start at"},
        {"--tools chatgpt", "fetch gives the text of one by its id", "vault_search"},
        {"--claude-md", "The author of CLAUDE.md wrote for assistants (the next 24 bytes",
         "of the vault"},
        {"--claude-md", "Always answer in Latin.", "(cut here"},
        {"--vault a=@/vault,b=@/two",
         "Obsidian vaults \\\"a\\\" (default), \\\"b\\\", chosen by", "Latin"},
        {"--claude-md --vault a=@/vault,b=@/two", "of the vault \\\"b\\\" wrote", NULL},
        {"--claude-md --vault a=@/vault,b=@/two", "Always answer in Latin.", NULL},
        {"--claude-md --deny-paths CLAUDE.md", "Markdown notes", "Latin"},
        {"--claude-md --vaults-dir @/hosted", "Vaults of this user: none yet", "Latin"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct app_place *p = app_place_open(rows[i].flags, fill);
        p->peer.revision = MCP_2026_07_28;
        str got = peer_answer(peer_send(&p->peer, "server/discover", ""));
        if (str_find(got, str_c(rows[i].has)) == STR_NONE ||
            (rows[i].lacks != NULL && str_find(got, str_c(rows[i].lacks)) != STR_NONE))
            fail_msg("%s: want '%s', not '%s', got " STR_FMT, rows[i].flags, rows[i].has,
                     rows[i].lacks != NULL ? rows[i].lacks : "", STR_ARG(got));
        app_place_close(p);
    }
}

/* A long CLAUDE.md is cut between characters, and the rest can be found. */
static void test_long_rules(void **state)
{
    (void)state;
    struct app_place *p = app_place_open("--claude-md", fill);
    struct sbuf text = SBUF_ON(&p->place->arena);
    for (int i = 0; i < 20000; i++)
        sbuf_add(&text, STR("ä"));
    place_put(p->place, "CLAUDE.md", sbuf_str(&text));
    p->peer.revision = MCP_2026_07_28;
    str got = peer_answer(peer_send(&p->peer, "server/discover", ""));
    CHECK("cut",
          str_find(got, STR("of 40000 bytes; all of it: vault_context)")) != STR_NONE);
    app_place_close(p);
}

/* --- with the first result --- */

struct first {
    const char *flags, *tool, *arguments;
    const char *has; /* of the first answer; NULL: nothing is told */
    const char *lacks;
};

#define MARK_APART "Notes for assistants (tag claude)"
#define MARK_GLUED "## Your personal notes"

static bool is_told(str answer)
{
    return str_find(answer, STR(MARK_APART)) != STR_NONE ||
           str_find(answer, STR(MARK_GLUED)) != STR_NONE ||
           str_find(answer, STR("Use only tags")) != STR_NONE;
}

static void check_first(const struct first *r)
{
    struct app_place *p = app_place_open(r->flags, fill);
    app_look(p);
    str one = app_call(p, r->tool, r->arguments),
        two = app_call(p, r->tool, r->arguments);
    CHECK(r->flags, is_told(one) == (r->has != NULL));
    CHECK(r->flags, r->has == NULL || str_find(one, str_c(r->has)) != STR_NONE);
    CHECK(r->flags, r->lacks == NULL || str_find(one, str_c(r->lacks)) == STR_NONE);
    CHECK(r->flags, !is_told(two));
    p->peer.scope = "another session";
    CHECK(r->flags, is_told(app_call(p, r->tool, r->arguments)) == (r->has != NULL));
    p->peer.revision =
        MCP_2026_07_28; /* over stdio its requests are of one process, too */
    CHECK(r->flags, !is_told(app_call(p, r->tool, r->arguments)));
    p->peer.scope = "stdio";
    CHECK(r->flags, is_told(app_call(p, r->tool, r->arguments)) == (r->has != NULL));
    CHECK(r->flags, !is_told(app_call(p, r->tool, r->arguments)));
    p->peer.scope = ""; /* over HTTP they are of nothing */
    CHECK(r->flags, !is_told(app_call(p, r->tool, r->arguments)));
    app_place_close(p);
}

static void test_first_result(void **state)
{
    static const struct first rows[] = {
        {"", "vault_read", "'path':'Home.md'", NULL, NULL},
        {"--auto-context off --stdio", "vault_read", "'path':'Home.md'", NULL, NULL},
        {"--stdio", "vault_read", "'path':'Home.md'", MARK_APART, "Use only tags"},
        {"--auto-context on", "vault_read", "'path':'Home.md'",
         "- \"For\" (For.md) — when you plan\n", "\t"},
        {"--auto-context on", "vault_read", "'path':'Home.md'",
         "- \"Bare\" (Bare.md) — No description yet.", NULL},
        {"--auto-context on --tag-policy enforce", "vault_read", "'path':'Home.md'",
         "Use only tags that the vault has", NULL},
        {"--auto-context on --tools chatgpt", "fetch", "'id':'Home.md'", NULL, NULL},
        {"--auto-context on --tools claude-desktop", "read_note", "'name':'Home'",
         MARK_GLUED "\n\n- \"Bare\" — No description yet.", "(Bare.md)"},
        {"--auto-context on --tools claude-desktop", "read_note", "'name':'Home'",
         "Use read_note() to access full content", "Tag policy"},
        {"--auto-context on --tools claude-desktop --tag-policy enforce", "read_note",
         "'name':'Home'", "\n## Tag policy\n\nAllowed: ", NULL},
        {"--auto-context on --read-only --tools claude-desktop", "read_note",
         "'name':'Home'", MARK_GLUED, NULL},
        /* not told, also by a tool whose function is that of a tool that tells */
        {"--auto-context on --tools vault-git", "list_directory", "'path':''", NULL,
         NULL},
        {"--auto-context on --tools vault-git", "get_vault_info", "", NULL, NULL},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        check_first(&rows[i]);
}

/* Of claude-desktop only, and never in a vault that is read-only: a missing description asks for one. */
static void test_descriptions(void **state)
{
    static const struct {
        const char *flags, *tool, *arguments;
        bool written;
    } rows[] = {
        {"--auto-context on --tools claude-desktop", "read_note", "'name':'Home'", true},
        {"--auto-context on --tools claude-desktop --read-only", "read_note",
         "'name':'Home'", false},
        {"--auto-context on", "vault_read", "'path':'Home.md'", false},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct app_place *p = app_place_open(rows[i].flags, fill);
        app_look(p);
        (void)app_call(p, rows[i].tool, rows[i].arguments);
        str bare = app_file(p, "Bare.md");
        CHECK(
            rows[i].flags,
            str_starts(bare, STR("---\ndescription: \"No description yet. Read this")) ==
                rows[i].written);
        CHECK(rows[i].flags, str_ends(bare, STR("#claude without one\n")));
        CHECK_STR(rows[i].flags, app_file(p, "For.md"),
                  "---\ntags: claude\ndescription: when\tyou plan\n---\nx\n");
        app_place_close(p);
    }
}

/* --- skills --- */

static void test_skills(void **state)
{
    static const struct {
        const char *flags, *members, *has, *lacks;
    } rows[] = {
        {"--profile obsidian-vault-mcp",
         "'name':'adr','arguments':{'title':'Use C','project':'vaultd'}",
         "Title: Use C\\nProject: vaultd\\n", "\\nname: "},
        {"--profile obsidian-vault-mcp", "'name':'devlog'", "Do this now.\\n", "Topic: "},
        {"--profile obsidian-vault-mcp", "'name':'devlog','arguments':{'topic':'t'}",
         "Topic: t\\n", "Project: "},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct app_place *p = app_place_open(rows[i].flags, fill);
        str got = peer_answer(peer_send(&p->peer, "prompts/get", rows[i].members));
        if (str_find(got, str_c(rows[i].has)) == STR_NONE ||
            str_find(got, str_c(rows[i].lacks)) != STR_NONE)
            fail_msg("%s: " STR_FMT, rows[i].members, STR_ARG(got));
        app_place_close(p);
    }
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_instructions), cmocka_unit_test(test_long_rules),
        cmocka_unit_test(test_first_result), cmocka_unit_test(test_descriptions),
        cmocka_unit_test(test_skills),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
