/* The vectors of tests/vectors/tasks: how task lines are read, and what toggling writes. */
#include "base/sbuf.h"
#include "vault/forms/task_change.h"
#include "vectors.h"

/* The vectors have the plugin's names, except for the format and the statuses. */
static struct task_settings settings_of(struct arena *a, const struct json *row)
{
    const struct json *j = json_get(row, STR("settings"));
    const struct json *list = json_get(j, STR("statuses"));
    struct task_settings s;
    task_settings_read(a, j, &s);
    if (str_eq(json_get_str(j, STR("format")), STR("dataview")))
        s.format = s.read = TASK_DATAVIEW;
    if (list == NULL)
        return s;
    struct task_status *statuses = ARENA_ARRAY(a, struct task_status, list->n);
    size_t n = 0;
    for (const struct json *c = list->child; c != NULL; c = c->next, n++) {
        statuses[n] = (struct task_status){.symbol = json_get_str(c, STR("symbol")),
                                           .name = json_get_str(c, STR("name")),
                                           .next = json_get_str(c, STR("next"))};
        for (int t = 0; task_types[t] != NULL; t++)
            if (str_eq(json_get_str(c, STR("type")), str_c(task_types[t])))
                statuses[n].type = (enum task_type)t;
    }
    s.statuses = statuses;
    s.n_statuses = n;
    return s;
}

static const char *row_of(struct arena *a, const struct json *row)
{
    return arena_str(a, json_get_str(row, STR("id"))).p;
}

static void check_text(const char *row, const struct json *want, const char *key, str got,
                       const char *otherwise)
{
    str text = str_c(otherwise);
    (void)json_str(json_get(want, str_c(key)), &text);
    if (!str_eq(got, text))
        fail_msg("%s: %s: got '" STR_FMT "', want '" STR_FMT "'", row, key, STR_ARG(got),
                 STR_ARG(text));
}

static str joined(struct arena *a, const struct json *list)
{
    struct sbuf b = SBUF_ON(a);
    for (const struct json *j = list != NULL ? list->child : NULL; j != NULL; j = j->next)
        sbuf_printf(&b, STR_FMT "\n", STR_ARG(j->text));
    return sbuf_str(&b);
}

/* The tags that are left in the description, but not the global filter. */
static void add_tags(struct sbuf *out, str text, str filter)
{
    static const char ends[] = " \t!@#$%^&*(),.?\":{}|<>";
    for (size_t at = 0; at < text.n; at++) {
        size_t end = at + 1;
        if (text.p[at] != '#' || (at > 0 && text.p[at - 1] != ' '))
            continue;
        while (end < text.n && strchr(ends, text.p[end]) == NULL)
            end++;
        str tag = str_slice(text, at, end);
        if (tag.n > 1 && !str_eq(tag, filter))
            sbuf_printf(out, STR_FMT "\n", STR_ARG(tag));
        at = end - 1;
    }
}

static void check_lists(struct arena *a, const char *row, const struct task_settings *s,
                        const struct json *want, const struct task *t)
{
    struct sbuf ids = SBUF_ON(a), names = SBUF_ON(a);
    str rest = t->depends, id;
    while (task_next_id(&rest, &id))
        sbuf_printf(&ids, STR_FMT "\n", STR_ARG(id));
    add_tags(&names, t->description, s->filter);
    if (!str_eq(sbuf_str(&ids), joined(a, json_get(want, STR("dependsOn")))))
        fail_msg("%s: dependsOn", row);
    if (!str_eq(sbuf_str(&names), joined(a, json_get(want, STR("tags")))))
        fail_msg("%s: tags: '" STR_FMT "'", row, STR_ARG(sbuf_str(&names)));
}

static void check_dates(struct arena *a, const char *row, const struct json *want,
                        const struct task *t)
{
    static const char *const keys[] = {"created", "start",     "scheduled",
                                       "due",     "cancelled", "done"};
    for (int i = 0; i < TASK_DATES; i++) {
        int32_t date = t->dates[i];
        check_text(row, want, keys[i],
                   date > TASK_BAD_DATE ? task_date_text(a, date) : STR(""), "");
    }
}

static void test_parse(void **state)
{
    static const char *const completions[] = {"", "keep", "delete"};
    struct arena *a = *state;
    const struct json *rows = vectors_read(a, "tasks/parse.json");
    CHECK_INT("rows", rows->n, 78);
    for (const struct json *j = rows->child; j != NULL; j = j->next) {
        struct task_settings s = settings_of(a, j);
        const struct json *want = json_get(j, STR("expect"));
        const char *row = row_of(a, j);
        struct task t;
        bool found = task_parse(a, &s, json_get_str(j, STR("line")), &t) && !t.plain;
        CHECK_INT(row, found, !json_is(want, JSON_NULL));
        if (!found)
            continue;
        check_text(row, want, "indent", t.indent, "");
        check_text(row, want, "marker", t.marker, "-");
        check_text(row, want, "status", t.symbol, "");
        check_text(row, want, "description", t.description, "");
        check_text(row, want, "priority", str_c(task_priorities[t.priority]), "none");
        check_text(row, want, "recurrence", t.recurs ? t.rule : STR(""), "");
        check_text(row, want, "onCompletion", str_c(completions[t.completion]), "");
        check_text(row, want, "id", t.id, "");
        check_text(row, want, "block", t.block, "");
        check_dates(a, row, want, &t);
        check_lists(a, row, &s, want, &t);
    }
}

static str lines_of(struct arena *a, const struct task_lines *lines)
{
    struct sbuf b = SBUF_ON(a);
    for (size_t i = 0; i < lines->n; i++)
        sbuf_printf(&b, STR_FMT "\n", STR_ARG(lines->lines[i]));
    return sbuf_str(&b);
}

static bool is_expected(struct arena *a, const struct json *row, str got)
{
    const struct json *also = json_get(row, STR("also_ok"));
    if (str_eq(got, joined(a, json_get(row, STR("expect")))))
        return true;
    for (const struct json *j = also != NULL ? also->child : NULL; j != NULL; j = j->next)
        if (str_eq(got, joined(a, j)))
            return true;
    return false;
}

static void test_toggle(void **state)
{
    struct arena *a = *state;
    const struct json *rows = vectors_read(a, "tasks/toggle.json");
    CHECK_INT("rows", rows->n, 72);
    for (const struct json *j = rows->child; j != NULL; j = j->next) {
        struct task_settings s = settings_of(a, j);
        const char *row = row_of(a, j);
        str line = json_get_str(j, STR("line"));
        struct task_lines lines;
        struct task t;
        struct err err = {0};
        int32_t today;
        CHECK(row, task_date_parse(json_get_str(j, STR("today")), &today));
        if (!task_set_status(a, &s, line, json_get_str(j, STR("to")), today, &lines,
                             &err))
            fail_msg("%s: %s", row, err.msg);
        if (json_is(json_get(j, STR("expect")), JSON_NULL)) {
            CHECK(row, task_parse(a, &s, line, &t) && t.plain);
            CHECK_STR(row, lines_of(a, &lines), "- [x] a\n");
        } else if (!is_expected(a, j, lines_of(a, &lines))) {
            fail_msg("%s: got\n" STR_FMT, row, STR_ARG(lines_of(a, &lines)));
        }
    }
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_parse),
        ARENA_TEST(test_toggle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
