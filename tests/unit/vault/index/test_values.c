#include "vault/index/values.h"

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

static str ids_text(struct arena *a, struct ids ids)
{
    struct sbuf out = SBUF_ON(a);
    for (uint32_t i = 0; i < ids.n; i++)
        sbuf_printf(&out, "%s%u", i == 0 ? "" : " ", ids.at[i]);
    return sbuf_str(&out);
}

static void test_kinds(void **state)
{
    struct arena *a = *state;
    struct index *x = index_create();
    put(x, "0.md", "---\nA: Text\nb: [one, TWO, [x]]\nc: 5\nd:\n---\n", false);
    put(x, "1.md", "---\na: text\nb: two\nc: 5.0\nd: {e: f}\n---\n", false);
    put(x, "2.md", "---\na: 2026-01-01\nb: \"[[two]]\"\nc: \"5\"\nd: true\n---\n", false);
    put(x, "3.md", "---\na: text\n---\n", true);
    put(x, "4.md", "no properties", false);
    const struct values *v = index_values(x);
    CHECK_STR("having", ids_text(a, values_having(v, STR("a"))), "0 1 2");
    CHECK_STR("without a value", ids_text(a, values_having(v, STR("d"))), "0 1 2");
    CHECK_STR("not in maps", ids_text(a, values_having(v, STR("e"))), "");
    CHECK_STR("text", ids_text(a, values_with_text(v, STR("a"), STR("text"))), "0 1");
    CHECK_STR("list", ids_text(a, values_with_text(v, STR("b"), STR("two"))), "0 1");
    CHECK_STR("nested", ids_text(a, values_with_text(v, STR("b"), STR("x"))), "0");
    CHECK_STR("true", ids_text(a, values_with_text(v, STR("d"), STR("true"))), "2");
    CHECK_STR("number", ids_text(a, values_with_number(v, STR("c"), 5)), "0 1");
    CHECK_STR("date", ids_text(a, values_with_other(v, STR("a"))), "2");
    CHECK_STR("link", ids_text(a, values_with_other(v, STR("b"))), "2");
    CHECK_STR("number in quotes", ids_text(a, values_with_other(v, STR("c"))), "2");
    CHECK("memory", values_kind.memory(v) > 1000);
    index_free(x);
}

static void test_inline_fields(void **state)
{
    struct arena *a = *state;
    struct index *x = index_create();
    put(x, "0.md", "---\nrating: 4\nDue Date: soon\n---\nrating:: 5\n", false);
    put(x, "1.md", "Mood:: Fine\n\n- [ ] t [effort:: 3]\n", false);
    put(x, "2.md", "Due Date:: 2026-01-01\n\ngenre:: \"a\", \"b\"\n", false);
    put(x, "3.md", "`rating:: 4`\n", false);
    const struct values *v = index_values(x);
    CHECK_STR("both", ids_text(a, values_having(v, STR("rating"))), "0");
    CHECK_STR("of properties", ids_text(a, values_with_number(v, STR("rating"), 4)), "0");
    CHECK_STR("inline", ids_text(a, values_with_other(v, STR("rating"))), "0");
    CHECK_STR("text", ids_text(a, values_with_text(v, STR("mood"), STR("fine"))), "1");
    CHECK_STR("plain", ids_text(a, values_with_other(v, STR("mood"))), "");
    CHECK_STR("of a task", ids_text(a, values_in_tasks(v, STR("effort"))), "1");
    CHECK_STR("not of its note", ids_text(a, values_having(v, STR("effort"))), "");
    CHECK_STR("as written", ids_text(a, values_having(v, STR("due date"))), "0 2");
    CHECK_STR("normal form", ids_text(a, values_having(v, STR("due-date"))), "0 2");
    CHECK_STR("a list", ids_text(a, values_with_other(v, STR("genre"))), "2");
    put(x, "1.md", "Mood:: bad\n", false);
    index_remove(x, STR("2.md"));
    v = index_values(x);
    CHECK_STR("changed", ids_text(a, values_with_text(v, STR("mood"), STR("fine"))), "");
    CHECK_STR("gone", ids_text(a, values_in_tasks(v, STR("effort"))), "");
    CHECK_STR("removed", ids_text(a, values_having(v, STR("due-date"))), "0");
    index_free(x);
}

/* Whatever happens to the notes, the lists equal fresh ones. */
static void test_random(void **state)
{
    enum { NOTES = 12, VALUES = 40, STEPS = 2000 };
    struct arena *a = *state;
    struct index *x = index_create();
    int now[NOTES];
    unsigned random = 5;
    for (int i = 0; i < NOTES; i++)
        now[i] = -1;
    for (int step = 0; step < STEPS; step++) {
        random = random * 1103515245 + 12345;
        int note = (int)(random >> 16) % NOTES, value = (int)(random >> 20) % VALUES - 5;
        str path = arena_printf(a, "%02d.md", note);
        now[note] = value;
        if (value < 0)
            index_remove(x, path);
        else /* values that never come again must not fill the table */
            put(x, path.p,
                arena_printf(a, "---\np: [v%d, s%d]\nq: %d\n---\n", value, step, value).p,
                false);
        for (int k = 0; k < VALUES; k++) {
            str text = arena_printf(a, "v%d", k);
            struct ids got = values_with_text(index_values(x), STR("p"), text);
            size_t want = 0;
            for (int i = 0; i < NOTES; i++)
                want += now[i] == k;
            CHECK_INT("notes", got.n, want);
            for (uint32_t i = 0; i < got.n; i++)
                CHECK_INT("number", index_file(x, got.at[i])->props->child->next->number,
                          k);
        }
        arena_reset(a);
    }
    CHECK("no more than needed", values_kind.memory(index_values(x)) < 100000);
    index_free(x);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_kinds),
        ARENA_TEST(test_inline_fields),
        ARENA_TEST(test_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
