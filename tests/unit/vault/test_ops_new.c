/* New notes: paths, templates, dated notes, and what may be written. */
#include "vault/ops.h"

#include "vault_place.h"

/* --- dated notes --- */

#define MAY_DAY                                                                          \
    {                                                                                    \
        .year = 2024, .month = 5, .day = 1, .hour = 9                                    \
    }

static const struct ops_dated may_day = {PERIOD_DAY, MAY_DAY},
                              may = {PERIOD_MONTH, MAY_DAY},
                              may_anyway = {PERIOD_MONTH, MAY_DAY, .anyway = true};

static void test_daily(void **state)
{
    struct place *p = *state;
    struct ops_report r;
    bool created;
    place_put(p, ".obsidian/daily-notes.json",
              STR("{\"folder\": \"/Log\", \"format\": \"YYYY/MM/YYYY-MM-DD\", "
                  "\"template\": \"Templates/Day\"}"));
    place_put(p, "Templates/Day.md", STR("# {{title}}\n{{date}} {{date:dddd}} {{x}}\n"));
    place_start(p);
    struct draft *d = place_draft(p);
    OK(ops_daily(d, &may_day, &r, &created, &err));
    CHECK_STR("path", r.path, "Log/2024/05/2024-05-01.md");
    CHECK("new", created);
    place_commit("daily", d);
    CHECK_STR("text", place_text(p, "Log/2024/05/2024-05-01.md"),
              "# 2024-05-01\n2024-05-01 Wednesday {{x}}\n");
    CHECK_INT("indexed", place_hits(p, "wednesday"), 1);
    place_put(p, "Log/2024/05/2024-05-01.md", STR("mine"));
    d = place_draft(p);
    OK(ops_daily(d, &may_day, &r, &created, &err));
    CHECK("there", !created && draft_is_empty(d));
    CHECK_INT("untouched", place_commit("again", d).change, 0);
    CHECK_STR("mine", place_text(p, "Log/2024/05/2024-05-01.md"), "mine");
    OK(ops_daily(d, &may_anyway, &r, &created, &err));
    CHECK_STR("month", r.path, "2024-05.md");
}

static void test_daily_settings(void **state)
{
    struct place *p = *state;
    static const struct {
        const char *name, *settings, *there, *path, *words;
    } rows[] = {
        {"none", NULL, NULL, "2024-05-01.md", NULL},
        {"broken", "{\"folder\": ", NULL, "2024-05-01.md", NULL},
        {"no template", "{\"template\": \"T/none\"}", NULL, NULL, "T/none.md"},
        {"hidden template", "{\"template\": \".obsidian/x\"}", NULL, NULL, "hidden"},
        {"empty template", "{\"template\": \"\"}", NULL, "2024-05-01.md", NULL},
        {"outside", "{\"folder\": \"../x\"}", NULL, NULL, "'..'"},
        {"a colon", "{\"format\": \"HH:mm\"}", NULL, NULL, "cannot be used as a name"},
        {"other spelling", "{\"folder\": \"log\"}", "LOG/2024-05-01.md",
         "LOG/2024-05-01.md", NULL},
        {"a folder", "{}", "2024-05-01.md/x.md", NULL, "folder"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct ops_report r;
        bool created = true;
        struct err err = {0};
        place_remove(p->fd, ".obsidian");
        place_remove(p->fd, "2024-05-01.md");
        if (rows[i].settings != NULL)
            place_put(p, ".obsidian/daily-notes.json", str_c(rows[i].settings));
        if (rows[i].there != NULL)
            place_put(p, rows[i].there, STR("there"));
        place_start(p);
        bool ok = ops_daily(place_draft(p), &may_day, &r, &created, &err);
        CHECK_INT(rows[i].name, ok, rows[i].path != NULL);
        if (ok)
            CHECK_STR(rows[i].name, r.path, rows[i].path);
        else if (strstr(err.msg, rows[i].words) == NULL)
            fail_msg("%s: %s", rows[i].name, err.msg);
        CHECK(rows[i].name, !ok || created == (rows[i].there == NULL));
    }
}

/* No empty weekly note is created where weekly notes are not used. */
static void test_periods(void **state)
{
    struct place *p = *state;
    struct ops_report r;
    bool created;
    place_put(p, ".obsidian/plugins/periodic-notes/data.json",
              STR("{\"weekly\": {\"enabled\": true, \"folder\": \"Weeks\"}, "
                  "\"monthly\": {\"enabled\": false}}"));
    place_start(p);
    struct ops_dated week = {PERIOD_WEEK, MAY_DAY};
    OK(ops_daily(place_draft(p), &week, &r, &created, &err));
    CHECK_STR("set up", r.path, "Weeks/2024-W18.md");
    FAILS(ops_daily(place_draft(p), &may, &r, &created, &err), ERR_INVALID,
          "no monthly notes: '2024-05.md' does not exist");
    OK(ops_daily(place_draft(p), &may_anyway, &r, &created, &err));
    place_put(p, "2024-05.md", STR("by hand"));
    OK(ops_daily(place_draft(p), &may, &r, &created, &err));
    CHECK("exists", !created);
}

static void test_daily_templater(void **state)
{
    struct place *p = *state;
    struct ops_report r;
    bool created;
    place_put(p, ".obsidian/daily-notes.json", STR("{\"template\": \"T/Day\"}"));
    place_put(p, "T/Day.md", STR("<% tp.date.now('dddd') %> <%* run() %>"));
    place_start(p);
    struct draft *d = place_draft(p);
    OK(ops_daily(d, &may_day, &r, &created, &err));
    place_commit("daily", d);
    CHECK_STR("text", place_text(p, "2024-05-01.md"), "Wednesday <%* run() %>");
    CHECK_INT("left", r.n_warnings, 1);
    CHECK("left", str_ends(r.warnings[0], STR(": <%* run() %>")));
}

/* --- paths --- */

static void test_write_path(void **state)
{
    struct place *p = *state;
    static const struct {
        const char *word, *want;
    } rows[] = {
        {"New idea", "New idea.md"}, {"a/b/New idea", "a/b/New idea.md"},
        {"v1.2", "v1.2.md"},         {"Dr. Who", "Dr. Who.md"},
        {"x.txt", "x.txt"},          {"/x.md", "x.md"},
        {"LICENSE", "LICENSE"},      {"Projects", "Projects.md"},
        {"song.mp3", "song.mp3"},    {"/a//b.canvas", "a/b.canvas"},
    };
    place_put(p, "LICENSE", STR("a file without extension"));
    place_put(p, "Projects/x.md", STR("in a folder"));
    place_start(p);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        str path;
        bool added;
        OK(ops_write_path(place_draft(p), str_c(rows[i].word), &path, &added, &err));
        CHECK_STR(rows[i].word, path, rows[i].want);
        CHECK_INT(rows[i].word, added,
                  str_ends(path, STR(".md")) &&
                      !str_ends(str_c(rows[i].word), STR(".md")));
    }
    str path;
    bool added;
    FAILS(ops_write_path(place_draft(p), STR("X"), &path, &added, &err), ERR_INVALID,
          "'Projects/x.md' has that name");
}

/* --- texts --- */

static bool text_from(struct draft *d, const char *model, const char *path, str *text,
                      str *warning, struct err *err)
{
    struct ops_text request = {.model = str_c(model)};
    return ops_text(d, &request, str_c(path), text, warning, err);
}

static void test_template(void **state)
{
    struct place *p = *state;
    str text, warning;
    place_put(p, ".obsidian/templates.json",
              STR("{\"folder\": \"Templates\", \"dateFormat\": \"YYYY\"}"));
    place_put(p, ".obsidian/plugins/templater-obsidian/data.json",
              STR("{\"templates_folder\": \"Scripts/T\"}"));
    place_put(p, "Templates/Meeting.md", STR("# {{title}}"));
    place_put(p, "Scripts/T/Person.md", STR("<% tp.file.folder(true) %> <% x() %>"));
    place_put(p, "Other.md", STR("other {{title}}"));
    place_start(p);
    struct draft *d = place_draft(p);
    OK(text_from(d, "Meeting", "a/Kick-off.md", &text, &warning, &err));
    CHECK_STR("core", text, "# Kick-off");
    CHECK_STR("core", warning, "");
    OK(text_from(d, "person.md", "a/Ann.md", &text, &warning, &err));
    CHECK_STR("Templater", text, "a <% x() %>");
    CHECK("Templater", str_ends(warning, STR(": <% x() %>")));
    OK(text_from(d, "Other", "Ann.md", &text, &warning, &err));
    CHECK_STR("path", text, "other Ann");
    FAILS(text_from(d, "None", "a.md", &text, &warning, &err), ERR_NOT_FOUND,
          "no such template 'None': there are ");
    FAILS(text_from(d, "../x", "a.md", &text, &warning, &err), ERR_DENIED, "..");
    struct ops_text more = {.model = STR("Meeting"), .content = STR("- Ann\n")};
    OK(ops_text(d, &more, STR("a/X.md"), &text, &warning, &err));
    CHECK_STR("content after it", text, "# X\n\n- Ann\n");
    more.content = STR("---\na: 1\n---\n");
    FAILS(ops_text(d, &more, STR("a/X.md"), &text, &warning, &err), ERR_INVALID,
          "properties of the template");
}

/* What a template opens and does not close would take up the content. */
static void test_open_template(void **state)
{
    struct place *p = *state;
    static const struct {
        const char *model, *content, *words; /* "": it is written */
    } rows[] = {
        {"# T\n\n```js\ncode\n", "text\n",
         "line 3, '```js', is not closed; close it in 'T/x.md'"},
        {"# T\n\n%%\nhidden\n", "text\n", "line 3, '%%', is not closed"},
        {"# T\n\n$$\nx\n", "text $$ y\n", "line 3, '$$', is not closed"},
        {"# T\n\n<!-- a\n", "## Head\n", "line 3, '<!-- a', is not closed"},
        {"---\na: 1\n", "text\n---\n", "line 1, '---', is not closed"},
        {"# T\n\n```js\ncode\n", "", ""},
        {"# T\n\n```js\ncode\n```\n", "text\n", ""},
        {"---\na: 1\n---\n- item\n\n| a |\n|---|\n", "---\n\n```\nopen\n", ""},
        {"text", "===\n", ""},
    };
    place_start(p);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct err err = {0};
        struct ops_text request = {.model = STR("T/x"),
                                   .content = str_c(rows[i].content)};
        str text, warning;
        place_put(p, "T/x.md", str_c(rows[i].model));
        vault_refresh(p->vault, (str[]){STR("T/x.md")}, 1);
        bool ok =
            ops_text(place_draft(p), &request, STR("New.md"), &text, &warning, &err);
        if (ok != (rows[i].words[0] == '\0') || strstr(err.msg, rows[i].words) == NULL)
            fail_msg("row %zu: %s", i, err.msg);
    }
}

static void test_no_templates(void **state)
{
    struct place *p = *state;
    str text, warning;
    place_start(p);
    FAILS(text_from(place_draft(p), "None", "a.md", &text, &warning, &err), ERR_NOT_FOUND,
          "no folder with templates");
}

static void test_keep_properties(void **state)
{
    static const struct {
        const char *name, *old, *content, *want;
    } rows[] = {
        {"kept", "---\na: 1\n---\nold\n", "new\n", "---\na: 1\n---\nnew\n"},
        {"gap", "---\na: 1\n---\n\nold\n", "new\n", "---\na: 1\n---\n\nnew\n"},
        {"own gap", "---\na: 1\n---\n\nold", "\n\nnew", "---\na: 1\n---\n\n\nnew"},
        {"none", "old\n", "new\n", "new\n"},
        {"no body", "---\na: 1\n---", "new\n", "---\na: 1\n---\nnew\n"},
        {"CRLF", "---\r\na: 1\r\n---\r\n\r\nold", "new", "---\r\na: 1\r\n---\r\n\r\nnew"},
    };
    struct place *p = *state;
    str text, warning;
    place_start(p);
    struct ops_text request = {.keep_properties = true, .content = STR("new")};
    OK(ops_text(place_draft(p), &request, STR("none.md"), &text, &warning, &err));
    CHECK_STR("new", text, "new");
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        place_put(p, "n.md", str_c(rows[i].old));
        request.content = str_c(rows[i].content);
        OK(ops_text(place_draft(p), &request, STR("n.md"), &text, &warning, &err));
        CHECK_STR(rows[i].name, text, rows[i].want);
    }
    request.content = STR("---\nb: 1\n---\n");
    FAILS(ops_text(place_draft(p), &request, STR("n.md"), &text, &warning, &err),
          ERR_INVALID, "cannot begin with properties");
}

static void test_replaces(void **state)
{
    struct place *p = *state;
    static const struct {
        const char *path, *text;
        enum ops_replaces want;
    } rows[] = {
        {"none.md", "x", OPS_NOTHING},  {"a.md", "same", OPS_NOTHING},
        {"a.md", "other", OPS_TEXT},    {"latin.md", "x", OPS_ENCODING},
        {"pic.png", "other", OPS_TEXT},
    };
    place_put(p, "a.md", STR("same"));
    place_put(p, "latin.md", STR("Gr\xF6\xDF"));
    place_put(p, "pic.png", STR("\x89PNG\0\0\0\0"));
    place_start(p);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        enum ops_replaces what;
        struct draft_file old;
        OK(ops_replaces(place_draft(p), str_c(rows[i].path), str_c(rows[i].text), &what,
                        &old, &err));
        CHECK_INT(rows[i].path, what, rows[i].want);
    }
}

/* --- what may be written --- */

static void test_draft_check(void **state)
{
    struct place *p = *state;
    static const struct {
        const char *path, *text;
        bool ok;
    } rows[] = {
        {"new.md", "---\na: 1\n---\n", true},
        {"new.md", "---\na: [\n---\n", false},
        {"broken.md", "---\na: [\n---\nmore\n", true},
        {"broken.md", "---\na: 1\n---\n---\nb: 1\n---\n", false},
        {"good.md", "---\na: [\n---\n", false},
        {"x.canvas", "{}", true},
        {"x.canvas", "{", false},
        {"x.png", "text", false},
    };
    place_put(p, "broken.md", STR("---\na: [\n---\n"));
    place_put(p, "good.md", STR("---\na: 1\n---\n"));
    place_put(p, "x.png", STR("never was a picture"));
    place_start(p);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct draft *d = place_draft(p);
        struct err why = {0};
        OK(draft_write(d, str_c(rows[i].path), str_c(rows[i].text), DRAFT_OVERWRITE,
                       &err));
        CHECK_INT(rows[i].text, draft_check(d, &why), rows[i].ok);
        CHECK_INT(rows[i].text, why.name, rows[i].ok ? E_NONE : E_INVALID_CONTENT);
    }
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        PLACE_TEST(test_daily),           PLACE_TEST(test_daily_settings),
        PLACE_TEST(test_periods),         PLACE_TEST(test_daily_templater),
        PLACE_TEST(test_write_path),      PLACE_TEST(test_template),
        PLACE_TEST(test_open_template),   PLACE_TEST(test_no_templates),
        PLACE_TEST(test_keep_properties), PLACE_TEST(test_replaces),
        PLACE_TEST(test_draft_check),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
