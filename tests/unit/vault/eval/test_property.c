#include "vault/eval/property.h"

#include "base/utf8.h"
#include "check.h"
#include "vault/eval/dialect.h"
#include "vault/index/index.h"

static struct index *index_with(const char *text)
{
    struct arena scratch = {0};
    struct fs_info info = {0};
    struct index *x = index_create();
    index_put(x, file_make(&scratch, STR("Note.md"), &info, str_c(text)), false);
    arena_release(&scratch);
    return x;
}

static struct value_reader reader(struct arena *a, const struct index *x)
{
    return (struct value_reader){
        .arena = a, .names = x->names, .source = STR("Note.md"), .source_id = 0};
}

static str property(struct arena *a, const struct index *x, const char *name, int task)
{
    const struct file *f = index_file(x, 0);
    struct value_reader r = reader(a, x);
    struct property_place place = {f, task >= 0 ? &f->note.tasks[task] : NULL};
    struct value v = property_value(&r, &place, str_c(name), utf8_fold(a, str_c(name)));
    struct sbuf out = SBUF_ON(a);
    struct jsonw w = JSONW_ON(&out);
    value_json(&w, &v);
    return sbuf_str(&out);
}

static void test_properties(void **state)
{
    struct arena *a = *state;
    struct index *x = index_with("---\nrating: 4\nGenres: [a, b]\nDue Date: 5\n---\n"
                                 "genres:: c\n\nMood Now:: fine\n\nrating:: 5\n"
                                 "- [ ] t [rating:: 1] [effort:: 2]\n"
                                 "- [ ] u\n- v [own:: 3]\n");
    static const struct {
        const char *name;
        int task;
        const char *want;
    } cases[] = {
        {"rating", -1, "[4,5]"},
        {"RATING", -1, "[4,5]"},
        {"genres", -1, "[\"a\",\"b\",\"c\"]"},
        {"mood now", -1, "\"fine\""},
        {"mood-now", -1, "\"fine\""},
        {"due-date", -1, "5"},
        {"effort", -1, "null"},
        {"own", -1, "3"},
        {"rating", 0, "1"},
        {"effort", 0, "2"},
        {"rating", 1, "[4,5]"},
        {"mood-now", 1, "\"fine\""},
        {"none", 0, "null"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        CHECK_STR(cases[i].name, property(a, x, cases[i].name, cases[i].task),
                  cases[i].want);
    struct value_reader r = reader(a, x);
    struct property_place note = {index_file(x, 0), NULL};
    struct property_place task = {note.file, note.file->note.tasks};
    CHECK("in a task", property_exists(&r, &task, STR("effort"), STR("effort")));
    CHECK("not in the note", !property_exists(&r, &note, STR("effort"), STR("effort")));
    CHECK("anywhere", property_occurs(&r, note.file, STR("effort"), STR("effort")));
    CHECK("nowhere", !property_occurs(&r, note.file, STR("x"), STR("x")));
    r.dialect = &dialect_bases;
    struct value v = property_value(&r, &note, STR("rating"), STR("rating"));
    CHECK("Bases has no inline fields", v.type == VALUE_NUMBER && v.real == 4);
    CHECK("nor other names",
          !property_exists(&r, &note, STR("due-date"), STR("due-date")));
    index_free(x);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_properties),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
