#include "vault/eval/value_inline.h"

#include "base/utf8.h"
#include "bases_vault.h"
#include "vault/eval/property.h"

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

/* --- the vectors --- */

static void check_value(const char *id, const struct value_reader *r,
                        const struct value *got, const struct json *want)
{
    struct eval e = {.reader = *r};
    double ms;
    if (str_eq(json_get_str(want, STR("type")), STR("duration"))) {
        CHECK_INT(id, got->type, VALUE_DURATION);
        CHECK(id, json_num(json_get(want, STR("value")), &ms) &&
                      duration_ms(got->duration) == ms);
        return;
    }
    CHECK(id, want->type == JSON_ARRAY
                  ? got->type == VALUE_LIST && bases_same_items(&e, got, want)
                  : bases_same(&e, got, want));
}

/* All fields of the text, also those of tasks, which are read there. */
static void check_case(struct arena *a, const struct json *c)
{
    const char *id = arena_printf(a, STR_FMT, STR_ARG(json_get_str(c, STR("id")))).p;
    struct index *x =
        index_with(arena_printf(a, STR_FMT, STR_ARG(json_get_str(c, STR("text")))).p);
    const struct file *f = index_file(x, 0);
    struct value_reader r = reader(a, x);
    struct property_place place = {f, f->note.n_tasks > 0 ? f->note.tasks : NULL};
    const struct json *expect = json_get(c, STR("expect"));
    size_t n = 0;
    for (const struct json *w = expect->child; w != NULL; w = w->next, n++) {
        struct value got = property_value(&r, &place, w->key, utf8_fold(a, w->key));
        check_value(id, &r, &got, w);
    }
    if (n == 0)
        CHECK_INT(id, f->n_fields, 0);
    index_free(x);
}

static void test_vectors(void **state)
{
    size_t n = 0;
    const struct json *cases = vectors_read(*state, "tasks/inline.json");
    for (const struct json *c = cases->child; c != NULL; c = c->next, n++)
        check_case(*state, c);
    CHECK_INT("cases", n, 36);
}

/* --- values --- */

static void test_values(void **state)
{
    static const struct {
        const char *text;
        enum value_type type;
        size_t n; /* of a list */
    } cases[] = {
        {"", VALUE_NULL, 0},
        {"null", VALUE_NULL, 0},
        {"12345678901234567890", VALUE_NUMBER, 0},
        {"1.", VALUE_TEXT, 0},
        {"+1", VALUE_TEXT, 0},
        {"2021-02-30", VALUE_TEXT, 0},
        {"2021-04-18T04:19:35.000+06:30", VALUE_DATE, 0},
        {"9 years, 8 months, 4 days", VALUE_DURATION, 0},
        {"6hr 4min", VALUE_DURATION, 0},
        {"#a/b", VALUE_TAG, 0},
        {"#a b", VALUE_TEXT, 0},
        {"\"a, b\"", VALUE_TEXT, 0},
        {"\"a\" b", VALUE_TEXT, 0},
        {"[[a, b]], [[c]]", VALUE_LIST, 2},
        {"1, true, \"x, y\", [[A]], 2021-01-01", VALUE_LIST, 5},
        {"1, two", VALUE_TEXT, 0},
        {"1,", VALUE_TEXT, 0},
        {"![[a.png]]", VALUE_LINK, 0},
        {"True", VALUE_TEXT, 0},
    };
    struct index *x = index_with("");
    struct value_reader r = reader(*state, x);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct value v = value_of_inline(&r, str_c(cases[i].text));
        CHECK_INT(cases[i].text, v.type, cases[i].type);
        if (v.type == VALUE_LIST)
            CHECK_INT(cases[i].text, v.n, cases[i].n);
    }
    index_free(x);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_vectors),
        ARENA_TEST(test_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
