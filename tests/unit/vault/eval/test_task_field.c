/* The fields of the Tasks plugin in queries for tasks. */
#include "select_vault.h"

static const struct literal vault[] = {
    {"A.md",
     "---\ndue: 2026-12-24\npriority: 2\nblocked: maybe\n---\n"
     "- [ ] dig 📅 2026-11-16 ⏫ 🆔 dig1\n"                        /* 6 */
     "- [ ] sow ⛔ dig1,gone 🛫 2026-11-17 ⏳ 2026-11-18\n" /* 7 */
     "- [x] buy ✅ 2026-11-10 ➕ 2026-11-01 📅 2026-11-12\n"       /* 8 */
     "- [ ] plain\n"                                            /* 9 */
     "- [-] never ❌ 2026-11-09 🔽\n",                            /* 10 */
     0, false},
    {"B 2026-11-30.md",
     "- [ ] water 🔁 every week 📅 2026-11-15 🔺\n"             /* 1 */
     "- [/] read  [due:: 2026-11-20]  [priority:: medium]\n" /* 2 */
     "- [ ] bad 📅 2026-02-30 🔁 nonsense\n"                   /* 3 */
     "- [?] odd #task\n"                                     /* 4 */
     "- [x] end 🆔 gone\n",                                   /* 5 */
     0, false},
    {"Hidden.md", "- [ ] hidden 📅 2026-11-16 ⛔ dig1\n", 0, true},
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

static void test_where(void **state)
{
    static const struct {
        const char *where, *rows;
    } cases[] = {
        {"task.due = today", "A:6"},
        {"task.due <= today", "A:6 A:8 B 2026-11-30:1"},
        {"task.due < today and not task.done", "B 2026-11-30:1"},
        {"task.due > today", "B 2026-11-30:2"},
        {"task.due >= 2026-11-16", "A:6 B 2026-11-30:2"},
        {"task.due > today + 3d", "B 2026-11-30:2"},
        {"task.due - 4d = today", "B 2026-11-30:2"},
        {"task.due = yesterday or task.due = 2026-11-12", "A:8 B 2026-11-30:1"},
        {"task.due != today and task.due exists", "A:8 B 2026-11-30:1 B 2026-11-30:2"},
        {"task.due is empty and not task.done", "A:7 A:9 B 2026-11-30:3"},
        {"task.start = tomorrow and task.scheduled > task.start", "A:7"},
        {"task.created < 2026-11-02", "A:8"},
        {"task.completion > 2026-11-09", "A:8"},
        {"task.cancelled exists", "A:10"},
        {"task.priority = high", "A:6"},
        {"task.priority in (highest, HIGH)", "A:6 B 2026-11-30:1"},
        {"task.priority = none and task.due exists", "A:8"},
        {"task.recurs", "B 2026-11-30:1"},
        {"task.recurs contains week", "B 2026-11-30:1"},
        {"task.id = dig1", "A:6"},
        {"task.depends contains gone", "A:7"},
        {"task.blocked", "A:7"},
        {"task.blocking", "A:6"},
        {"task.status.type = done", "A:8 B 2026-11-30:5"},
        {"task.status.type = todo and task.status != ' '", "B 2026-11-30:4"},
        {"task.status.name = 'in progress'", "B 2026-11-30:2"},
        {"task.status.symbol = '/'", "B 2026-11-30:2"},
        {"task.description = water", "B 2026-11-30:1"},
        {"task.status = todo and task.line < 7", "A:6 B 2026-11-30:1 B 2026-11-30:3 B "
                                                 "2026-11-30:4"},
        {"task.status = 'In progress' or task.status = cancelled", "A:10 B 2026-11-30:2"},
        {"task.status in (in_progress, '-')", "A:10 B 2026-11-30:2"},
        {"task.status != todo and task.status != done", "A:10 B 2026-11-30:2"},
        {"task.priority >= high", "A:6 B 2026-11-30:1"},
        {"task.priority > high", "B 2026-11-30:1"},
        {"task.priority < none", "A:10"},
        {"task.priority <= medium and task.due exists", "A:8 B 2026-11-30:2"},
        {"task.priority > highest", ""},
        {"task.priority > hgh",
         "where: at byte 16: 'hgh' is not a priority: use highest, "
         "high, medium, none, low or lowest"},
        /* without task., the note's property is used where the task has none */
        {"due <= today", "A:6 A:8 B 2026-11-30:1"},
        {"due = 2026-12-24", "A:7 A:9 A:10"},
        {"note.due = 2026-12-24", "A:6 A:7 A:8 A:9 A:10"},
        {"Priority = 2", "A:7 A:8 A:9"},
        {"priority = high", "A:6"},
        {"blocked = maybe", "A:6 A:8 A:9 A:10"},
        {"recurs", "B 2026-11-30:1"},
    };
    struct arena a = {0};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct select s = {.from = SELECT_TASKS, .where = str_c(cases[i].where)};
        CHECK_STR(cases[i].where, run_text(&a, *state, s), cases[i].rows);
    }
    arena_release(&a);
}

static void test_order(void **state)
{
    static const struct {
        const char *where, *field;
        bool descending;
        const char *rows;
    } cases[] = {
        {"task.due exists", "task.due", false,
         "A:8(2026-11-12|none) B 2026-11-30:1(2026-11-15|highest) A:6(2026-11-16|high) "
         "B 2026-11-30:2(2026-11-20|medium)"},
        {"task.due exists", "due", true,
         "B 2026-11-30:2(2026-11-20|medium) A:6(2026-11-16|high) "
         "B 2026-11-30:1(2026-11-15|highest) A:8(2026-11-12|none)"},
        {"task.priority != none or task.line = 9", "task.priority", false,
         "B 2026-11-30:1(2026-11-15|highest) A:6(2026-11-16|high) "
         "B 2026-11-30:2(2026-11-20|medium) A:9(|none) A:10(|low)"},
        {"task.priority != none", "task.priority", true,
         "A:10(|low) B 2026-11-30:2(2026-11-20|medium) A:6(2026-11-16|high) "
         "B 2026-11-30:1(2026-11-15|highest)"},
    };
    const str columns[] = {STR("task.due"), STR("task.priority")};
    struct arena a = {0};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct select_order order = {str_c(cases[i].field), cases[i].descending};
        struct select s = {.from = SELECT_TASKS,
                           .where = str_c(cases[i].where),
                           .columns = columns,
                           .n_columns = 2,
                           .order = &order,
                           .n_order = 1};
        CHECK_STR(cases[i].field, run_text(&a, *state, s), cases[i].rows);
    }
    arena_release(&a);
}

/* The global filter, other statuses, and dates from the names of files. */
static void test_settings(void **state)
{
    static const struct {
        const char *settings, *where, *rows;
    } cases[] = {
        {"{\"globalFilter\":\"w\"}", "task.due exists", "B 2026-11-30:1"},
        {"{\"globalFilter\":\"w\"}", "task.blocked or task.blocking", ""},
        {"{\"globalFilter\":\"w\"}", "task.priority = none and task.line = 6", "A:6"},
        {"{\"useFilenameAsScheduledDate\":true}", "task.scheduled = 2026-11-30",
         "B 2026-11-30:4 B 2026-11-30:5"},
        {"{\"statusSettings\":{\"coreStatuses\":[{\"symbol\":\"?\",\"name\":\"Maybe\","
         "\"type\":\"ON_HOLD\"}]}}",
         "task.status.type = on_hold", "B 2026-11-30:4"},
    };
    struct arena a = {0};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct json *j = NULL;
        struct err err = {0};
        struct task_settings tasks;
        assert_true(json_parse(&a, str_c(cases[i].settings), &j, &err));
        task_settings_read(&a, j, &tasks);
        struct select s = {
            .from = SELECT_TASKS, .where = str_c(cases[i].where), .tasks = &tasks};
        CHECK_STR(cases[i].where, run_text(&a, *state, s), cases[i].rows);
    }
    arena_release(&a);
}

/* --- the order of the index --- */

/* A query, sorted by a field, at each of its pages. */
static str pages_text(struct arena *a, const struct index *x, const char *where,
                      const char *field, bool descending)
{
    enum { PAGE = 7 };
    struct sbuf out = SBUF_ON(a);
    const struct select_order order[] = {{str_c(field), descending},
                                         {STR("task.priority"), !descending}};
    for (size_t offset = 0; offset < 200; offset += PAGE) {
        struct select s = {.from = SELECT_TASKS,
                           .where = str_c(where),
                           .order = order,
                           .n_order = 2,
                           .offset = offset,
                           .limit = PAGE,
                           .now = NOW};
        struct select_result r;
        struct err err = {0};
        assert_true(select_run(x, a, &s, &r, &err));
        sbuf_printf(&out, "%zu: " STR_FMT "\n", r.total, STR_ARG(rows_text(a, &r, 0)));
    }
    return sbuf_str(&out);
}

static void check_listing(struct arena *a, const struct index *x)
{
    static const char *const wheres[] = {
        "",
        "not task.done",
        "task.due < 2026-11-10",
        "task.due >= 2026-11-05 and task.due <= 2026-11-20 and not task.done",
        "task.due exists and task.priority = high",
        "task.due is empty",
        "task.due = 2026-11-07 or task.due = 2026-11-09",
        "not (task.due < 2026-11-10)",
        "file.folder = b",
        "task.due + 3d < 2026-11-10",
    };
    for (size_t i = 0; i < COUNT_OF(wheres); i++)
        for (int down = 0; down < 2; down++) {
            str quick = pages_text(a, x, wheres[i], "task.due", down);
            str other = pages_text(a, x, wheres[i], "due", down);
            if (!str_eq(quick, other))
                fail_msg("%s: " STR_FMT "\nnot\n" STR_FMT, wheres[i], STR_ARG(quick),
                         STR_ARG(other));
        }
}

/* By task.due, the order of the index is used, and by due unless a note has that as a
 * property: then rows are sorted. All must be the same. */
static void test_listing(void **state)
{
    static const char *const signs[] = {"", " ⏫", " 🔽", " 🔺"};
    struct arena *a = mem_zero(sizeof(*a)), scratch = {0};
    struct index *x = index_create();
    unsigned random = 3;
    (void)state;
    for (int i = 0; i < 40; i++) {
        struct sbuf text = SBUF_ON(a);
        struct fs_info info = {0};
        for (int k = 0; k < 3; k++) {
            random = random * 1103515245 + 12345;
            sbuf_printf(&text, "- [%c] t%s", random >> 30 & 1 ? 'x' : ' ',
                        signs[random >> 28 & 3]);
            if (random >> 26 & 3)
                sbuf_printf(&text, " 📅 2026-11-%02u", 1 + (random >> 16) % 30);
            sbuf_char(&text, '\n');
        }
        str path = arena_printf(a, "%c/%02d.md", 'a' + i % 3, (i * 7) % 40);
        index_put(x, file_make(&scratch, path, &info, sbuf_str(&text)), i % 10 == 9);
    }
    struct fs_info info = {0};
    check_listing(a, x);
    index_put(x, file_make(&scratch, STR("P.md"), &info, STR("---\ndue: 1\n---\n")),
              false);
    check_listing(a, x);
    arena_release(&scratch);
    arena_release(a);
    free(a);
    index_free(x);
}

/* A field that is not at the end of its line is not one of the Tasks plugin. */
static void test_inline_due(void **state)
{
    static const char *const texts[] = {
        "- [ ] a\n- [ ] b [due:: 2026-11-05] text\n",
        "- [ ] c 📅 2026-11-07\n- [ ] d\n",
    };
    struct arena a = {0}, scratch = {0};
    struct index *x = index_create();
    (void)state;
    for (size_t i = 0; i < COUNT_OF(texts); i++)
        index_put(x,
                  file_make(&scratch, arena_printf(&a, "%zu.md", i), &(struct fs_info){0},
                            str_c(texts[i])),
                  false);
    const struct select_order order = {STR("due"), false};
    struct select s = {.from = SELECT_TASKS, .order = &order, .n_order = 1, .now = NOW};
    CHECK_STR("sorted by due", run_text(&a, x, s), "0:2 1:1 0:1 1:2");
    s.where = STR("due < 2026-11-06");
    CHECK_STR("found by due", run_text(&a, x, s), "0:2");
    arena_release(&scratch);
    arena_release(&a);
    index_free(x);
}

/* In queries for notes, only task. is special. */
static void test_notes(void **state)
{
    struct arena a = {0};
    CHECK_STR("property",
              run_text(&a, *state, (struct select){.where = STR("due exists")}), "A");
    CHECK_STR(
        "of tasks", run_text(&a, *state, (struct select){.where = STR("task.id = x")}),
        "where: 'task.id' at byte 0 is a field of tasks; query tasks instead of notes");
    arena_release(&a);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        INDEX_TEST(test_where),    INDEX_TEST(test_order),
        INDEX_TEST(test_settings), cmocka_unit_test(test_inline_due),
        INDEX_TEST(test_notes),    cmocka_unit_test(test_listing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
