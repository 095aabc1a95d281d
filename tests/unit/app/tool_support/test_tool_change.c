/* What all tools that change notes have in common: who made a change, in which vault, and what counts in other vaults;
 * test_confirm.c has when users are asked. */
#include "app_place.h"

static void fill(struct place *p)
{
    place_put(p, "A.md", STR("alpha\n"));
    place_put(p, "../two/A.md", STR("beta\n"));
    place_put(p, "Damaged.md", STR("caf\xc3 \xc3\xa9\xc3\xa9 tea\n"));
    place_put(p, "Latin.md", STR("caf\xe9 and tea\n"));
}

/* --- the actor in the journal --- */

static const struct {
    const char *user, *client,
        *says; /* the client as it is known since sign-in, and what it says about itself */
    const char *want;
} actors[] = {
    {"", "", "", " vault_insert: write A.md\n"},
    {"anna", "", "", " vault_insert by anna: write A.md\n"},
    {"", "Claude", "", " vault_insert with Claude: write A.md\n"},
    {"", "", "cat", " vault_insert with cat 2: write A.md\n"},
    {"anna", "Claude", "cat", " vault_insert by anna with Claude (cat 2): write A.md\n"},
};

static void test_actor(void **state)
{
    (void)state;
    struct app_place *p = app_place_open("", fill);
    struct arena *a = &p->peer.arena;
    app_look(p);
    p->peer.revision = MCP_2026_07_28;
    for (size_t i = 0; i < COUNT_OF(actors); i++) {
        p->peer.caller.user = str_c(actors[i].user);
        p->peer.caller.client = str_c(actors[i].client);
        p->peer.meta =
            actors[i].says[0] == '\0'
                ? NULL
                : arena_printf(a, "'" MCP_META "clientInfo':{'name':'%s','version':'2'}",
                               actors[i].says)
                      .p;
        app_call(p, "vault_insert", "'path':'A','content':'x'");
        str got = app_call(p, "vault_changes", "'limit':1");
        CHECK(arena_str(a, got).p, str_find(got, str_c(actors[i].want)) != STR_NONE);
    }
    app_place_close(p);
}

/* --- several vaults --- */

static void test_vaults(void **state)
{
    (void)state;
    static const struct app_row rows[] = {
        {"vault_insert", "'vault':'two','path':'A','content':'x'",
         "changed A.md (vault two, ", "../two/A.md", "beta\n\nx\n"},
        {"vault_insert", "'path':'A','content':'x'", "changed A.md (vault one, ", "A.md",
         "alpha\n\nx\n"},
        {"vault_insert", "'vault':'two','path':'A','content':'x','dry_run':true",
         "dry run, nothing was changed: changed A.md (vault two, ", "../two/A.md",
         "beta\n\nx\n"},
        {"vault_insert", "'vault':'three','path':'A','content':'x'",
         "ERROR vault must be one of: one, two"},
    };
    struct app_place *p = app_place_open("--vault one=@/vault,two=@/two", fill);
    app_look(p);
    app_check_rows(p, NULL, rows, COUNT_OF(rows));
    app_place_close(p);
}

/* The answers of other sets have no place for the vault, so it comes after them. Their tools use the first one. */
static void test_vault_after(void **state)
{
    (void)state;
    static const struct app_row rows[] = {
        {"append_note", "'name':'A','text':'x'", "\n---\n(vault one)", "A.md",
         "alpha\n\nx\n"},
    };
    struct app_place *p =
        app_place_open("--tools claude-desktop --vault one=@/vault,two=@/two", fill);
    app_look(p);
    app_check_rows(p, NULL, rows, COUNT_OF(rows));
    app_place_close(p);
}

/* --confirm-files counts what one connection has changed in all of them. */
static void test_many_elsewhere(void **state)
{
    (void)state;
#define NEW(vault, name) "'vault':'" vault "','path':'" name ".md','content':'x'"
    static const struct app_row rows[] = {
        {"vault_write", NEW("one", "B"), "created B.md"},
        {"vault_write", NEW("two", "B"), "created B.md"},
        {"vault_write", NEW("two", "C"),
         "ERROR not changed: with this, more than 2 files would have changed",
         "../two/C.md", NULL},
        {"vault_write", NEW("one", "C"),
         "ERROR not changed: with this, more than 2 files would have changed", "C.md",
         NULL},
        {"vault_write", NEW("one", "C") ",'dry_run':true", "dry run", "C.md", NULL},
    };
    static const struct app_row others[] = {
        {"vault_write", NEW("one", "C"), "created C.md"},
    };
    struct app_place *p =
        app_place_open("--confirm-files 2 --vault one=@/vault,two=@/two", fill);
    app_look(p);
    p->peer.caller.owner = STR("grant");
    app_check_rows(p, NULL, rows, COUNT_OF(rows));
    p->peer.caller.owner = STR("another");
    app_check_rows(p, NULL, others, COUNT_OF(others));
    app_place_close(p);
}

/* --- why an edit failed --- */

static void test_reasons(void **state)
{
    (void)state;
    static const struct app_row rows[] = {
        {"vault_edit", "'path':'None','old_text':'a','new_text':'b'",
         "vault_search finds files by parts of their names"},
        {"vault_edit", "'path':'Damaged','old_text':'caf\xc3\xa9','new_text':'b'",
         "which are shown as U+FFFD and cannot be found", "Damaged.md",
         "caf\xc3 \xc3\xa9\xc3\xa9 tea\n"},
        {"vault_edit", "'path':'Damaged','old_text':'tea','new_text':'milk'", "edited",
         "Damaged.md", "caf\xc3 \xc3\xa9\xc3\xa9 milk\n"},
        {"vault_edit", "'path':'Latin','old_text':'tea','new_text':'th\xc3\xa9'",
         "edited", "Latin.md", "caf\xe9 and th\xe9\n"},
        {"vault_edit", "'path':'Latin','old_text':'tea','new_text':'\xe8\x8c\xb6'",
         "ERROR ", "Latin.md", "caf\xe9 and tea\n"},
    };
    struct app_place *p = app_place_open("", fill);
    app_check_rows(p, fill, rows, COUNT_OF(rows));
    app_place_close(p);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_actor),       cmocka_unit_test(test_vaults),
        cmocka_unit_test(test_vault_after), cmocka_unit_test(test_many_elsewhere),
        cmocka_unit_test(test_reasons),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
