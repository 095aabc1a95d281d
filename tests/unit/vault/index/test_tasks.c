#include "vault/index/tasks.h"

#include "base/sbuf.h"
#include "check.h"
#include "vault/index/derived.h"
#include "vault/index/index.h"

static void put(struct index *x, const char *path, const char *text, bool excluded)
{
    struct arena scratch = {0};
    struct fs_info info = {0};
    index_put(x, file_make(&scratch, str_c(path), &info, str_c(text)), excluded);
    arena_release(&scratch);
}

/* "day:note/task", days since 1970-01-01. */
static str due_text(struct arena *a, const struct tasks *t, int32_t first, int32_t last)
{
    struct sbuf out = SBUF_ON(a);
    const struct tasks_due *due;
    size_t n = tasks_by_due(t, first, last, &due);
    for (size_t i = 0; i < n; i++)
        sbuf_printf(&out, "%s%d:%u/%u", i > 0 ? " " : "", due[i].day, due[i].note,
                    due[i].task);
    return sbuf_str(&out);
}

static void test_questions(void **state)
{
    struct arena *a = *state;
    struct index *x = index_create();
    put(x, "0.md", "- [ ] a\n- [ ] b 📅 1970-01-11 ⏫\n- [x] c [due:: 1970-01-02]\n",
        false);
    put(x, "1.md", "- [ ] d 📅 1970-01-05 🆔 x\n- [ ] e 📅 1970-02-30\n", false);
    put(x, "2.md", "- [ ] f 📅 1970-01-05\n", true);
    put(x, "3.md", "no tasks", false);
    const struct tasks *t = index_tasks(x);
    CHECK_STR("all", due_text(a, t, INT32_MIN, INT32_MAX), "1:0/2 4:1/0 10:0/1");
    CHECK_STR("from", due_text(a, t, 4, INT32_MAX), "4:1/0 10:0/1");
    CHECK_STR("to", due_text(a, t, INT32_MIN, 4), "1:0/2 4:1/0");
    CHECK_STR("none", due_text(a, t, 5, 9), "");
    CHECK_STR("backwards", due_text(a, t, 9, 2), "");
    assert_int_equal(tasks_of(t, 0)[1].priority, TASK_HIGH);
    assert_int_equal(tasks_of(t, 1)[1].dates[TASK_DUE_ON], TASK_BAD_DATE);
    assert_null(tasks_of(t, 2));
    assert_null(tasks_of(t, 3));
    assert_null(tasks_of(t, 1000));
    assert_int_equal(tasks_linked(t).n, 1);
    CHECK("memory", tasks_kind.memory(t) > 100);
    index_free(x);
}

/* Whatever happens to the notes, the list equals a fresh one. */
static void test_random(void **state)
{
    enum { NOTES = 12, STEPS = 1000 };
    struct arena *a = *state;
    struct index *x = index_create();
    unsigned random = 7;
    for (int step = 0; step < STEPS; step++) {
        random = random * 1103515245 + 12345;
        int note = (int)(random >> 16) % NOTES, day = (int)(random >> 20) % 28;
        str path = arena_printf(a, "%02d.md", note);
        if (day == 0)
            index_remove(x, path);
        else
            put(x, path.p,
                arena_printf(
                    a, "- [ ] a 📅 1970-01-%02d\n- [ ] b ⛔ q\n- [ ] c 📅 1970-03-%02d", day,
                    29 - day)
                    .p,
                false);
        str kept = due_text(a, index_tasks(x), INT32_MIN, INT32_MAX);
        uint32_t linked = tasks_linked(index_tasks(x)).n;
        derived_forget(x->derived[INDEX_TASKS], &tasks_kind);
        CHECK_INT("linked", linked, tasks_linked(index_tasks(x)).n);
        str fresh = due_text(a, index_tasks(x), INT32_MIN, INT32_MAX);
        if (!str_eq(kept, fresh))
            fail_msg("step %d: " STR_FMT ", not " STR_FMT, step, STR_ARG(kept),
                     STR_ARG(fresh));
        arena_reset(a);
    }
    index_free(x);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_questions),
        ARENA_TEST(test_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
