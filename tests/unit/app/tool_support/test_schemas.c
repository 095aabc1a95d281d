/* Properties that are not what schemas say, in what clients write (--schema-policy). */
#include "app/tool_support/tool_support.h"
#include "app_place.h"

static void fill(struct place *p)
{
    place_put(p, ".obsidian/types.json",
              STR("{\"types\":{\"pinned\":\"checkbox\",\"rating\":\"text\"}}"));
    place_put(p, ".obsidian/templates.json", STR("{\"folder\":\"Templates\"}"));
    place_put(p, "Home.md", STR("---\npinned: maybe\n---\nhome\n"));
    place_put(p, "Books/About.md",
              STR("---\nschema:\n  rating: number\n  author: {required: true}\n---\n"));
    place_put(p, "Books/Dune.md", STR("---\nauthor: Herbert\n---\ntext\n"));
    place_put(p, "Inbox/New.md", STR("---\nrating: good\n---\n"));
    place_put(p, "Secret/Hidden.md",
              STR("---\nai: hidden\nschema-for: Open\nschema: {x: number}\n---\n"));
    place_put(p, "Open/A.md", STR("a\n"));
}

#define MISSING "'author' is required, but has no value (Books/About.md)"
#define CHECKBOX                                                                         \
    "'pinned' is a checkbox (true or false), but here the text 'perhaps' (types.json "   \
    "of "                                                                                \
    "Obsidian)"

static const struct {
    const char *name, *tool, *arguments;
    const char *want;    /* part of the warning and of the refusal; NULL: neither */
    const char *changed; /* a file that is not changed where it is refused */
} rows[] = {
    {"type of Obsidian", "vault_frontmatter", "'path':'Home','set':{'pinned':'perhaps'}",
     CHECKBOX, "Home.md"},
    {"the same in text", "vault_edit",
     "'path':'Home','old_text':'pinned: maybe','new_text':'pinned: perhaps'", CHECKBOX,
     "Home.md"},
    {"was so before", "vault_edit", "'path':'Home','old_text':'home','new_text':'house'",
     NULL, "Home.md"},
    {"schema before type", "vault_frontmatter", "'path':'Books/Dune','set':{'rating':5}",
     NULL, "Books/Dune.md"},
    {"new note", "vault_write", "'path':'Books/Emma','content':'text'", MISSING,
     "Books/Emma.md"},
    {"removed", "vault_frontmatter", "'path':'Books/Dune','remove':['author']", MISSING,
     "Books/Dune.md"},
    {"moved", "vault_move", "'path':'Inbox/New','to':'Books/New.md'", MISSING,
     "Books/New.md"},
    {"moved with its folder", "vault_move", "'path':'Inbox','to':'Books/Inbox'", MISSING,
     "Books/Inbox/New.md"},
    {"batch", "vault_batch",
     "'steps':[{'tool':'vault_write','path':'Free','content':'x'},{"
     "'tool':'vault_write','path':'Books/Emma','content':'text'}]",
     MISSING, "Free.md"},
    {"batch that becomes right", "vault_batch",
     "'steps':[{'tool':'vault_write','path':'Books/Emma','content':'x'},{'tool':'"
     "vault_frontmatter','path':'Books/Emma','set':{'author':'A'}}]",
     NULL, "Books/Emma.md"},
    {"template", "vault_write",
     "'path':'Templates/Book','content':'---\\npinned: \\\"{{x}}\\\"\\n---\\n'", NULL,
     "Templates/Book.md"},
    {"hidden schema", "vault_frontmatter", "'path':'Open/A','set':{'x':'text'}", NULL,
     "Open/A.md"},
    {"dry run", "vault_write", "'path':'Books/Emma','content':'text','dry_run':true",
     MISSING, NULL},
};

static bool has(str text, const char *part)
{
    return str_find(text, str_c(part)) != STR_NONE;
}

static void check_rows(const char *flags, bool refused)
{
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct app_place *p = app_place_open(flags, fill);
        const char *name = rows[i].name;
        const char *path = rows[i].changed != NULL ? rows[i].changed : "Home.md";
        str before = app_file(p, path);
        str answer = app_call(p, rows[i].tool, rows[i].arguments);
        bool fails = refused && rows[i].want != NULL;
        CHECK(arena_printf(&p->peer.arena, "%s: " STR_FMT, name, STR_ARG(answer)).p,
              str_starts(answer, STR("ERROR")) == fails &&
                  (rows[i].want != NULL ? has(answer, rows[i].want)
                                        : !has(answer, ", but here")));
        if (rows[i].changed != NULL)
            CHECK_INT(name, !str_eq(before, app_file(p, path)), !fails);
        app_place_close(p);
    }
}

static void test_warn(void **state)
{
    (void)state;
    check_rows("", false);
}

static void test_enforce(void **state)
{
    (void)state;
    check_rows("--schema-policy enforce", true);
}

static void test_off(void **state)
{
    (void)state;
    struct app_place *p = app_place_open("--schema-policy off", fill);
    CHECK("silent", !has(app_call(p, rows[0].tool, rows[0].arguments), "checkbox"));
    app_place_close(p);
}

/* A client that is bound by schemas cannot change them. */
static void test_schemas_themselves(void **state)
{
    static const struct {
        const char *tool, *arguments;
    } attempts[] = {
        {"vault_write", "'path':'Books/About','content':'none','overwrite':true"},
        {"vault_frontmatter", "'path':'Books/About','remove':['schema']"},
        {"vault_edit", "'path':'Books/About','old_text':'number','new_text':'text'"},
        {"vault_delete", "'path':'Books/About'"},
        {"vault_delete", "'path':'Books','recursive':true,'confirm':2"},
        {"vault_move", "'path':'Books/About','to':'Inbox/About.md'"},
        {"vault_write", "'path':'More','content':'---\\nschema: {a: number}\\n---\\n'"},
    };
    (void)state;
    struct app_place *p = app_place_open("--schema-policy enforce --confirm never", fill);
    for (size_t i = 0; i < COUNT_OF(attempts); i++)
        CHECK(attempts[i].arguments,
              has(app_call(p, attempts[i].tool, attempts[i].arguments), "is a schema"));
    place_put(p->place, "Books/Dune.md", STR("---\nauthor: Herbert\n---\ntext\n"));
    app_look(p);
    CHECK("a note is undone",
          !has(app_call(p, "vault_insert", "'path':'Books/Dune','content':'more'"),
               "ERROR") &&
              !has(app_call(p, "vault_undo", ""), "ERROR"));
    CHECK("as it was", has(app_file(p, "Books/About.md"), "rating: number"));
    app_place_close(p);
    p = app_place_open("", fill);
    CHECK("else they can",
          !has(app_call(p, "vault_edit", attempts[2].arguments), "ERROR"));
    app_place_close(p);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_warn),
        cmocka_unit_test(test_enforce),
        cmocka_unit_test(test_off),
        cmocka_unit_test(test_schemas_themselves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
