/* tests/vectors/tasks/dql.json, and what they do not ask. */
#include "vault/dql/dql.h"

#include "../eval/bases_vault.h"
#include "base/sbuf.h"
#include "vault/eval/select.h"

struct answer {
    struct arena *arena;
    struct dql query;
    struct plan_result found;
    struct eval eval; /* only its reader is used */
};

static bool ask(struct arena *a, const struct index *x, struct date now, const char *note,
                str text, struct answer *out, struct err *err)
{
    *out = (struct answer){.arena = a};
    struct dql_request w = {
        .index = x,
        .text = text,
        .now = now,
        .this_file = note != NULL ? index_find(x, str_c(note)) : NULL,
    };
    out->eval.reader = (struct value_reader){
        .arena = a, .names = x->names, .source_id = NO_FILE, .dialect = &dialect_dql};
    return dql_run(a, &w, &out->query, &out->found, err);
}

/* --- the vectors --- */

static const struct value *cell(const struct answer *got, size_t row, str column)
{
    for (size_t k = 0; k < got->query.plan.n_columns; k++)
        if (str_eq(got->query.columns[k], column))
            return &got->found.rows[row].cells[k];
    fail_msg("no column " STR_FMT, STR_ARG(column));
    return NULL;
}

static bool same_cells(struct answer *got, size_t row, const struct json *want)
{
    for (const struct json *c = want->child; c != NULL; c = c->next)
        if (!bases_same(&got->eval, cell(got, row, c->key), c))
            return false;
    return true;
}

static size_t find_row(const struct answer *got, str path)
{
    for (size_t i = 0; i < got->found.n; i++)
        if (str_eq(got->found.rows[i].row.file->path, path))
            return i;
    fail_msg("no row " STR_FMT, STR_ARG(path));
    return 0;
}

static void check_rows(const char *id, const struct answer *got, const struct json *want,
                       bool ordered)
{
    size_t i = 0;
    CHECK_INT(id, got->found.n, want->n);
    for (const struct json *p = want->child; p != NULL; p = p->next, i++) {
        size_t at = find_row(got, p->text);
        if (ordered)
            CHECK_INT(id, at, i);
    }
}

static void check_columns(const char *id, const struct answer *got,
                          const struct json *want)
{
    size_t i = 0;
    CHECK_INT(id, got->query.plan.n_columns, want->n);
    for (const struct json *c = want->child; c != NULL; c = c->next)
        CHECK(id, str_eq(got->query.columns[i++], c->text));
}

/* Rows that compare equal may be in any order. */
static void check_row_cells(const char *id, struct answer *got, const struct json *want)
{
    CHECK_INT(id, got->found.n, want->n);
    for (const struct json *w = want->child; w != NULL; w = w->next) {
        bool met = false;
        for (size_t i = 0; i < got->found.n && !met; i++)
            met = str_eq(got->found.rows[i].row.file->path, w->child->text) &&
                  same_cells(got, i, w->child->next);
        CHECK(id, met);
    }
}

static bool has_member(const struct value *rows, str path)
{
    for (size_t i = 0; i < rows->n; i++)
        if (str_eq(rows->items[i].row->file->path, path))
            return true;
    return false;
}

static void check_groups(const char *id, struct answer *got, const struct json *want)
{
    size_t i = 0;
    CHECK_INT(id, got->found.n, want->n);
    for (const struct json *g = want->child; g != NULL; g = g->next, i++) {
        const struct row *row = &got->found.rows[i].row;
        const struct json *paths = json_get(g, STR("rows"));
        const struct value *rows = dql_row_name(row, STR("rows"));
        CHECK(id, bases_same(&got->eval, dql_row_name(row, STR("key")),
                             json_get(g, STR("key"))));
        CHECK_INT(id, rows->n, paths->n);
        for (const struct json *p = paths->child; p != NULL; p = p->next)
            CHECK(id, has_member(rows, p->text));
        if (json_get(g, STR("cells")) != NULL)
            CHECK(id, same_cells(got, i, json_get(g, STR("cells"))));
    }
}

static void check_answer(const char *id, struct answer *got, const struct json *want)
{
    const struct json *part;
    bool ordered = json_is(json_get(want, STR("ordered")), JSON_TRUE);
    if ((part = json_get(want, STR("rows"))) != NULL)
        check_rows(id, got, part, ordered);
    if ((part = json_get(want, STR("columns"))) != NULL)
        check_columns(id, got, part);
    if ((part = json_get(want, STR("groups"))) != NULL)
        check_groups(id, got, part);
    if ((part = json_get(want, STR("row_cells"))) != NULL)
        check_row_cells(id, got, part);
    part = json_get(want, STR("cells"));
    for (part = part != NULL ? part->child : NULL; part != NULL; part = part->next)
        CHECK(id, same_cells(got, find_row(got, part->key), part));
}

static void test_vectors(void **state)
{
    struct arena *a = *state;
    struct bases_vault v = bases_vault_open(a);
    const struct json *cases = vectors_read(a, "tasks/dql.json");
    size_t n = 0;
    for (const struct json *c = cases->child; c != NULL; c = c->next, n++) {
        const char *id = arena_printf(a, STR_FMT, STR_ARG(json_get_str(c, STR("id")))).p;
        const struct json *want = json_get(c, STR("expect"));
        struct answer got;
        struct err err = {0};
        bool ok = ask(a, v.index, v.now, NULL, json_get_str(c, STR("query")), &got, &err);
        bool fails = json_get(want, STR("error")) != NULL;
        if (ok == fails)
            fail_msg("%s: %s", id, ok ? "is accepted" : err.msg);
        if (ok)
            check_answer(id, &got, want);
    }
    CHECK_INT("cases", n, 30);
    index_free(v.index);
}

/* --- a small vault --- */

static struct index *small_vault(void)
{
    static const struct {
        const char *path, *text;
    } notes[] = {
        {"A.md", "---\nn: 3\ntags: [x/y]\nup: \"[[B]]\"\n---\nrating:: 4\n\n"
                 "- [ ] one [effort:: 2] #t\n    - [x] part\n- [x] two 📅 2026-03-20\n"
                 "\nMood Now:: fine\n"},
        {"B.md", "---\nn: 1\nlist: [1, 2, 3]\n---\nrating:: 2\n\n# Head\n- [/] three\n"},
        {"Sub/C 2026-01-02.md", "---\nn: 2\n---\n[[A]] (rating:: 5) [rating:: 6]\n"},
    };
    struct index *x = index_create();
    struct arena scratch = {0};
    for (size_t i = 0; i < COUNT_OF(notes); i++) {
        struct fs_info info = {.size = (int64_t)strlen(notes[i].text),
                               .mtime = 1773570600 + (int64_t)i};
        index_put(x,
                  file_make(&scratch, str_c(notes[i].path), &info, str_c(notes[i].text)),
                  false);
    }
    arena_release(&scratch);
    return x;
}

/* Rows on one line: "path(cell, cell)"; tasks with their lines, groups with their keys. */
static str printed(const struct answer *got)
{
    struct sbuf out = SBUF_ON(got->arena);
    for (size_t i = 0; i < got->found.n; i++) {
        const struct plan_row *row = &got->found.rows[i];
        sbuf_add(&out, i > 0 ? STR("; ") : STR(""));
        if (row->row.file == NULL)
            value_print(&out, dql_row_name(&row->row, STR("key")));
        else
            sbuf_add(&out, file_title(row->row.file->path));
        if (row->row.task != NULL)
            sbuf_printf(&out, ":%u", row->row.task->line);
        for (size_t k = 0; k < got->query.plan.n_columns; k++) {
            sbuf_add(&out, k == 0 ? STR("(") : STR(", "));
            value_print(&out, &row->cells[k]);
        }
        if (got->query.plan.n_columns > 0)
            sbuf_char(&out, ')');
    }
    return sbuf_str(&out);
}

struct row_case {
    const char *query, *want; /* want: the rows, or what the message contains */
};

static void check_cases(void **state, const struct row_case *cases, size_t n, bool works)
{
    struct arena *a = *state;
    struct index *x = small_vault();
    struct date now = bases_date(STR("2026-03-18T10:30:00"));
    for (size_t i = 0; i < n; i++) {
        struct answer got;
        struct err err = {0};
        bool ok = ask(a, x, now, "B.md", str_c(cases[i].query), &got, &err);
        if (ok != works)
            fail_msg("%s: %s", cases[i].query, ok ? "is accepted" : err.msg);
        if (ok)
            CHECK_STR(cases[i].query, printed(&got), cases[i].want);
        else if (str_find(str_c(err.msg), str_c(cases[i].want)) == STR_NONE)
            fail_msg("%s: '%s' does not say '%s'", cases[i].query, err.msg,
                     cases[i].want);
    }
    index_free(x);
}

static void test_inline_fields(void **state)
{
    static const struct row_case cases[] = {
        {"LIST WHERE rating > 3", "A"}, /* a list is less than any number */
        {"LIST WHERE max(rating) > 3", "A; C 2026-01-02"},
        {"TABLE rating WHERE typeof(rating) = \"array\"", "C 2026-01-02(5, 6)"},
        {"LIST WHERE mood-now = \"fine\"", "A"},
        {"LIST WHERE row[\"Mood Now\"] = \"fine\"", "A"},
        {"LIST WHERE effort", ""},
        {"TASK WHERE effort = 2", "A:8"},
        {"TASK WHERE rating = 4", "A:8; A:9; A:10"},
        {"TASK WHERE due and due < date(2026-04-01)", "A:10"},
    };
    check_cases(state, cases, COUNT_OF(cases), true);
}

static void test_tasks(void **state)
{
    static const struct row_case cases[] = {
        {"TASK WHERE !completed", "A:8; B:8"},
        {"TASK WHERE !checked", "A:8"},
        {"TASK WHERE fullyCompleted", "A:9; A:10"},
        {"TASK WHERE contains(tags, \"#t\")", "A:8"},
        {"TASK WHERE children", "A:8"},
        {"TASK WHERE parent = 8", "A:9"},
        {"TASK WHERE status = \"/\" and contains(text, \"three\")", "B:8"},
        {"TASK WHERE meta(section).subpath = \"Head\"", "B:8"},
        {"TASK GROUP BY file.name SORT key DESC", "B; A"},
        {"TABLE length(filter(file.tasks, (t) => !t.completed)) AS n WHERE file.tasks",
         "A(1); B(1)"},
    };
    check_cases(state, cases, COUNT_OF(cases), true);
}

static void test_expressions(void **state)
{
    static const struct row_case cases[] = {
        {"LIST n + 1 SORT n", "B(2); C 2026-01-02(3); A(4)"},
        {"TABLE WITHOUT ID file.day WHERE file.day", "C 2026-01-02(2026-01-02)"},
        {"LIST WHERE up.n = 1", "A"},
        {"LIST WHERE up = [[B]]", "A"},
        {"LIST this.n FROM [[B]]", "A(1)"},
        {"LIST FROM [[]]", "A"},
        {"LIST FROM outgoing([[]])", ""},
        {"LIST FROM -\"Sub\" and -#x", "B"},
        {"LIST file.tags WHERE file.tags", "A(#x, #x/y, #t)"},
        {"LIST file.etags WHERE file.etags", "A(#x/y, #t)"},
        {"LIST list[1] WHERE list", "B(2)"},
        {"LIST sum(list) WHERE list", "B(6)"},
        {"LIST map(list, (x) => x * 2) WHERE list", "B(2, 4, 6)"},
        {"LIST join(reverse(list), \"-\") WHERE list", "B(3-2-1)"},
        {"LIST average(list) WHERE list", "B(2)"},
        {"LIST {a: 1, \"b c\": [n]}[\"b c\"] WHERE n = 3", "A(3)"},
        {"LIST choice(n > 1, \"many\", \"one\") SORT n LIMIT 2",
         "B(one); C 2026-01-02(many)"},
        {"LIST default(missing, \"none\") LIMIT 1", "A(none)"},
        {"LIST lower([\"A\", \"B\"]) LIMIT 1", "A(a, b)"},
        {"LIST regexreplace(\"a1b2\", \"[0-9]\", \"-\") LIMIT 1", "A(a-b-)"},
        {"LIST regexmatch(\"a\", \"ab\") LIMIT 1", "A(false)"},
        {"LIST regextest(\"a\", \"ab\") LIMIT 1", "A(true)"},
        {"LIST dateformat(date(2026-03-04), \"yyyy/MM/dd 'x' EEEE\") LIMIT 1",
         "A(2026/03/04 x Wednesday)"},
        {"LIST date(eom) LIMIT 1", "A(2026-03-31T23:59:59)"},
        {"LIST date(sow) LIMIT 1", "A(2026-03-16)"},
        {"LIST date(today) + dur(2 d) LIMIT 1", "A(2026-03-20)"},
        {"LIST date(\"2026-03-04\").month LIMIT 1", "A(3)"},
        {"LIST any(list, (x) => x > 2) WHERE list", "B(true)"},
        {"LIST WHERE n = 1 or n = 2 and n = 2", "C 2026-01-02"},
        {"LIST // all of them\nWHERE n // here", "A; B; C 2026-01-02"},
        {"list where econtains(list, 2)", "B"},
        {"LIST WHERE icontains(file.name, \"a\") and contains(file.path, \".md\")", "A"},
        {"TABLE rows.n FROM \"\" GROUP BY n > 1 AS big", "false(1); true(3, 2)"},
        {"TABLE l AS x FLATTEN list AS l WHERE l > 1", "B(2); B(3)"},
        {"LIST WHERE n != null SORT n DESC LIMIT 1", "A"},
    };
    check_cases(state, cases, COUNT_OF(cases), true);
}

static void test_refused(void **state)
{
    static const struct row_case cases[] = {
        {"CALENDAR file.day", "CALENDAR at byte 0 is not supported"},
        {"FROM \"A\"", "expected LIST, TABLE or TASK at byte 0"},
        {"= this.n", "inline queries (=) are not supported"},
        {"`$= dv.current()`", "inline scripts ($=) are not supported"},
        {"LIST WHERE n < date(tody)", "'tody' at byte 20 is not a date; did you mean "
                                      "'today'?"},
        {"LIST FROM csv(\"a.csv\")", "csv() at byte 10 is not supported"},
        {"LIST WHERE lenght(n) > 1", "'lenght' at byte 11 is not supported; did you mean "
                                     "'length'?"},
        {"LIST WHERE file.nam = 1",
         "'file.nam' at byte 16 is not supported; did you mean "
         "'file.name'?"},
        {"LIST WHERE n >", "expected a field or value at byte 14, found the end"},
        {"LIST WHERE (n", "expected ) at byte 13"},
        {"LIST WHERE n FROM #a", "expected FROM (once, before all others)"},
        {"LIST LIMIT many", "expected a number of rows at byte 11"},
        {"LIST GROUP n", "expected BY at byte 11"},
        {"LIST WHERE \"open", "closed with \""},
        {"LIST WHERE [[open", "closed with ]]"},
        {"LIST WHERE regextest(\"(\", \"a\")", "the regular expression at byte 21"},
        {"LIST WHERE lower()", "takes 1 to 1 arguments, found 0"},
        {"LIST WHERE n + [1] > 2", "no row could be evaluated"},
    };
    check_cases(state, cases, COUNT_OF(cases), false);
}

/* Names and values that no note has are reported. */
static void test_missing(void **state)
{
    static const struct {
        const char *query, *unknown, *missing;
    } cases[] = {
        {"TABLE nn, n", "nn", ""},
        {"LIST FROM #x/yy", "", "no note has the tag 'x/yy' (did you mean 'x/y'?)"},
        {"LIST FROM \"Sbu\"", "", "no note is in the folder 'Sbu' (did you mean 'Sub'?)"},
        {"LIST WHERE contains(file.name, \"A\")", "", ""},
        {"TASK WHERE effrt = 1", "effrt", ""},
        {"TASK WHERE status = \"todo\"", "",
         "no task has status 'todo' (there are 'x', ' ', '/')"},
    };
    struct arena *a = *state;
    struct index *x = small_vault();
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct answer got;
        struct err err = {0};
        if (!ask(a, x, (struct date){0}, NULL, str_c(cases[i].query), &got, &err))
            fail_msg("%s: %s", cases[i].query, err.msg);
        CHECK_STR(cases[i].query,
                  got.query.n_unknown > 0 ? got.query.unknown[0].field : STR(""),
                  cases[i].unknown);
        CHECK_STR(cases[i].query, got.found.missing, cases[i].missing);
    }
    index_free(x);
}

/* Deep or long queries meet a limit. */
static void test_limits(void **state)
{
    static const struct {
        const char *start, *piece;
        size_t times;
    } cases[] = {
        {"LIST WHERE ", "(", 5000},       {"LIST WHERE ", "!", 5000},
        {"LIST WHERE ", "[ ", 5000},      {"LIST FROM ", "-", 5000},
        {"LIST WHERE a", " + a", 3000},   {"LIST WHERE a", ".b", 4000},
        {"LIST", " WHERE a", 100},        {"TABLE a", ", a", 100},
        {"LIST WHERE a", " and a", 2500}, {"LIST WHERE ", "lower(", 2000},
        {"LIST SORT a", ", a", 100},      {"LIST WHERE ", "(x) => ", 2000},
        {"LIST WHERE a //", "x", 20000},
    };
    struct arena *a = *state;
    struct index *x = small_vault();
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct sbuf text = SBUF_ON(a);
        struct answer got;
        struct err err = {0};
        sbuf_add(&text, str_c(cases[i].start));
        for (size_t k = 0; k < cases[i].times; k++)
            sbuf_add(&text, str_c(cases[i].piece));
        bool ok = ask(a, x, (struct date){0}, NULL, sbuf_str(&text), &got, &err);
        if (ok || err.code != ERR_LIMIT)
            fail_msg("%s%s...: %s", cases[i].start, cases[i].piece, err.msg);
    }
    index_free(x);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_vectors), ARENA_TEST(test_inline_fields),
        ARENA_TEST(test_tasks),   ARENA_TEST(test_expressions),
        ARENA_TEST(test_refused), ARENA_TEST(test_limits),
        ARENA_TEST(test_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
