#include "vault/forms/task_note.h"

#include "check.h"

static const char note[] = "# Home\n"
                           "\n"
                           "- [ ] water the beans 📅 2024-05-01\n"
                           "- [ ] water\n"
                           "\t- [ ] fill the can\n"
                           "\n"
                           "\t  and a text\n"
                           "- [x] sow ✅ 2024-04-01\n"
                           "```\n"
                           "- [ ] code\n"
                           "```\n"
                           "> - [ ] quoted\n"
                           "- [ ] feed the cat\n"
                           "- [ ] feed the cat\n"
                           "- [ ] once 🏁 delete";

static struct task_settings settings_of(struct arena *a)
{
    struct task_settings s;
    task_settings_read(a, NULL, &s);
    return s;
}

static void test_find(void **state)
{
    static const struct {
        uint32_t line;
        const char *text;
        uint32_t found, last; /* 0: refused */
        const char *message;
    } cases[] = {
        {3, "", 3, 3, NULL},
        {4, "", 4, 7, NULL},
        {0, "water", 4, 7, NULL},
        {0, "- [ ] water", 4, 7, NULL},
        {0, "water the beans", 3, 3, NULL},
        {0, "water the beans 📅 2024-05-01\n", 3, 3, NULL},
        {0, "beans", 3, 3, NULL},
        {5, "can", 5, 7, NULL},
        {12, "quoted", 12, 12, NULL},
        {14, "feed the cat", 14, 14, NULL},
        {0, "feed the cat", 0, 0,
         "2 tasks have the text 'feed the cat', at lines 13, 14: give line"},
        {0, "code", 0, 0, "no task has the text 'code': read the note again"},
        {0, "", 0, 0, "the task is missing: give its text or line"},
        {10, "", 0, 0, "line 10 is not a task, it is '- [ ] code'"},
        {3, "sow", 0, 0,
         "line 3 is now '- [ ] water the beans 📅 2024-05-01'; the task 'sow' is at line "
         "8: "
         "give that line"},
        {1, "gone", 0, 0,
         "line 1 is now '# Home', and no task has the text 'gone': read the note again"},
        {99, "", 0, 0, "line 99 is not a task, it is past the end of the note"},
    };
    struct task_settings s = settings_of(*state);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct task_place place;
        struct err err = {0};
        bool found = task_find(*state, &s, str_c(note), cases[i].line,
                               str_c(cases[i].text), TASK_WANT_OPEN, &place, &err);
        const char *row = arena_printf(*state, "%u '%s'", cases[i].line, cases[i].text).p;
        CHECK_STR(row, str_c(found ? "" : err.msg), found ? "" : cases[i].message);
        CHECK_INT(row, found, cases[i].found > 0);
        if (!found)
            continue;
        CHECK_INT(row, place.line, cases[i].found);
        CHECK_INT(row, place.last, cases[i].last);
    }
}

/* Several tasks have the text, but only one is open, or over. */
static void test_wanted(void **state)
{
    static const char text[] =
        "- [x] a ✅ 2024-05-01\n- [ ] a\n- [-] b\n- [ ] b\n- [x] b\n";
    struct task_settings s = settings_of(*state);
    struct task_place place;
    struct err err = {0};
    assert_true(
        task_find(*state, &s, str_c(text), 0, STR("a"), TASK_WANT_OPEN, &place, &err));
    assert_int_equal(place.line, 2);
    assert_true(
        task_find(*state, &s, str_c(text), 0, STR("a"), TASK_WANT_OVER, &place, &err));
    assert_int_equal(place.line, 1);
    assert_false(
        task_find(*state, &s, str_c(text), 0, STR("b"), TASK_WANT_OVER, &place, &err));
}

static struct task_place find(struct arena *a, str text, uint32_t line)
{
    struct task_settings s = settings_of(a);
    struct task_place place;
    struct err err = {0};
    if (!task_find(a, &s, text, line, STR(""), TASK_WANT_OPEN, &place, &err))
        fail_msg("%s", err.msg);
    return place;
}

static void test_edit(void **state)
{
    static const struct {
        const char *text, *status, *want; /* NULL: refused */
        uint32_t line;                    /* of the task afterwards */
    } cases[] = {
        {"- [ ] a\nb\n", "done", "- [x] a ✅ 2024-05-02\nb\n", 1},
        {"- [ ] a\r\nb\r\n", "x", "- [x] a ✅ 2024-05-02\r\nb\r\n", 1},
        {"- [ ] a 🔁 every day 📅 2024-05-01\r\n", "Done",
         "- [ ] a 🔁 every day 📅 2024-05-02\r\n"
         "- [x] a 🔁 every day 📅 2024-05-01 ✅ 2024-05-02\r\n",
         2},
        {"- [x] a ✅ 2024-05-01", "todo", "- [ ] a", 1},
        {"- [ ] a", "cancelled", "- [-] a ❌ 2024-05-02", 1},
        {"- [ ] a", "in progress", "- [/] a", 1},
        {"- [/] a", "next", "- [x] a ✅ 2024-05-02", 1},
        {"- [ ] a 🏁 delete\nb", "done", "b", 0},
        {"- [ ] a 🏁 delete\n\t- b", "done", NULL, 0},
        {"> - [ ] a 🏁 delete\n>   - b", "done", NULL, 0},
        {"- [ ] a", "odd", NULL, 0},
    };
    struct arena *a = *state;
    struct task_settings s = settings_of(a);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct task_change change = {.status = str_c(cases[i].status), .today = 19845};
        struct task_place place = find(a, str_c(cases[i].text), 1);
        struct edit_result r = {0};
        struct err err = {0};
        bool ok = task_edit(a, &s, str_c(cases[i].text), &place, &change, &r, &err);
        CHECK_INT(cases[i].text, ok, cases[i].want != NULL);
        if (!ok)
            continue;
        CHECK_STR(cases[i].text, r.text, cases[i].want);
        CHECK_INT(cases[i].text, place.line, cases[i].line);
    }
}

static void test_cut(void **state)
{
    static const struct {
        const char *text;
        uint32_t line;
        const char *lines, *rest;
        const char *with; /* what the answer says that was removed with it */
    } cases[] = {
        {"- [ ] a\nb\n", 1, "- [ ] a", "b\n"},
        {"x\r\n- [ ] a\r\n\t- b\r\ny", 2, "- [ ] a\n\t- b", "x\r\ny", "- b"},
        {"- x\n\t- [ ] a\n\t\t- b\n\t- c", 2, "- [ ] a\n\t- b", "- x\n\t- c", "- b"},
        {"> - [ ] a\n> b", 1, "- [ ] a", "> b"},
        /* in quotes and callouts */
        {"> - [ ] a\n>   - [ ] b\n>     c\n> - d\n", 1, "- [ ] a\n  - [ ] b\n    c",
         "> - d\n", "- [ ] b; c"},
        {"> [!todo]\n> - [ ] a\n>\n>   b\n\n>   - c\n", 2, "- [ ] a\n\n  b",
         "> [!todo]\n\n>   - c\n", "b"},
        {"> > - [ ] a\n> >   b\n>     c\n", 1, "- [ ] a\n  b", ">     c\n", "b"},
        {"> - [ ] a\n>   > b\n", 1, "- [ ] a\n  > b", "", "> b"},
        {">- [ ] a\n> - [ ] b\n", 1, "- [ ] a", "> - [ ] b\n"},
        /* a line with several markers: the next item is no part of it */
        {"- - [ ] a\n  - b\n", 1, "- - [ ] a", "  - b\n"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct task_place place = find(*state, str_c(cases[i].text), cases[i].line);
        struct edit_result r = {0};
        struct err err = {0};
        str lines;
        CHECK(cases[i].text,
              task_cut(*state, str_c(cases[i].text), &place, &lines, &r, &err));
        CHECK_STR(cases[i].text, lines, cases[i].lines);
        CHECK_STR(cases[i].text, r.text, cases[i].rest);
        str with = r.n_did > 1 ? r.did[1] : STR("");
        const char *want =
            cases[i].with == NULL
                ? ""
                : arena_printf(*state, "with what belongs to it: %s", cases[i].with).p;
        CHECK_STR(cases[i].text, with, want);
    }
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_find),
        ARENA_TEST(test_wanted),
        ARENA_TEST(test_edit),
        ARENA_TEST(test_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
