/* tests/vectors/bases/bases.json: rows, cells, groups and summaries of whole bases. */
#include "bases_vault.h"
#include "vault/eval/base.h"

/* A vector, and what was found for it. */
struct base_case {
    struct arena *arena;
    struct eval *eval; /* for comparing values */
    const char *id;
    struct base base;
    const struct base_view *view;
    struct base_table table;
};

static void check_value(const struct base_case *c, const struct value *found,
                        const struct json *want)
{
    if (!bases_same(c->eval, found, want))
        fail_msg("%s: got %s " STR_FMT ", want " STR_FMT, c->id,
                 value_type_name(found->type),
                 STR_ARG(value_text_of(&c->eval->reader, found)), STR_ARG(want->raw));
}

static bool is_row(const struct base_case *c, size_t i, str path)
{
    return str_eq(c->table.found.rows[i].row.file->path, path);
}

/* Rows [first, first + n) are those paths, in that order if ordered. */
static void check_rows(const struct base_case *c, size_t first, size_t n,
                       const struct json *paths, bool ordered)
{
    size_t i = first;
    CHECK_INT(c->id, n, paths->n);
    for (const struct json *p = paths->child; p != NULL; p = p->next, i++) {
        bool found = is_row(c, i, p->text);
        for (size_t k = first; k < first + n && !ordered; k++)
            found = found || is_row(c, k, p->text);
        if (!found)
            fail_msg("%s: '" STR_FMT "' is missing or at another place", c->id,
                     STR_ARG(p->text));
    }
}

static void check_row(const struct base_case *c, const struct json *want)
{
    size_t i = 0;
    while (i < c->table.found.n && !is_row(c, i, want->key))
        i++;
    for (const struct json *cell = want->child; cell != NULL; cell = cell->next) {
        size_t k = 0;
        while (k < c->table.n_columns && !str_eq(c->table.columns[k].id, cell->key))
            k++;
        CHECK(c->id, k < c->table.n_columns);
        check_value(c, &c->table.found.rows[i].cells[k], cell);
    }
}

static void check_summaries(const struct base_case *c, const struct value *found,
                            const struct json *want)
{
    const struct base_members *all = &c->view->summaries;
    for (const struct json *s = want->child; s != NULL; s = s->next) {
        size_t i = 0;
        while (i < all->n && !str_eq(all->items[i].name, s->key))
            i++;
        CHECK(c->id, i < all->n);
        check_value(c, &found[i], s);
    }
}

static void check_groups(const struct base_case *c, const struct json *groups,
                         bool any_order)
{
    const struct plan_result *found = &c->table.found;
    size_t i = 0;
    CHECK_INT(c->id, found->n_groups, groups->n);
    for (const struct json *g = groups->child; g != NULL; g = g->next, i++) {
        const struct json *key = json_get(g, STR("key")),
                          *summaries = json_get(g, STR("summaries"));
        size_t k = i;
        while (any_order && !bases_same(c->eval, &found->groups[k].key, key))
            k = (k + 1) % found->n_groups;
        check_value(c, &found->groups[k].key, key);
        check_rows(c, found->groups[k].first, found->groups[k].n,
                   json_get(g, STR("rows")), false);
        if (summaries != NULL)
            check_summaries(c, found->groups[k].summaries, summaries);
    }
}

/* The first member of a list or object that may be missing. */
static const struct json *first_of(const struct json *j, const char *key)
{
    const struct json *list = json_get(j, str_c(key));
    return list != NULL ? list->child : NULL;
}

static void check_columns(const struct base_case *c, const struct json *expect)
{
    size_t k = 0;
    for (const struct json *id = first_of(expect, "columns"); id; id = id->next, k++)
        CHECK(c->id, k < c->table.n_columns && str_eq(c->table.columns[k].id, id->text));
    for (const struct json *d = first_of(expect, "display"); d != NULL; d = d->next)
        CHECK(c->id, str_eq(base_display_name(&c->base, d->key), d->text));
}

static void check_table(const struct base_case *c, const struct json *expect)
{
    const struct json *total = json_get(expect, STR("total")),
                      *groups = json_get(expect, STR("groups")),
                      *view = json_get(expect, STR("view")),
                      *summaries = json_get(expect, STR("summaries"));
    int64_t count;
    check_rows(c, 0, c->table.found.n, json_get(expect, STR("rows")),
               json_get(expect, STR("ordered")) != NULL);
    check_columns(c, expect);
    if (total != NULL)
        CHECK(c->id, json_int(total, &count) && c->table.found.total == (size_t)count);
    if (view != NULL)
        CHECK(c->id, str_eq(c->view->name, view->text));
    for (const struct json *row = first_of(expect, "cells"); row != NULL; row = row->next)
        check_row(c, row);
    if (groups != NULL)
        check_groups(c, groups, json_get(expect, STR("groups_set")) != NULL);
    if (summaries != NULL)
        check_summaries(c, c->table.found.summaries, summaries);
}

static void run_case(struct base_case *c, const struct bases_vault *vault,
                     const struct json *json)
{
    struct base_source source;
    struct err err = {0};
    str self = json_get_str(json, STR("this"));
    const struct json *expect = json_get(json, STR("expect"));
    base_source_of_file(c->arena, json_get_str(json, STR("base")), &source);
    if (!base_read(c->arena, &source, &c->base, &err))
        fail_msg("%s: %s", c->id, err.msg);
    c->view = base_find_view(&c->base, json_get_str(json, STR("view")));
    if (json_get(expect, STR("error")) != NULL) {
        CHECK(c->id, c->view == NULL);
        return;
    }
    const struct base_query q = {
        .index = vault->index,
        .base = &c->base,
        .view = c->view,
        .this_file = index_find(vault->index, self.n > 0 ? self : STR("Library.base")),
        .now = vault->now,
        .property_type = bases_property_type,
        .type_arg = vault->file,
    };
    if (!base_run(c->arena, &q, &c->table, &err))
        fail_msg("%s: %s", c->id, err.msg);
    check_table(c, expect);
}

static void test_vectors(void **state)
{
    struct arena *a = *state;
    struct bases_vault vault = bases_vault_open(a);
    struct eval eval = {.dialect = &dialect_bases, .index = vault.index};
    const struct json *cases = vectors_read(a, "bases/bases.json");
    CHECK_INT("cases", cases->n, 57);
    eval_open(&eval, a);
    for (const struct json *c = cases->child; c != NULL; c = c->next) {
        struct base_case one = {
            .arena = a, .eval = &eval, .id = arena_str(a, json_get_str(c, STR("id"))).p};
        run_case(&one, &vault, c);
    }
    eval_release(&eval);
    index_free(vault.index);
}

/* --- beyond the vectors --- */

static struct base_table run_first(struct arena *a, const struct bases_vault *vault,
                                   const char *yaml)
{
    struct base_source source;
    struct base *base = ARENA_NEW(a, struct base);
    struct base_table table;
    struct err err = {0};
    base_source_of_file(a, str_c(yaml), &source);
    if (!base_read(a, &source, base, &err))
        fail_msg("%s: %s", yaml, err.msg);
    const struct base_query q = {
        .index = vault->index, .base = base, .view = &base->views[0], .now = vault->now};
    if (!base_run(a, &q, &table, &err))
        fail_msg("%s: %s", yaml, err.msg);
    return table;
}

/* A statement that is an error is neither true nor, with not, false. */
static void test_errors_in_filters(void **state)
{
    static const struct {
        const char *filters;
        size_t rows, errors;
    } cases[] = {
        {"{or: ['number(\"x\")', 'file.inFolder(\"Books\")']}", 4, 13},
        {"{and: ['number(\"x\")', 'file.inFolder(\"Books\")']}", 0, 4},
        {"{not: ['number(\"x\")']}", 0, 17},
        {"{not: [{and: ['number(\"x\")', 'false']}]}", 17, 0},
    };
    struct bases_vault vault = bases_vault_open(*state);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        str yaml = arena_printf(*state, "filters: %s\n", cases[i].filters);
        struct base_table t = run_first(*state, &vault, yaml.p);
        CHECK_INT(cases[i].filters, t.found.total, cases[i].rows);
        CHECK_INT(cases[i].filters, t.found.errors, cases[i].errors);
        CHECK(cases[i].filters, (t.found.errors > 0) == (t.found.first_error.n > 0));
    }
    index_free(vault.index);
}

/* What does not exist is an error in its cells, not of the base. */
static void test_unknown_names(void **state)
{
    struct bases_vault vault = bases_vault_open(*state);
    struct base_table t = run_first(*state, &vault,
                                    "filters: file.inFolder(\"Projects\")\n"
                                    "views:\n"
                                    "  - order: [formula.nope, impact]\n"
                                    "    summaries: {impact: Total}\n");
    assert_int_equal(t.found.n, 3);
    assert_int_equal(t.found.rows[0].cells[0].type, VALUE_ERROR);
    assert_int_equal(t.found.rows[0].cells[1].type, VALUE_NUMBER);
    assert_int_equal(t.found.summaries[0].type, VALUE_ERROR);
    assert_int_equal(t.n_warnings, 1);
    CHECK_STR("warning", t.warnings[0], "property: there is no formula 'nope' (byte 0)");
    index_free(vault.index);
}

static void test_empty(void **state)
{
    static const struct {
        const char *yaml, *warning;
    } cases[] = {
        {"filters: file.inFolder(\"Projcts\")\n",
         "no file is in the folder 'Projcts' (did you mean 'Projects'?)"},
        {"filters: file.hasLink(this)\n",
         "the base uses `this`, which means nothing here"},
        {"filters: false\nviews: [{sort: [{property: formula.x}]}]\n",
         "property: there is no formula 'x'"},
    };
    struct bases_vault vault = bases_vault_open(*state);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct base_table t = run_first(*state, &vault, cases[i].yaml);
        CHECK_INT(cases[i].yaml, t.found.total, 0);
        CHECK_INT(cases[i].yaml, t.n_warnings, 1);
        if (!str_starts(t.warnings[0], str_c(cases[i].warning)))
            fail_msg("%s: " STR_FMT, cases[i].yaml, STR_ARG(t.warnings[0]));
    }
    index_free(vault.index);
}

/* Pages are of the rows that the view shows. */
static void test_pages(void **state)
{
    struct bases_vault vault = bases_vault_open(*state);
    struct base_source source;
    struct base base;
    struct base_table t;
    struct err err = {0};
    base_source_of_file(*state, STR("views: [{limit: 5, sort: [{property: file.path}]}]"),
                        &source);
    assert_true(base_read(*state, &source, &base, &err));
    struct base_query q = {.index = vault.index,
                           .base = &base,
                           .view = &base.views[0],
                           .now = vault.now,
                           .offset = 3,
                           .limit = 10};
    assert_true(base_run(*state, &q, &t, &err));
    assert_int_equal(t.found.n, 2);
    assert_int_equal(t.found.total, 17);
    assert_int_equal(t.shown, 5);
    index_free(vault.index);
}

/* Broken expressions are refused with their place, before anything is looked at. */
static void test_checks(void **state)
{
    static const struct {
        const char *yaml, *says;
    } cases[] = {
        {"filters: a ==\n", "line 1, column 14: filter: "},
        {"filters:\n  and:\n    - 'a'\n    - \"b = 1\"\n", "line 4, column 10: filter: "},
        {"formulas:\n  x: 1 + + 2\n", "line 2, column 10: formula x: "},
        {"summaries:\n  s: values.\n", "line 2, column "},
        {"views:\n  - name: V\n    filters: (a\n",
         "line 3, column 16: filter of view V: "},
        {"filters: formula.b\nformulas: {a: 1}\n",
         "line 1, column 10: filter: there is no formula 'b' (byte 0)"},
        {"formulas:\n  x: 1 + formula.y\n", "line 2, column 10: formula x: there is no "},
        {"formulas:\n  x: lenght(a)\n",
         "line 2, column 6: formula x: there is no function 'lenght' (byte 0)"},
        {"filters: file.hasTga(\"a\")\n", "line 1, column 15: filter: there is no "
                                          "function 'hasTga' (byte 5); did you mean "
                                          "'hasTag'?"},
        {"formulas: {due: 1}\nviews:\n  - order: [file.name, formula.deu]\n",
         "line 3, column 24: order of view View 1: there is no formula 'deu' (byte 0); "
         "did "
         "you mean 'due'?"},
        {"views:\n  - sort:\n      - property: formula.x\n",
         "line 3, column 19: sort of view View 1: there is no formula 'x'"},
        {"views:\n  - groupBy: {property: file.nmae}\n",
         "line 2, column 25: groupBy of view View 1: unknown field 'file.nmae'; did you "
         "mean "
         "'file.name'?"},
        {"views:\n  - summaries: {a: Averge}\n",
         "line 2, column 20: no summary 'Averge'"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct base_source source;
        struct base base;
        struct err err = {0};
        base_source_of_file(*state, str_c(cases[i].yaml), &source);
        assert_true(base_read(*state, &source, &base, &err));
        CHECK(cases[i].yaml, !base_check(*state, &base, &err));
        if (!str_starts(str_c(err.msg), str_c(cases[i].says)))
            fail_msg("%s: %s", cases[i].yaml, err.msg);
    }
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_vectors),       ARENA_TEST(test_errors_in_filters),
        ARENA_TEST(test_unknown_names), ARENA_TEST(test_pages),
        ARENA_TEST(test_checks),        ARENA_TEST(test_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
