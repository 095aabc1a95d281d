#include "vault/forms/task_change.h"

#include "base/clock.h"
#include "check.h"
#include "until.h"

static struct task_settings settings_of(struct arena *a, const char *json)
{
    const struct json *j = NULL;
    struct err err = {0};
    struct task_settings s;
    if (json[0] != '\0' && !json_parse(a, str_c(json), &j, &err))
        fail_msg("%s: %s", json, err.msg);
    task_settings_read(a, j, &s);
    return s;
}

static int32_t date_of(const char *text)
{
    int32_t date;
    assert_true(task_date_parse(str_c(text), &date));
    return date;
}

static void test_settings(void **state)
{
    static const char data[] =
        "{\"globalFilter\":\"#task\",\"taskFormat\":\"dataview\",\"setDoneDate\":false,"
        "\"setCreatedDate\":true,\"statusSettings\":{\"coreStatuses\":["
        "{\"symbol\":\" "
        "\",\"name\":\"Todo\",\"nextStatusSymbol\":\"/\",\"type\":\"TODO\"},"
        "{\"symbol\":\"x\",\"name\":\"Done\",\"nextStatusSymbol\":\" "
        "\",\"type\":\"DONE\"}],"
        "\"customStatuses\":["
        "{\"symbol\":\"/\",\"name\":\"Doing\",\"nextStatusSymbol\":\"x\",\"type\":"
        "\"IN_PROGRESS\"},"
        "{\"symbol\":\"x\",\"name\":\"Second\",\"nextStatusSymbol\":\"?\",\"type\":"
        "\"TODO\"},"
        "{\"symbol\":\"w\",\"name\":\"Waiting\",\"nextStatusSymbol\":\"x\",\"type\":"
        "\"ON_HOLD\"},{\"symbol\":\"\"},7]}}";
    struct arena *a = *state;
    struct task_settings s = settings_of(a, data);
    assert_int_equal(s.format, TASK_DATAVIEW);
    assert_int_equal(s.read, TASK_DATAVIEW);
    CHECK_STR("filter", s.filter, "#task");
    assert_true(s.set_created && !s.set_done && s.set_cancelled);
    assert_int_equal(s.n_statuses, 4);
    CHECK_STR("next", task_status_of(&s, STR(" ")).next, "/");
    CHECK_STR("the first counts", task_status_of(&s, STR("x")).name, "Done");
    assert_int_equal(task_status_of(&s, STR("w")).type, TASK_ON_HOLD);
    assert_int_equal(task_status_of(&s, STR("-")).type, TASK_TODO);
    CHECK_STR("by name", task_find_symbol(&s, STR("waiting")), "w");
    CHECK_STR("by type", task_find_symbol(&s, STR("in_progress")), "/");
    CHECK_STR("none", task_find_symbol(&s, STR("nothing")), "");
    s = settings_of(a, "[]");
    assert_int_equal(s.n_statuses, 4);
    assert_int_equal(s.format, TASK_EMOJI);
    assert_true(s.set_done);
}

static void test_symbols(void **state)
{
    struct task_settings s = settings_of(*state, "");
    CHECK_STR("done", task_done_symbol(&s, STR(" ")), "x");
    CHECK_STR("already done", task_done_symbol(&s, STR("x")), "x");
    CHECK_STR("unknown", task_done_symbol(&s, STR("?")), "x");
    CHECK_STR("open", task_open_symbol(&s, STR("x")), " ");
    CHECK_STR("cancelled", task_open_symbol(&s, STR("-")), " ");
    CHECK_STR("is open", task_open_symbol(&s, STR("/")), "/");
    CHECK_STR("cancel", task_cancelled_symbol(&s), "-");
}

static void test_refused(void **state)
{
    static const struct {
        const char *line, *message;
    } cases[] = {
        {"not a task", "'not a task' is not a task (- [ ] text)"},
        {"- [ ] a 📅 2024-02-30",
         "the due date of the task does not exist: correct it first"},
        {"- [ ] a 🔁 nonsense",
         "'nonsense' is not a rule of the Tasks plugin (every day, every 2 weeks on "
         "Monday, every month when done): correct it first"},
        {"- [ ] a 🔁 every day for 3 times",
         "'every day for 3 times': rules with times of day, counts or ends have no "
         "reliable "
         "next date: change the rule"},
    };
    struct task_settings s = settings_of(*state, "");
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct task_lines lines;
        struct err err = {0};
        CHECK(cases[i].line, !task_set_status(*state, &s, str_c(cases[i].line), STR("x"),
                                              date_of("2024-01-01"), &lines, &err));
        CHECK_STR(cases[i].line, str_c(err.msg), cases[i].message);
    }
}

static void test_more_status(void **state)
{
    static const struct {
        const char *settings, *line, *to, *want[2];
    } cases[] = {
        {"",
         "- [ ] a 🔁 every year on February the 30th 📅 2024-01-01",
         "x",
         {"- [x] a 🔁 every year on February the 30th 📅 2024-01-01 ✅ 2024-02-11"}},
        {"",
         "- [ ] a 🔁 every day 📅 2024-02-11  ",
         "x",
         {"- [ ] a 🔁 every day 📅 2024-02-12  ",
          "- [x] a 🔁 every day 📅 2024-02-11 ✅ 2024-02-11  "}},
        {"{\"globalFilter\":\"#task\"}",
         "*   [ ]  odd 📅 2024-02-30  ",
         "x",
         {"*   [x]  odd 📅 2024-02-30  "}},
        {"", "- [ ] a 🏁 other", "x", {"- [x] a ✅ 2024-02-11"}},
        {"{\"statusSettings\":{\"coreStatuses\":[{\"symbol\":\"x\",\"type\":\"DONE\","
         "\"nextStatusSymbol\":\"x\"}]}}",
         "- [ ] a 🔁 every day",
         "x",
         {"- [ ] a 🔁 every day", "- [x] a 🔁 every day ✅ 2024-02-11"}},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct task_settings s = settings_of(*state, cases[i].settings);
        struct task_lines lines;
        struct err err = {0};
        if (!task_set_status(*state, &s, str_c(cases[i].line), str_c(cases[i].to),
                             date_of("2024-02-11"), &lines, &err))
            fail_msg("%s: %s", cases[i].line, err.msg);
        CHECK_INT(cases[i].line, lines.n, cases[i].want[1] != NULL ? 2 : 1);
        for (size_t n = 0; n < lines.n; n++)
            CHECK_STR(cases[i].line, lines.lines[n], cases[i].want[n]);
    }
}

static void test_fields(void **state)
{
    static const struct {
        const char *settings, *line, *due;
        int priority; /* -1: not set */
        const char *want;
    } cases[] = {
        {"", "- [ ] a", "2024-05-01", -1, "- [ ] a 📅 2024-05-01"},
        {"", "- [ ] a 📅 2024-05-01 ^b", "", -1, "- [ ] a ^b"},
        {"", "- [ ] a ⏫ #t", NULL, TASK_NORMAL, "- [ ] a #t"},
        {"", "- [x] a ✅ 2024-01-01", "2024-05-01", TASK_LOW,
         "- [x] a 🔽 📅 2024-05-01 ✅ 2024-01-01"},
        {"{\"taskFormat\":\"dataview\"}", "- [ ] a [due:: 2024-02-30]", "2024-05-01",
         TASK_HIGHEST, "- [ ] a  [priority:: highest]  [due:: 2024-05-01]"},
        {"", "- [ ] a 📅 2024-01-01 b 📆2024-01-02 c", "2024-05-01", -1,
         "- [ ] a b c 📅 2024-05-01"},
        {"", "- [ ] a [due:: 2024-01-01] ⏳ 2024-01-03 b", "2024-05-01", -1,
         "- [ ] a ⏳ 2024-01-03 b 📅 2024-05-01"},
        {"{\"taskFormat\":\"dataview\"}", "- [ ] a (due:: 2024-01-01) 📅 2024-01-01", "",
         -1, "- [ ] a"},
        {"", "- [ ] `📅 2024-01-01` 📅 soon [due:: soon] b", "2024-05-01", -1,
         "- [ ] `📅 2024-01-01` 📅 soon [due:: soon] b 📅 2024-05-01"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct task_settings s = settings_of(*state, cases[i].settings);
        struct task_fields f = {.set_priority = cases[i].priority >= 0,
                                .priority = (enum task_priority)cases[i].priority};
        struct err err = {0};
        str line;
        f.set[TASK_DUE_ON] = cases[i].due != NULL;
        if (cases[i].due != NULL)
            f.dates[TASK_DUE_ON] =
                cases[i].due[0] != '\0' ? date_of(cases[i].due) : TASK_NO_DATE;
        if (!task_set_fields(*state, &s, str_c(cases[i].line), &f, &line, &err))
            fail_msg("%s: %s", cases[i].line, err.msg);
        CHECK_STR(cases[i].line, line, cases[i].want);
    }
}

/* A rule that the plugin does not read makes no next occurrence, and is named. */
static void test_stray_rules(void **state)
{
    static const struct {
        const char *settings, *line, *says; /* NULL: nothing */
    } cases[] = {
        {"", "- [ ] a 🔁 every week", NULL},
        {"", "- [ ] a `🔁 every week`", NULL},
        {"", "- [ ] a [repeat:: every week]",
         "'every week' is written for Dataview, and the Tasks plugin of this vault reads "
         "only emojis"},
        {"", "- [ ] a (repeat:: every week) 📅 2024-02-01", "written for Dataview"},
        {"{\"taskFormat\":\"dataview\"}", "- [ ] a 🔁 every week 📅 2024-02-01",
         "written with an emoji, and the Tasks plugin of this vault reads only the "
         "Dataview format"},
        {"", "- [ ] a 🔁 every week, (b)", "text follows the recurrence 'every week,'"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct task_settings s = settings_of(*state, cases[i].settings);
        struct task_lines lines;
        struct err err = {0};
        CHECK(cases[i].line, task_set_status(*state, &s, str_c(cases[i].line), STR("x"),
                                             date_of("2024-02-11"), &lines, &err));
        CHECK_INT(cases[i].line, lines.warning.n > 0, cases[i].says != NULL);
        if (cases[i].says == NULL)
            continue;
        CHECK_INT(cases[i].line, lines.n, 1);
        if (str_find(lines.warning, str_c(cases[i].says)) == STR_NONE)
            fail_msg("%s: " STR_FMT, cases[i].line, STR_ARG(lines.warning));
    }
}

static void test_fields_need_filter(void **state)
{
    struct task_settings s = settings_of(*state, "{\"globalFilter\":\"#task\"}");
    struct task_fields f = {.set_priority = true};
    struct err err = {0};
    str line;
    assert_false(task_set_fields(*state, &s, STR("- [ ] a"), &f, &line, &err));
    CHECK_STR("message", str_c(err.msg),
              "the task has no fields for the Tasks plugin, because it lacks the global "
              "filter '#task': add that to its text first");
}

static void test_make(void **state)
{
    static const struct {
        const char *settings, *text, *want; /* NULL: refused */
    } cases[] = {
        {"", "call Ann", "- [ ] call Ann 📅 2024-05-01"},
        {"", "- call Ann", "- [ ] call Ann 📅 2024-05-01"},
        {"", "  * [/] call Ann ⏫ #x  ", "* [/] call Ann #x ⏫ 📅 2024-05-01"},
        {"{\"globalFilter\":\"#task\"}", "call Ann ⏫ ^b",
         "- [ ] #task call Ann ⏫ 📅 2024-05-01 ^b"},
        {"{\"globalFilter\":\"#task\"}", "call Ann #task",
         "- [ ] call Ann #task 📅 2024-05-01"},
        {"{\"setCreatedDate\":true}", "a", "- [ ] a ➕ 2024-02-11 📅 2024-05-01"},
        {"", "", NULL},
        {"", "- [ ] ", NULL},
        {"", "a\nb", NULL},
        {"", "a 🔁 sometimes", NULL},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct task_settings s = settings_of(*state, cases[i].settings);
        struct task_fields f = {0};
        struct err err = {0};
        str line;
        f.set[TASK_DUE_ON] = true;
        f.dates[TASK_DUE_ON] = date_of("2024-05-01");
        bool made = task_make(*state, &s, str_c(cases[i].text), &f, date_of("2024-02-11"),
                              &line, &err);
        CHECK_INT(cases[i].text, made, cases[i].want != NULL);
        if (made)
            CHECK_STR(cases[i].text, line, cases[i].want);
    }
}

static void test_both_formats(void **state)
{
    struct task_settings one = settings_of(*state, ""), s = task_settings_both(&one);
    struct task t;
    assert_true(task_parse(*state, &s,
                           STR("- [ ] a [due:: 2024-05-01] ⏫ (start:: 2024-04-01)"), &t));
    CHECK_STR("description", t.description, "a");
    assert_int_equal(t.dates[TASK_DUE_ON], date_of("2024-05-01"));
    assert_int_equal(t.dates[TASK_START_ON], date_of("2024-04-01"));
    assert_int_equal(t.priority, TASK_HIGH);
}

/* Generous, because the build has sanitizers. */
static void test_speed(void **state)
{
    enum { TIMES = 2000, LIMIT_NS = 200000 };
    struct task_settings s = settings_of(*state, "");
    str line =
        STR("- [ ] take out the trash #home ⏫ 🔁 every month on the last Friday 🛫 "
            "2021-04-20 📅 2021-04-25 ^id");
    struct arena a = {0};
    uint64_t start = cpu_ms();
    for (int i = 0; i < TIMES; i++) {
        struct task_lines lines;
        struct err err = {0};
        assert_true(
            task_set_status(&a, &s, line, STR("x"), date_of("2024-02-11"), &lines, &err));
        assert_int_equal(lines.n, 2);
        arena_reset(&a);
    }
    uint64_t each = (cpu_ms() - start) * 1000000 / TIMES;
    arena_release(&a);
    print_message("# %llu ns for each task\n", (unsigned long long)each);
    assert_true(each < LIMIT_NS);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_settings),
        ARENA_TEST(test_symbols),
        ARENA_TEST(test_refused),
        ARENA_TEST(test_more_status),
        ARENA_TEST(test_fields),
        ARENA_TEST(test_stray_rules),
        ARENA_TEST(test_fields_need_filter),
        ARENA_TEST(test_make),
        ARENA_TEST(test_both_formats),
        ARENA_TEST(test_speed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
