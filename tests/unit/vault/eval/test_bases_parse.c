/* Places and limits in errors; test_vectors_bases.c has the language. */
#include "eval_world.h"

static void test_errors(void **state)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "text: expected a value, a property or a function at byte 0, found the end"},
        {"a b", "text: expected an operator or the end at byte 2, found 'b'"},
        {"a ==", "text: expected a value, a property or a function at byte 4, found the "
                 "end"},
        {"a = 1", "text: expected an operator (equality is written ==) at byte 2, found "
                  "'='"},
        {"a & b", "text: expected a value or an operator at byte 2, found '&'"},
        {"(a", "text: expected an operator or ')' at byte 2, found the end"},
        {"[1, 2", "text: expected ',' or ']' after an item at byte 5, found the end"},
        {"[1,]", "text: expected a value, a property or a function at byte 3, found ']'"},
        {"f(1", "text: expected ',' or ')' after an argument at byte 3, found the end"},
        {"a.", "text: expected a name after the dot at byte 2, found the end"},
        {"a.1", "text: expected a name after the dot at byte 2, found '1'"},
        {"\"x",
         "text: expected a closing quote for the text that begins at byte 0, found "
         "'\"x'"},
        {"/x",
         "text: expected a closing / for the regular expression that begins at byte "
         "0, found '/x'"},
        {"/x/q", "text: expected a flag of g, i, m, s, u and y at byte 3, found 'q'"},
        {"/(/", "text: the regular expression at byte 0: invalid regular expression at "
                "byte 1: missing closing parenthesis"},
        {"{a 1}", "text: expected ':' after a key at byte 3, found '1}'"},
        {"{1: 2}", "text: expected a name or a text as a key at byte 1, found '1:'"},
        {"a[1", "text: expected an operator or ']' at byte 3, found the end"},
        {"(f)(1)", "text: expected an operator or the end at byte 3, found '(1)'"},
        {"+1", "text: expected a value, a property or a function at byte 0, found '+1'"},
        {"größe +",
         "text: expected a value, a property or a function at byte 9, found the "
         "end"},
        {"formula.totel", "text: there is no formula 'totel' (byte 0); did you mean "
                          "'total'?"},
        {"1 + formula[\"x\"]", "text: there is no formula 'x' (byte 4)"},
        {"\xff", "text: not valid UTF-8"},
    };
    static const char *const formulas[] = {"total", "1"};
    struct world *w = *state;
    world_formulas(w, formulas, 1);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        CHECK(cases[i].text, world_parse(w, cases[i].text) == NULL);
        CHECK_STR(cases[i].text, str_c(w->err.msg), cases[i].message);
    }
}

static str repeated(struct arena *a, const char *start, const char *middle, size_t n,
                    const char *end)
{
    struct sbuf b = SBUF_ON(a);
    sbuf_add(&b, str_c(start));
    for (size_t i = 0; i < n; i++)
        sbuf_add(&b, str_c(middle));
    sbuf_add(&b, str_c(end));
    sbuf_char(&b, '\0');
    return sbuf_str(&b);
}

static void test_limits(void **state)
{
    static const struct {
        const char *start, *middle, *end;
        size_t n;
        const char *message;
    } cases[] = {
        {"", "(", "1", 65, "text: nested deeper than 64 levels"},
        {"", "-", "1", 65, "text: nested deeper than 64 levels"},
        {"", "[", "", 4000, "text: nested deeper than 64 levels"},
        {"", "f(", "1", 65, "text: nested deeper than 64 levels"},
        {"1", "+1", "", 300, "text: more than 256 operators in a row, as in a + b + c"},
        {"x", ".x", "", 300, "text: more than 256 operators in a row, as in a + b + c"},
        {"[1", ",1", "]", 2000, "text: more than 2000 parts"},
        {"1", "          ", "", 2000, "text: longer than 16384 bytes"},
        {"[", "/x/,", "1]", 300, "more than 256 regular expressions"},
    };
    struct world *w = *state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        str text = repeated(&w->arena, cases[i].start, cases[i].middle, cases[i].n,
                            cases[i].end);
        CHECK(cases[i].middle, world_parse(w, text.p) == NULL);
        CHECK_STR(cases[i].middle, str_c(w->err.msg), cases[i].message);
        CHECK_INT(cases[i].middle, w->err.code, ERR_LIMIT);
    }
}

static void test_columns(void **state)
{
    static const struct {
        const char *id, *value;
    } cases[] = {
        {"price", "2"},         {"note.price", "2"},   {"file.name", "Alpha"},
        {"formula.twice", "4"}, {"missing thing", ""}, {"PRICE", "2"},
    };
    static const char *const formulas[] = {"twice", "price * 2"};
    struct world *w = *state;
    struct row row = {.file = index_find(w->index, STR("Projects/Alpha.md"))};
    struct expr *x;
    world_formulas(w, formulas, 1);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        CHECK(cases[i].id, bases_property(&w->arena, "order", str_c(cases[i].id),
                                          &w->scope, &x, &w->err));
        eval_row(&w->eval, &row, &w->arena);
        struct value v = eval_value(&w->eval, x);
        CHECK_STR(cases[i].id, value_text_of(&w->eval.reader, &v), cases[i].value);
    }
    CHECK("field",
          !bases_property(&w->arena, "order", STR("file.nam"), &w->scope, &x, &w->err));
    CHECK_STR("field", str_c(w->err.msg),
              "order: unknown field 'file.nam'; did you mean 'file.name'?");
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        WORLD_TEST(test_errors),
        WORLD_TEST(test_limits),
        WORLD_TEST(test_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
