/* tests/vectors/bases/expressions.json: the value of an expression for one row. */
#include "bases_vault.h"
#include "vault/eval/bases_parse.h"

struct expression_case {
    struct arena *arena;
    const struct json *json;
    const struct bases_vault *vault;
    struct expr_owner owner;
    struct bases_scope scope;
    struct eval_formula *formulas;
};

static str with_default(const struct expression_case *c, const char *key,
                        const char *fallback)
{
    str text = json_get_str(c->json, str_c(key));
    return text.n > 0 ? text : json_get_str(c->vault->file, str_c(fallback));
}

static void read_formulas(struct expression_case *c)
{
    const struct json *formulas = json_get(c->json, STR("formulas"));
    size_t n = formulas != NULL ? formulas->n : 0, i = 0;
    str *names = ARENA_ARRAY(c->arena, str, n);
    struct err err = {0};
    c->formulas = ARENA_ARRAY(c->arena, struct eval_formula, n);
    c->scope = (struct bases_scope){.formulas = names, .n_formulas = n};
    for (const struct json *f = n > 0 ? formulas->child : NULL; f != NULL; f = f->next)
        names[i++] = f->key;
    i = 0;
    for (const struct json *f = n > 0 ? formulas->child : NULL; f != NULL; f = f->next) {
        struct expr *x;
        if (!bases_parse(c->arena, &c->owner, "formula", f->text, &c->scope, &x, &err))
            fail_msg("%s", err.msg);
        c->formulas[i++] = (struct eval_formula){f->key, x};
    }
}

static bool passes(struct eval *e, const struct value *v, const struct json *c)
{
    const struct json *also = json_get(c, STR("also_ok"));
    if (bases_same(e, v, json_get(c, STR("expect"))))
        return true;
    for (also = also != NULL ? also->child : NULL; also != NULL; also = also->next)
        if (bases_same(e, v, also))
            return true;
    return false;
}

static bool check_value(struct expression_case *c, struct expr *x, str *got)
{
    struct eval e = {
        .dialect = &dialect_bases,
        .index = c->vault->index,
        .now = c->vault->now,
        .formulas = c->formulas,
        .n_formulas = c->scope.n_formulas,
        .this_file = bases_file(c->vault, with_default(c, "this", "default_this")),
        .reader = {.property_type = bases_property_type, .type_arg = c->vault->file}};
    struct value row_file = bases_file(c->vault, with_default(c, "row", "default_row"));
    struct row row = {.file = index_file(c->vault->index, row_file.target)};
    e.this_file.is_this = true;
    eval_open(&e, c->arena);
    eval_fold(&e, x);
    eval_row(&e, &row, c->arena);
    struct value v = eval_value(&e, x);
    bool ok = passes(&e, &v, c->json);
    *got = arena_printf(c->arena, "%s " STR_FMT, value_type_name(v.type),
                        STR_ARG(value_text_of(&e.reader, &v)));
    eval_release(&e);
    return ok;
}

static bool check_case(struct expression_case *c, str *got)
{
    str text = json_get_str(c->json, STR("expr"));
    str error = json_get_str(json_get(c->json, STR("expect")), STR("error"));
    struct err err = {0};
    struct expr *x;
    read_formulas(c);
    bool parsed =
        bases_parse(c->arena, &c->owner, "expression", text, &c->scope, &x, &err);
    bool ok;
    if (parsed) {
        ok = check_value(c, x, got) && !str_eq(error, STR("parse"));
    } else {
        ok = str_eq(error, STR("parse")) && strstr(err.msg, "at byte") != NULL;
        *got = arena_str(c->arena, str_c(err.msg));
    }
    expr_release(&c->owner);
    return ok;
}

static void test_expressions(void **state)
{
    struct arena *a = *state;
    struct bases_vault vault = bases_vault_open(a);
    const struct json *cases = vectors_read(a, "bases/expressions.json");
    size_t failed = 0;
    CHECK_INT("cases", cases->n, 533);
    for (const struct json *j = cases->child; j != NULL; j = j->next) {
        struct expression_case c = {.arena = a, .json = j, .vault = &vault};
        str got = {0};
        if (check_case(&c, &got))
            continue;
        failed++;
        print_error(STR_FMT ": " STR_FMT " gives " STR_FMT ", want " STR_FMT "\n",
                    STR_ARG(json_get_str(j, STR("id"))),
                    STR_ARG(json_get_str(j, STR("expr"))), STR_ARG(got),
                    STR_ARG(json_get(j, STR("expect"))->raw));
    }
    index_free(vault.index);
    CHECK_INT("failed", failed, 0);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_expressions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
