/* Skills of a vault, and ours: who gets which, and that digests, entries and files are the same bytes. */
#include "app_place.h"
#include "base/encode.h"
#include "base/hash.h"
#include "mcp/skill.h"

#define MINUTES                                                                          \
    "---\nname: minutes\ndescription: Write \"minutes\".\nlicense: MIT\nmetadata:\n  "   \
    "steps: [1, 2.5, null, yes]\n---\n# Minutes\n"
#define FRONT "---\nskill: true\nname: "

static void fill(struct place *p)
{
    static const char *const files[][2] = {
        {".claude/skills/minutes/SKILL.md", MINUTES},
        {".claude/skills/minutes/templates/a b.md", "# {{title}}\n"},
        {".claude/skills/minutes/logo.png", "\x89PNG\r\n\x1a\n"},
        {".claude/skills/minutes/.secret", "hidden name"},
        {".claude/skills/minutes/odd.md", "see \xe2\x80\xae this"},
        {".claude/skills/other/SKILL.md", "---\nname: minutes\ndescription: x\n---\n"},
        {".claude/skills/plain/SKILL.md", "no properties\n"},
        {".claude/skills/adr.md", "---\nname: adr\ndescription: a file\n---\n"},
        {".claude/settings.json", "{}"},
        {"Work/Week.md", FRONT "week\ndescription: Close a week\n---\nDo it.\n"},
        {"Work/Zed/SKILL.md", FRONT "Zed\ndescription: not lower-case\n---\n"},
        {"Work/index/SKILL.md", FRONT "index\ndescription: A folder\n---\n"},
        {"Work/index/more/x.md", "X\n"},
        {"Work/index/more/mine.md", "---\nai: hidden\n---\nY\n"},
        {"Work/not/SKILL.md", FRONT "another\ndescription: other than its folder\n---\n"},
        {"Work/No.md", "---\nskill: false\nname: no\ndescription: x\n---\n"},
        {"Work/Mute.md", FRONT "mute\n---\n"},
        {"Work/Secret.md", FRONT "secret\ndescription: x\nai: hidden\n---\n"},
        {"Week.md", FRONT "week\ndescription: The first by path counts\n---\n"},
        {"../two/Week.md", FRONT "week\ndescription: Of two\n---\n"},
        {"../two/Home.md", "# Home\n"},
    };
    for (size_t i = 0; i < COUNT_OF(files); i++)
        place_put(p, files[i][0], str_c(files[i][1]));
}

struct row {
    const char *method, *members;
    const char *want;  /* part of the answer, in the form of quoted.h */
    const char *lacks; /* not part of it, or NULL */
};

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

static void check(const char *flags, const char *grant, enum mcp_revision revision,
                  const struct row *rows, size_t n)
{
    struct app_place *p = app_place_open(flags, fill);
    p->peer.caller.grant = str_c(grant);
    p->peer.revision = revision;
    app_look(p);
    size_t wrong = 0;
    for (size_t i = 0; i < n; i++)
        wrong += !is_right(p, &rows[i]);
    app_place_close(p);
    if (wrong > 0)
        fail_msg("%zu of %zu rows are wrong", wrong, n);
}

#define GET "skills/get"
#define FOLDER "resources/directory/read"
#define READ "resources/read"

static void test_skills(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"skills/list", "",
         "'uri':'skill://minutes/SKILL.md','frontmatter':{'name':'minutes','description':"
         "'Write "
         "\\'minutes\\'.','license':'MIT','metadata':{'steps':[1,2.5,null,'yes']}}",
         "nextCursor"},
        {"skills/list", "", "skill://minutes/templates/a%20b.md", ".secret"},
        {"skills/list", "", "'size':8", "adr"},
        {"skills/list", "", "The first by path counts", "Close a week"},
        {"skills/list", "", "skill://index/more/x.md", "mine.md"},
        {"skills/list", "", "skill://obsidian-notes/references/links.md", "other"},
        {"skills/list", "", "skill://week/SKILL.md", "secret"},
        {"skills/list", "", "'ttlMs':0,'cacheScope':'private'", "mute"},
        {"skills/list", "'cursor':'x x'", "Invalid cursor", NULL},
        {GET, "'uri':'skill://index/SKILL.md'", "'skill':{'uri':'skill://index/SKILL.md'",
         "nextCursor"},
        {GET, "'uri':'skill://obsidian-notes/SKILL.md'", "'name':'obsidian-notes'", NULL},
        {GET, "'uri':'skill://minutes/logo.png'", "no such skill", NULL},
        {GET, "'uri':'skill://minutes'", "-32602", NULL},
        {GET, "'uri':'skill://another/SKILL.md'", "-32602", NULL},
        {GET, "'uri':'skill://Zed/SKILL.md'", "-32602", NULL},
        {GET, "'uri':'skill://secret/SKILL.md'", "-32602", NULL},
        {GET, "'uri':'skill://../SKILL.md'", "-32602", NULL},
        {GET, "'uri':'vault:///Week.md'", "-32602", NULL},
        {GET, "", "skills/get needs uri", NULL},
        {FOLDER, "'uri':'skill://minutes'",
         "'uri':'skill://minutes/templates','name':'templates','mimeType':'inode/"
         "directory'",
         "a%20b.md"},
        {FOLDER, "'uri':'skill://minutes/templates'",
         "'skill://minutes/templates/a%20b.md'", "logo"},
        {FOLDER, "'uri':'skill://index/more'", "skill://index/more/x.md", "mine.md"},
        {FOLDER, "'uri':'skill://week'", "skill://week/SKILL.md", NULL},
        {FOLDER, "'uri':'skill://week/x'", "-32602", NULL},
        {FOLDER, "'uri':'skill://obsidian-notes'",
         "'skill://obsidian-notes/references','name':'references'", "links.md"},
        {FOLDER, "'uri':'skill://obsidian-notes/references'", "references/bases.md",
         "SKILL.md"},
        {FOLDER, "'uri':'skill://obsidian-notes/none'", "-32602", NULL},
        {FOLDER, "'uri':'skill://minutes/SKILL.md'", "-32602", NULL},
        {FOLDER, "'uri':'skill://minutes/../..'", "-32602", NULL},
        {FOLDER, "'uri':'skill://'", "-32602", NULL},
        {READ, "'uri':'skill://minutes/templates/a%20b.md'", "# {{title}}", NULL},
        {READ, "'uri':'skill://minutes/logo.png'", "'blob':'iVBORw0KGgo='", NULL},
        {READ, "'uri':'skill://minutes/odd.md'", "#hidden-text", NULL},
        {READ, "'uri':'skill://week/SKILL.md'", "The first by path", NULL},
        {READ, "'uri':'skill://obsidian-notes/references/tables.md'", "# Tables", NULL},
        {READ, "'uri':'skill://minutes/.secret'", "'error'", "hidden name"},
        {READ, "'uri':'skill://minutes/../../settings.json'", "'error'", NULL},
        {READ, "'uri':'skill://minutes/%2e%2e/%2e%2e/settings.json'", "'error'", NULL},
        {READ, "'uri':'skill://index/more/mine.md'", "'error'", NULL},
        {READ, "'uri':'skill://week/Work/Plan.md'", "'error'", NULL},
        {READ, "'uri':'vault:///.claude/skills/minutes/SKILL.md'", "'error'", NULL},
        {"resources/list", "",
         "'uri':'skill://minutes/SKILL.md','name':'minutes','description':'Write "
         "\\'minutes\\'.','mimeType':'text/markdown'",
         "obsidian-notes"},
        {"resources/templates/list", "", "vault:///", "skill:"},
        {"server/discover", "", "io.modelcontextprotocol/skills':{'directoryRead':true}",
         NULL},
    };
    check("", "", MCP_2026_07_28, rows, COUNT_OF(rows));
}

static void test_legacy_clients(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"skills/list", "", "-32601", NULL},
        {"skills/get", "'uri':'skill://week/SKILL.md'", "-32601", NULL},
        {"resources/list", "", "'uri':'skill://week/SKILL.md'", NULL},
        {READ, "'uri':'skill://week/SKILL.md'", "The first by path", NULL},
    };
    check("", "", MCP_NEWEST_LEGACY, rows, COUNT_OF(rows));
}

static void test_callers(void **state)
{
    (void)state;
    static const struct row some[] = {
        {"skills/list", "", "Close a week", "minutes"},
        {"skills/list", "", "skill://index/SKILL.md", "The first by path"},
        {READ, "'uri':'skill://minutes/SKILL.md'", "'error'", "Minutes"},
        {FOLDER, "'uri':'skill://minutes'", "-32602", NULL},
        {GET, "'uri':'skill://minutes/SKILL.md'", "-32602", NULL},
        {"resources/list", "", "skill://index/SKILL.md", "minutes"},
    };
    static const struct row denied[] = {
        {"skills/list", "", "skill://week/SKILL.md", "minutes"},
        {READ, "'uri':'skill://minutes/SKILL.md'", "'error'", "Minutes"},
    };
    static const struct row denied_files[] = {
        {"skills/list", "", "skill://minutes/SKILL.md", "templates"},
        {READ, "'uri':'skill://minutes/templates/a%20b.md'", "'error'", NULL},
    };
    check("", "read Work\n", MCP_2026_07_28, some, COUNT_OF(some));
    check("--read-paths Work", "", MCP_2026_07_28, some, COUNT_OF(some));
    check("--deny-paths **/minutes", "", MCP_2026_07_28, denied, COUNT_OF(denied));
    check("--deny-paths **/templates", "", MCP_2026_07_28, denied_files,
          COUNT_OF(denied_files));
}

/* The owner closes the folder from within. */
static void fill_ruled(struct place *p)
{
    fill(p);
    place_put(p, ".claude/_policy.md", STR("---\nai: hidden\n---\n"));
}

static void test_hidden_folder(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"skills/list", "", "skill://week/SKILL.md", "minutes"},
        {READ, "'uri':'skill://minutes/SKILL.md'", "'error'", "Minutes"},
    };
    struct app_place *p = app_place_open("", fill_ruled);
    p->peer.revision = MCP_2026_07_28;
    app_look(p);
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_true(is_right(p, &rows[i]));
    app_place_close(p);
}

static void test_several_vaults(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"skills/list", "", "'skill://one/minutes/SKILL.md'", "Of two"},
        {GET, "'uri':'skill://two/week/SKILL.md'", "Of two", NULL},
        {GET, "'uri':'skill://week/SKILL.md'", "-32602", NULL},
        {GET, "'uri':'skill://obsidian-notes/SKILL.md'", "obsidian-notes", NULL},
        {FOLDER, "'uri':'skill://one/index'", "skill://one/index/more", NULL},
        {READ, "'uri':'skill://two/week/SKILL.md'", "Of two", NULL},
        {READ, "'uri':'skill://three/week/SKILL.md'", "'error'", NULL},
        {"skills/list", "'cursor':'dHdvLw'", "Of two", "minutes"},
    };
    check("--vault one=@/vault,two=@/two", "", MCP_2026_07_28, rows, COUNT_OF(rows));
}

/* What hosts compare: the digest of a file, and the bytes that are read. */
static void test_digests(void **state)
{
    (void)state;
    struct app_place *p = app_place_open("", fill);
    struct arena *a = &p->peer.arena;
    uint8_t digest[HASH_SIZE];
    p->peer.revision = MCP_2026_07_28;
    app_look(p);
    hash_sha256(STR(MINUTES), digest);
    str want = arena_printf(
        a,
        "{\"uri\":\"skill://minutes/SKILL.md\",\"digest\":\"sha256:" STR_FMT
        "\",\"size\":%zu}",
        STR_ARG(encode_hex(a, (str){(char *)digest, HASH_SIZE})), strlen(MINUTES));
    str got = peer_answer(peer_send(&p->peer, "skills/list", ""));
    assert_true(str_find(got, want) != STR_NONE);
    place_put(p->place, ".claude/skills/minutes/SKILL.md",
              STR("---\nname: minutes\ndescription: Changed.\n---\n"));
    got = peer_answer(peer_send(&p->peer, GET, "'uri':'skill://minutes/SKILL.md'"));
    assert_true(str_find(got, want) == STR_NONE);
    assert_true(str_find(got, STR("Changed.")) != STR_NONE);
    app_place_close(p);
}

/* A skill that hosts would refuse is left out, and the others are not. */
static void fill_large(struct place *p)
{
    fill(p);
    for (int i = 0; i < MCP_SKILL_FILES_MAX; i++)
        place_put(p, arena_printf(&p->arena, ".claude/skills/minutes/%d.md", i).p,
                  STR(""));
    struct sbuf large = SBUF_ON(&p->arena);
    for (int i = 0; i < MCP_SKILL_BYTES_MAX; i += 1 << 10)
        sbuf_printf(&large, "%1024d", i);
    place_put(p, "Work/index/large.bin", sbuf_str(&large));
}

static void test_too_large(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"skills/list", "", "skill://week/SKILL.md", "minutes"},
        {"skills/list", "", "skill://week/SKILL.md", "index/"},
        {GET, "'uri':'skill://minutes/SKILL.md'", "more than 512 files", NULL},
        {GET, "'uri':'skill://index/SKILL.md'", "or 16 MiB", NULL},
    };
    struct app_place *p = app_place_open("", fill_large);
    p->peer.revision = MCP_2026_07_28;
    app_look(p);
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_true(is_right(p, &rows[i]));
    app_place_close(p);
}

/* The profile for agents offers its own. */
static void test_profile(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"skills/list", "", "skill://adr/SKILL.md", "obsidian-notes"},
        {"skills/list", "", "skill://devlog/SKILL.md", NULL},
        {READ, "'uri':'skill://devlog/SKILL.md'", "---\\nname: devlog", NULL},
    };
    check("--profile obsidian-vault-mcp", "", MCP_2026_07_28, rows, COUNT_OF(rows));
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_skills),  cmocka_unit_test(test_legacy_clients),
        cmocka_unit_test(test_callers), cmocka_unit_test(test_several_vaults),
        cmocka_unit_test(test_digests), cmocka_unit_test(test_too_large),
        cmocka_unit_test(test_profile), cmocka_unit_test(test_hidden_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
