/* Grammar, rows, order, groups and limits; test_value_compare.c has the comparisons. */
#include "base/clock.h"
#include "select_vault.h"

static const struct literal vault[] = {
    {"Projects/Alpha.md",
     "---\nstatus: active\npriority: 2\ndue: 2026-11-20\ntags: [work]\nowner: "
     "\"[[Ann]]\"\n---\n# Plan\n- [ ] write #next\n- [x] read\n\n## Later\n- [-] drop\n",
     NOW - 86400, false},
    {"Projects/Old/beta.md",
     "---\nStatus: Done\npriority: 10\ntags: [work, home]\n---\n"
     "- [ ] one [[Ann]]\n",
     NOW, false},
    {"Ann.md", "---\npriority: high\naliases: [A]\n---\n[[Alpha]]\n", NOW - 7200, false},
    {"Élan.md", "---\nstatus: ACTIVE\npriority: 2.5\nmap: {k: [1, true, null]}\n---\n",
     NOW, false},
    {"zero.md", "", NOW, false},
    {"Hidden.md", "---\nstatus: active\nsecret: 1\n---\n[[Ann]]\n- [ ] hidden\n", NOW,
     true},
    {"Broken.md", "---\nstatus: [\n---\n", NOW, false},
    {"Picture.png", "", NOW, false},
};

static int setup_index(void **state)
{
    *state = index_of(vault, COUNT_OF(vault));
    return 0;
}

static int teardown_index(void **state)
{
    index_free(*state);
    return 0;
}

#define INDEX_TEST(function)                                                             \
    cmocka_unit_test_setup_teardown(function, setup_index, teardown_index)

static void test_grammar(void **state)
{
    static const struct {
        const char *where, *names;
    } cases[] = {
        {"", "Ann Broken Alpha beta zero Élan"},
        {"  ", "Ann Broken Alpha beta zero Élan"},
        {"status", "Alpha beta Élan"},
        {"status = active", "Alpha Élan"},
        {"status=active", "Alpha Élan"},
        {"status = active AND priority > 2", "Élan"},
        {"status = active && !(priority > 2)", "Alpha"},
        {"status = active OR status = done", "Alpha beta Élan"},
        {"status = done || status = active and priority = 2", "Alpha beta"},
        {"(status = done or status = active) and priority = 2", "Alpha"},
        {"not status = active and priority exists", "Ann beta"},
        {"NOT (status = active) AND priority", "Ann beta"},
        {"not not status", "Alpha beta Élan"},
        {"priority NOT IN (2, 10) and priority exists", "Ann Élan"},
        {"priority ! in (2, 10) and priority", "Ann Élan"},
        {"file.name startswith é", "Élan"},
        {"file.path startswith Projects/Old", "beta"},
        {"file.backlinks contains [[Ann]]", "Alpha"},
        {"file.backlinks exists", "Ann Alpha"},
        {"status is active", "Alpha Élan"},
        {"status is not active", "Ann Broken beta zero"},
        {"file.headings contains later", "Alpha"},
        {"file.tasks is not empty", "Alpha beta"},
        {"file.modified < today", "Alpha"},
        {"file.modified < now - 1h", "Ann Alpha"},
        {"secret exists", ""},
    };
    struct arena a = {0};
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        CHECK_STR(cases[i].where,
                  run_text(&a, *state, (struct select){.where = str_c(cases[i].where)}),
                  cases[i].names);
    arena_release(&a);
}

static void test_errors(void **state)
{
    static const struct {
        const char *where, *message;
    } cases[] = {
        {"=", "where: expected a field such as status or file.name at byte 0, found '='"},
        {"a =", "where: expected a value at byte 3, found the end"},
        {"a = )", "where: expected a value at byte 4, found ')'"},
        {"a = In Progress", "where: expected AND, OR or the end (text with spaces needs "
                            "quotes) at byte 7, found 'Progress'"},
        {"a b", "where: expected an operator such as = or contains, AND, OR, or the end "
                "at byte 2, found 'b'"},
        {"(a = 1", "where: expected AND, OR or ')' at byte 6, found the end"},
        {"a = 1)",
         "where: expected AND, OR or the end (text with spaces needs quotes) at "
         "byte 5, found ')'"},
        {"a = 1 AND",
         "where: expected a field such as status or file.name at byte 9, found the end"},
        {"a = \"x", "where: expected a closing quote for the text that begins at byte 4, "
                    "found '\"x'"},
        {"a = `x", "where: expected a closing backtick at byte 4, found '`x'"},
        {"a`b` = 1",
         "where: expected an operator such as = or contains, AND, OR, or the end at byte "
         "1, found '`b`'"},
        {"a = [[x", "where: expected a closing ]] for the link that begins at byte 4, "
                    "found '[[x'"},
        {"tag = #", "where: expected a tag such as #work at byte 6, found '#'"},
        {"tag:#x", "where: expected a field, a value or an operator at byte 3, found "
                   "':#x'"},
        {"a < 2026-02-30", "where: expected a date that exists at byte 4, found "
                           "'2026-02-30'"},
        {"a < today + 7", "where: expected a duration such as 7d, 2w, 3m or 1y at byte "
                          "12, found '7'"},
        {"a < 5 + 7d", "where: expected a date before + or - at byte 4, found '5'"},
        {"a = date(x)",
         "where: expected a date such as 2026-11-16 at byte 9, found 'x)'"},
        {"a = upper(x)", "where: expected a value (functions are date, today and now) at "
                         "byte 4, found 'upper(x)'"},
        {"a in x, y",
         "where: expected AND, OR or the end (text with spaces needs quotes) "
         "at byte 6, found ','"},
        {"a in (x", "where: expected ',' or the closing bracket of the list at byte 7, "
                    "found the end"},
        {"a in 5", "where: expected a list (a, b) or a field at byte 5, found '5'"},
        {"a matches \"(\"", NULL},
        {"due < tomorow", "where: 'tomorow' at byte 6 is not a date; did you mean "
                          "'tomorrow'?"},
        {"due >= tody and x", "where: 'tody' at byte 7 is not a date; did you mean "
                              "'today'?"},
        {"file.foldr = x", "where: unknown field 'file.foldr' at byte 0; did you mean "
                           "'file.folder'?"},
        {"a = 1 and file.modifed > today", "where: unknown field 'file.modifed' at byte "
                                           "10; did you mean 'file.modified'?"},
        {"file.colour = 1",
         "where: unknown field 'file.colour' at byte 0; after 'file.' there can be name, "
         "path, folder, ext, size, modified, tags, aliases, links, backlinks, headings, "
         "tasks, link"},
        {"task.due < today",
         "where: 'task.due' at byte 0 is a field of tasks; query tasks instead of notes"},
        {"task.colour = red",
         "where: unknown field 'task.colour' at byte 0; after 'task.' there can be text, "
         "status, done, line, heading, tags, due, scheduled, start, created, completion, "
         "cancelled, priority, recurs, blocked, blocking, id, depends, description"},
        {"task.scheduld < today", "where: unknown field 'task.scheduld' at byte 0; did "
                                  "you mean 'task.scheduled'?"},
        {"file.name.length > 3",
         "where: unknown field 'file.name.length' at byte 0; after 'file.' there can be "
         "name, path, folder, ext, size, modified, tags, aliases, links, backlinks, "
         "headings, tasks, link"},
        {"task.done", "where: 'task.done' at byte 0 is a field of tasks; query tasks "
                      "instead of notes"},
        {"a = \xff", "where: not valid UTF-8"},
        {"a = 1 ; b", "where: expected a field, a value or an operator at byte 6, found "
                      "';'"},
    };
    struct arena a = {0};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct select_result r;
        struct err err = {0};
        struct select s = {.where = str_c(cases[i].where)};
        CHECK(cases[i].where, !select_run(*state, &a, &s, &r, &err));
        CHECK_INT(cases[i].where, err.code, ERR_INVALID);
        if (cases[i].message != NULL)
            CHECK_STR(cases[i].where, str_c(err.msg), cases[i].message);
    }
    arena_release(&a);
}

/* n times before, then middle, then n times after. */
static str nested(struct arena *a, size_t n, const char *before, const char *middle,
                  const char *after)
{
    struct sbuf b = SBUF_ON(a);
    for (size_t i = 0; i < n; i++)
        sbuf_add(&b, str_c(before));
    sbuf_add(&b, str_c(middle));
    for (size_t i = 0; i < n; i++)
        sbuf_add(&b, str_c(after));
    return sbuf_str(&b);
}

static enum err_code code_of(struct arena *a, const struct index *x, struct select s)
{
    struct select_result r;
    struct err err = {0};
    return select_run(x, a, &s, &r, &err) ? ERR_NONE : err.code;
}

static void test_limits(void **state)
{
    struct arena a = {0};
    str columns[SELECT_COLUMNS_MAX + 1];
    for (size_t i = 0; i < COUNT_OF(columns); i++)
        columns[i] = STR("status");
    const struct {
        const char *name;
        struct select select;
        enum err_code code;
    } cases[] = {
        {"deep", {.where = nested(&a, SELECT_DEPTH_MAX, "(", "a", ")")}, ERR_NONE},
        {"too deep",
         {.where = nested(&a, SELECT_DEPTH_MAX + 1, "(", "a", ")")},
         ERR_LIMIT},
        {"too many nots",
         {.where = nested(&a, SELECT_DEPTH_MAX + 1, "!", "a", "")},
         ERR_LIMIT},
        {"too many dates", {.where = nested(&a, 500, "date(", "a", ")")}, ERR_LIMIT},
        {"terms",
         {.where = nested(&a, SELECT_TERMS_MAX - 1, "a or ", "a", "")},
         ERR_NONE},
        {"too many terms",
         {.where = nested(&a, SELECT_TERMS_MAX, "a or ", "a", "")},
         ERR_LIMIT},
        {"long", {.where = nested(&a, SELECT_WHERE_MAX - 1, " ", "a", "")}, ERR_NONE},
        {"too long", {.where = nested(&a, SELECT_WHERE_MAX, " ", "a", "")}, ERR_LIMIT},
        {"columns", {.columns = columns, .n_columns = SELECT_COLUMNS_MAX}, ERR_NONE},
        {"too many columns",
         {.columns = columns, .n_columns = SELECT_COLUMNS_MAX + 1},
         ERR_LIMIT},
        {"limit", {.limit = SELECT_LIMIT_MAX}, ERR_NONE},
        {"limit too large", {.limit = SELECT_LIMIT_MAX + 1}, ERR_LIMIT},
        {"no field", {.group = STR(" ")}, ERR_INVALID},
        {"unknown field", {.group = STR("file.nmae")}, ERR_INVALID},
        {"many values", {.where = nested(&a, 1300, "", "a in (1", ",1")}, ERR_INVALID},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        CHECK_INT(cases[i].name, code_of(&a, *state, cases[i].select), cases[i].code);
    arena_release(&a);
}

static void test_order(void **state)
{
    static const struct {
        const char *name, *names;
        struct select_order order[2];
        size_t n;
    } cases[] = {
        {"by path", "Ann Broken Alpha beta zero Élan", {{{0}}}, 0},
        {"by name", "Alpha Ann beta Broken zero Élan", {{STR("file.name"), false}}, 1},
        {"by name, down",
         "Élan zero Broken beta Ann Alpha",
         {{STR("file.name"), true}},
         1},
        {"numbers, text, nothing",
         "Alpha Élan beta Ann Broken zero",
         {{STR("priority"), false}},
         1},
        {"down, nothing still last",
         "Ann beta Élan Alpha Broken zero",
         {{STR("priority"), true}},
         1},
        {"two",
         "Élan Alpha beta Ann Broken zero",
         {{STR("status"), false}, {STR("priority"), true}},
         2},
        {"by time",
         "Alpha Ann Broken beta zero Élan",
         {{STR("file.modified"), false}},
         1},
        {"by list", "beta Alpha Ann Broken zero Élan", {{STR("note.tags"), true}}, 1},
        {"by link", "Alpha Ann Broken beta zero Élan", {{STR("owner"), false}}, 1},
    };
    struct arena a = {0};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct select s = {.order = cases[i].order, .n_order = cases[i].n};
        CHECK_STR(cases[i].name, run_text(&a, *state, s), cases[i].names);
    }
    arena_release(&a);
}

static void test_columns(void **state)
{
    struct arena a = {0};
    const str columns[] = {STR("status"),    STR("tags"),        STR("file.links"),
                           STR("file.size"), STR("no such one"), STR("`map`.k"),
                           STR("due")};
    struct select s = {
        .where = STR("status"), .columns = columns, .n_columns = COUNT_OF(columns)};
    CHECK_STR("columns", run_text(&a, *state, s),
              "Alpha(active|work, next|Ann.md|138|||2026-11-20) "
              "beta(Done|work, home|Ann.md|71|||) "
              "Élan(ACTIVE|||63||1, true, null|)");
    arena_release(&a);
}

static void test_length(void **state)
{
    static const struct literal files[] = {
        {"Hub.md", "---\nauthors: [Ann, Bo, Cy]\nsize: {length: 9}\n---\n"
                   "[[A]] [[A]] [[B]] [[Gone]] #x #y\n# H\n- [ ] t #z\n"},
        {"A.md", "[[Hub]] [[A]]\n"},
        {"B.md", "[[Hub]]\n"},
        {"Old.md", "[[Hub]]\n", .excluded = true},
    };
    static const struct {
        const char *where, *names;
    } cases[] = {
        {"file.links.length = 3", "Hub"},
        {"file.backlinks.length >= 1", "A B Hub"},
        {"file.Backlinks.Length = 2", "Hub"}, /* without the excluded one */
        {"file.inlinks.length = 2", "Hub"},
        {"file.tags.length > 2 and file.headings.length = 1", "Hub"},
        {"authors.length = 3", "Hub"},
        {"note.authors.length > 3", ""},
        {"size.length = 9", "Hub"},
        {"file.tasks.length = 0", "A B"},
    };
    struct arena a = {0};
    struct index *x = index_of(files, COUNT_OF(files));
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        CHECK_STR(cases[i].where,
                  run_text(&a, x, (struct select){.where = str_c(cases[i].where)}),
                  cases[i].names);
    const str columns[] = {STR("file.links.length"), STR("authors.length")};
    const struct select_order order = {STR("file.backlinks.length"), true};
    struct select s = {
        .columns = columns, .n_columns = 2, .order = &order, .n_order = 1, .limit = 2};
    CHECK_STR("columns and order", run_text(&a, x, s), "Hub(3|3) A(2|)");
    index_free(x);
    arena_release(&a);
}

static void test_json(void **state)
{
    struct arena a = {0};
    const str columns[] = {STR("status"),    STR("priority"),      STR("map"),
                           STR("file.tags"), STR("file.modified"), STR("nothing")};
    struct select s = {.where = STR("file.name = élan"),
                       .columns = columns,
                       .n_columns = COUNT_OF(columns),
                       .now = NOW,
                       .utc_offset = -3600};
    struct select_result r;
    struct err err = {0};
    assert_true(select_run(*state, &a, &s, &r, &err));
    struct sbuf out = SBUF_ON(&a);
    struct jsonw w = JSONW_ON(&out);
    jsonw_array(&w);
    for (size_t i = 0; i < COUNT_OF(columns); i++)
        value_json(&w, &r.rows[0].values[i]);
    jsonw_end(&w);
    CHECK_STR("json", sbuf_str(&out),
              "[\"ACTIVE\",2.5,{\"k\":[1,true,null]},[],\"2026-11-16T09:00:00\",null]");
    arena_release(&a);
}

static void test_tasks(void **state)
{
    static const struct {
        const char *where, *rows;
    } cases[] = {
        {"", "Alpha:9(write #next|Plan) Alpha:10(read|Plan) Alpha:13(drop|Later) "
             "beta:6(one [[Ann]]|)"},
        {"task.done", "Alpha:10(read|Plan) Alpha:13(drop|Later)"},
        {"not task.completed", "Alpha:9(write #next|Plan) beta:6(one [[Ann]]|)"},
        {"task.done = false and status = active", "Alpha:9(write #next|Plan)"},
        {"task.status = '-'", "Alpha:13(drop|Later)"},
        {"task.status = x", "Alpha:10(read|Plan)"},
        {"task.text contains WRITE", "Alpha:9(write #next|Plan)"},
        {"task.tags = #next", "Alpha:9(write #next|Plan)"},
        {"task.heading = later", "Alpha:13(drop|Later)"},
        {"task.heading is empty", "beta:6(one [[Ann]]|)"},
        {"task.line > 9 and file.folder = Projects",
         "Alpha:10(read|Plan) Alpha:13(drop|Later)"},
        {"file.inFolder('Projects/Old')", "beta:6(one [[Ann]]|)"},
    };
    const str columns[] = {STR("task.text"), STR("task.heading")};
    struct arena a = {0};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct select s = {.from = SELECT_TASKS,
                           .where = str_c(cases[i].where),
                           .columns = columns,
                           .n_columns = 2};
        CHECK_STR(cases[i].where, run_text(&a, *state, s), cases[i].rows);
    }
    arena_release(&a);
}

static str groups_text(struct arena *a, const struct index *x, struct select s)
{
    struct select_result r;
    struct err err = {0};
    struct sbuf out = SBUF_ON(a);
    s.now = NOW;
    if (!select_run(x, a, &s, &r, &err))
        return arena_str(a, str_c(err.msg));
    for (size_t i = 0; i < r.n_groups; i++) {
        value_print(&out, &r.groups[i].value);
        sbuf_printf(&out, "=%zu ", r.groups[i].count);
    }
    sbuf_printf(&out, "%zu of %zu, %zu rows", r.n_groups, r.total_groups, r.total);
    return sbuf_str(&out);
}

static void test_groups(void **state)
{
    static const struct {
        const char *name;
        struct select select;
        const char *groups;
    } cases[] = {
        {"text", {.group = STR("status")}, "=3 ACTIVE=2 Done=1 3 of 3, 6 rows"},
        {"list", {.group = STR("tags")}, "=4 work=2 home=1 next=1 4 of 4, 6 rows"},
        {"limited",
         {.group = STR("tags"), .offset = 1, .limit = 2},
         "work=2 home=1 2 of 4, 6 rows"},
        {"filtered",
         {.group = STR("file.folder"), .where = STR("status = active")},
         "=1 Projects=1 2 of 2, 2 rows"},
        {"links",
         {.group = STR("file.links")},
         "=3 Ann.md=2 Projects/Alpha.md=1 3 of 3, 6 rows"},
        {"tasks",
         {.from = SELECT_TASKS, .group = STR("task.done")},
         "false=2 true=2 2 of 2, 4 rows"},
        {"mixed", {.group = STR("priority")}, "=2 2=1 2.5=1 10=1 high=1 5 of 5, 6 rows"},
        {"none", {.group = STR("status"), .where = STR("status = x")}, "0 of 0, 0 rows"},
    };
    struct arena a = {0};
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        CHECK_STR(cases[i].name, groups_text(&a, *state, cases[i].select),
                  cases[i].groups);
    arena_release(&a);
}

static void test_counts(void **state)
{
    static const struct {
        const char *name;
        struct select select;
        const char *rows;
        size_t total;
    } cases[] = {
        {"count", {.count_only = true}, "", 6},
        {"page", {.offset = 1, .limit = 2}, "Broken Alpha", 6},
        {"last page", {.offset = 5, .limit = 2}, "Élan", 6},
        {"after the end", {.offset = 9}, "", 6},
        {"folder", {.folder = STR("projects")}, "Alpha beta", 2},
        {"folder with slashes", {.folder = STR("/Projects/Old/")}, "beta", 1},
        {"part of a name", {.folder = STR("Proj")}, "", 0},
    };
    struct arena a = {0};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct select_result r;
        struct err err = {0};
        CHECK(cases[i].name, select_run(*state, &a, &cases[i].select, &r, &err));
        CHECK_STR(cases[i].name, rows_text(&a, &r, 0), cases[i].rows);
        CHECK_INT(cases[i].name, r.total, cases[i].total);
        CHECK(cases[i].name, r.limit == NULL);
    }
    arena_release(&a);
}

static void test_unknown(void **state)
{
    static const struct {
        const char *name;
        struct select select;
        const char *unknown;
    } cases[] = {
        {"known", {.where = STR("status = x and map.k = 1")}, ""},
        {"typing error",
         {.where = STR("statsu = x and priorty > 1")},
         "statsu: status; priorty: priority; "},
        {"once",
         {.where = STR("xyzzyxyzzy or xyzzyxyzzy"), .group = STR("xyzzyxyzzy")},
         "xyzzyxyzzy:; "},
        {"of the file", {.where = STR("folder = x")}, "folder: file.folder; "},
        {"of the task",
         {.from = SELECT_TASKS, .where = STR("!done")},
         "done: task.done; "},
        {"text on the left of in", {.where = STR("'work' in tags")}, ""},
        {"only in excluded files", {.where = STR("secret = 1")}, "secret:; "},
    };
    struct arena a = {0};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct select_result r;
        struct err err = {0};
        struct sbuf out = SBUF_ON(&a);
        CHECK(cases[i].name, select_run(*state, &a, &cases[i].select, &r, &err));
        for (size_t k = 0; k < r.n_unknown; k++) {
            sbuf_add(&out, r.unknown[k].field);
            sbuf_char(&out, ':');
            for (size_t j = 0; j < r.unknown[k].n; j++) {
                sbuf_char(&out, ' ');
                sbuf_add(&out, r.unknown[k].nearest[j]);
            }
            sbuf_add(&out, STR("; "));
        }
        CHECK_STR(cases[i].name, sbuf_str(&out), cases[i].unknown);
    }
    arena_release(&a);
}

/* Why there are no rows: what the condition asks for that no note has. */
static void test_missing(void **state)
{
    static const struct {
        const char *name;
        struct select select;
        const char *missing;
    } cases[] = {
        {"rows", {.where = STR("status = active")}, ""},
        {"a value",
         {.where = STR("status = activ")},
         "no note has status 'activ' (did you mean 'ACTIVE'?)"},
        {"one of several",
         {.where = STR("status = active and status in (dnoe, activ) and priority = 77")},
         "no note has status 'dnoe' (did you mean 'Done'?); no note has status 'activ' "
         "(did "
         "you mean 'ACTIVE'?)"},
        {"nothing similar",
         {.where = STR("status = xyzzy")},
         "no note has status 'xyzzy' (there are 'ACTIVE', 'Done')"},
        {"it is there, but not together",
         {.where = STR("status = active and status = done")},
         ""},
        {"a property that no note has", {.where = STR("statsu = active")}, ""},
        {"negated", {.where = STR("not status = xyzzy and priority = 77")}, ""},
        {"a tag",
         {.where = STR("tag contains wrok")},
         "no note has the tag 'wrok' (did you mean 'work'?)"},
        {"a folder",
         {.where = STR("file.inFolder(\"Projcts\")")},
         "no note is in the folder 'projcts' (did you mean 'Projects'?)"},
        {"a part of a path",
         {.where = STR("file.folder = old")},
         "no note is in the folder 'old' (did you mean 'Projects/Old'?)"},
        {"a name",
         {.where = STR("file.name = alfa")},
         "no note has file.name 'alfa' (did you mean 'Alpha'?)"},
        {"a date",
         {.where = STR("due = tomorow")},
         "due has dates, and 'tomorow' is not one (did you mean 'tomorrow'?)"},
        {"not a number",
         {.from = SELECT_TASKS, .where = STR("task.line > many")},
         "task.line has numbers, and 'many' is not one"},
        {"counted",
         {.where = STR("status = dnoe"), .count_only = true},
         "no note has status 'dnoe' (did you mean 'Done'?)"},
    };
    struct arena a = {0};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct select_result r;
        struct select s = cases[i].select;
        struct err err = {0};
        s.now = NOW;
        if (!select_run(*state, &a, &s, &r, &err))
            fail_msg("%s: %s", cases[i].name, err.msg);
        CHECK_STR(cases[i].name, r.missing, cases[i].missing);
    }
    arena_release(&a);
}

static bool stop_immediately(void *arg)
{
    return true;
}

static void test_stopped(void **state)
{
    struct arena a = {0};
    const struct select cases[] = {
        {.stop = &(struct stop){stop_immediately}},
        {.from = SELECT_TASKS, .stop = &(struct stop){stop_immediately}},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct select_result r;
        struct err err = {0};
        assert_true(select_run(*state, &a, &cases[i], &r, &err));
        assert_non_null(r.limit);
        assert_int_equal(r.n, 0);
    }
    arena_release(&a);
}

/* Without a filter, notes are listed in an order that the index keeps. */
static void test_listing(void **state)
{
    struct index *x = *state;
    struct arena a = {0};
    const struct select_order newest = {STR("file.modified"), true};
    struct select s = {.order = &newest, .n_order = 1};
    CHECK_STR("newest first", run_text(&a, x, s), "Broken beta zero \u00c9lan Ann Alpha");
    s.where = STR("not not file.name exists"); /* the same, sorted here */
    CHECK_STR("sorted", run_text(&a, x, s), "Broken beta zero \u00c9lan Ann Alpha");
    s.where = STR("");
    s.offset = 3;
    s.limit = 2;
    CHECK_STR("a page", run_text(&a, x, s), "\u00c9lan Ann");
    index_remove(x, STR("zero.md"));
    struct fs_info now = {.mtime = NOW + 1};
    index_touch(x, index_find(x, STR("Ann.md"))->id, &now);
    s.offset = 0;
    CHECK_STR("after changes", run_text(&a, x, s), "Ann Broken");
    s.n_order = 0;
    s.offset = 4;
    CHECK_STR("by path", run_text(&a, x, s), "\u00c9lan");
    s.offset = 9;
    CHECK_STR("after the last", run_text(&a, x, s), "");
    arena_release(&a);
}

/* Properties of notes that change are found as they are now. */
static void test_changed(void **state)
{
    struct index *x = *state;
    struct arena a = {0}, scratch = {0};
    struct select s = {.where = STR("status = active")};
    CHECK_STR("before", run_text(&a, x, s), "Alpha \u00c9lan");
    struct fs_info info = {0};
    index_put(x,
              file_make(&scratch, STR("zero.md"), &info,
                        STR("---\nSTATUS: [1, aCtive]\n---\n")),
              false);
    index_put(
        x,
        file_make(&scratch, STR("\u00c9lan.md"), &info, STR("---\nstatus: off\n---\n")),
        false);
    CHECK_STR("after", run_text(&a, x, s), "Alpha zero");
    index_put(
        x, file_make(&scratch, STR("zero.md"), &info, STR("---\nSTATUS: active\n---\n")),
        true);
    index_remove(x, STR("Projects/Alpha.md"));
    CHECK_STR("excluded, removed", run_text(&a, x, s), "");
    arena_release(&scratch);
    arena_release(&a);
}

/* The result does not depend on the order in which files were added. */
static void test_deterministic(void **state)
{
    struct literal reversed[COUNT_OF(vault)];
    for (size_t i = 0; i < COUNT_OF(vault); i++)
        reversed[i] = vault[COUNT_OF(vault) - 1 - i];
    struct index *x = index_of(reversed, COUNT_OF(reversed));
    struct arena a = {0};
    const struct select_order order = {STR("status"), false};
    const str columns[] = {STR("file.links"), STR("file.backlinks")};
    struct select s = {.order = &order, .n_order = 1, .columns = columns, .n_columns = 2};
    str other = run_text(&a, x, s);
    CHECK("rows", str_eq(run_text(&a, *state, s), other));
    s = (struct select){.group = STR("status")};
    other = groups_text(&a, x, s);
    CHECK("groups", str_eq(groups_text(&a, *state, s), other));
    index_free(x);
    arena_release(&a);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        INDEX_TEST(test_grammar), INDEX_TEST(test_errors),
        INDEX_TEST(test_limits),  INDEX_TEST(test_order),
        INDEX_TEST(test_columns), INDEX_TEST(test_length),
        INDEX_TEST(test_json),    INDEX_TEST(test_tasks),
        INDEX_TEST(test_groups),  INDEX_TEST(test_counts),
        INDEX_TEST(test_unknown), INDEX_TEST(test_missing),
        INDEX_TEST(test_stopped), INDEX_TEST(test_deterministic),
        INDEX_TEST(test_listing), INDEX_TEST(test_changed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
