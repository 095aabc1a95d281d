#include "base/sbuf.h"
#include "check.h"
#include "vault/forms/base_file.h"

static struct base base_of(struct arena *a, const char *yaml)
{
    struct base_source s;
    struct base b;
    struct err err;
    base_source_of_file(a, str_c(yaml), &s);
    if (!base_read(a, &s, &b, &err))
        fail_msg("%s: %s", yaml, err.msg);
    return b;
}

static void print_filter(struct sbuf *out, const struct base_filter *f)
{
    static const char *const names[] = {"", "and", "or", "not"};
    if (f == NULL) {
        sbuf_add(out, STR("none"));
        return;
    }
    if (f->kind == BASE_FILTER) {
        sbuf_add(out, f->expression.text);
        return;
    }
    sbuf_printf(out, "%s(", names[f->kind]);
    for (const struct base_filter *c = f->child; c != NULL; c = c->next) {
        print_filter(out, c);
        sbuf_add(out, c->next != NULL ? STR(", ") : STR(""));
    }
    sbuf_char(out, ')');
}

static void test_filters(void **state)
{
    static const struct {
        const char *yaml, *filter;
    } cases[] = {
        {"", "none"},
        {"filters:\n", "none"},
        {"filters: '  '\n", "none"},
        {"filters: a > 1\n", "a > 1"},
        {"filters: true\n", "true"},
        {"filters:\n  and: []\n", "none"},
        {"filters:\n  or:\n", "none"},
        {"filters:\n  and:\n    - a\n    - b\n", "and(a, b)"},
        {"filters:\n  - a\n  - b\n", "and(a, b)"},
        {"filters:\n  or: a\n", "or(a)"},
        {"filters:\n  or:\n    - and: [a, b]\n    - not:\n        - c\n",
         "or(and(a, b), not(c))"},
        {"filters:\n  or:\n    - and: []\n    - a\n", "or(a)"},
        {"filters:\n  and:\n    - \"file.hasTag(\\\"x\\\")\"\n",
         "and(file.hasTag(\"x\"))"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct base b = base_of(*state, cases[i].yaml);
        struct sbuf out = SBUF_ON(*state);
        print_filter(&out, b.filter);
        CHECK_STR(cases[i].yaml, sbuf_str(&out), cases[i].filter);
    }
}

static void test_whole(void **state)
{
    struct base b = base_of(*state, "formulas:\n"
                                    "  due in: (due - today()).days\n"
                                    "  five: 5\n"
                                    "properties:\n"
                                    "  note.price:\n"
                                    "    displayName: Cost\n"
                                    "  status: {}\n"
                                    "summaries:\n"
                                    "  mine: values.sum()\n"
                                    "views:\n"
                                    "  - type: cards\n"
                                    "    name: First\n"
                                    "    order: [file.name, price, formula.due in]\n"
                                    "    limit: 5\n"
                                    "    groupBy: {property: status, direction: desc}\n"
                                    "    sort:\n"
                                    "      - {property: price, direction: DESC}\n"
                                    "      - column: file.name\n"
                                    "    summaries: {price: Sum, formula.five: mine}\n"
                                    "    image: note.cover\n"
                                    "  - group_by: status\n");
    assert_int_equal(b.formulas.n, 2);
    CHECK_STR("formula", b.formulas.items[0].name, "due in");
    CHECK_STR("formula", b.formulas.items[0].value.text, "(due - today()).days");
    CHECK_STR("formula", b.formulas.items[1].value.text, "5");
    CHECK_STR("summary", b.summaries.items[0].value.text, "values.sum()");
    assert_int_equal(b.n_views, 2);
    const struct base_view *v = &b.views[0];
    CHECK_STR("type", v->type, "cards");
    assert_int_equal(v->n_columns, 3);
    CHECK_STR("column", v->columns[2].text, "formula.due in");
    assert_int_equal(v->limit, 5);
    CHECK_STR("group", v->group.property.text, "status");
    CHECK("group", v->group.descending);
    assert_int_equal(v->n_order, 2);
    CHECK("sort", v->order[0].descending && !v->order[1].descending);
    CHECK_STR("sort", v->order[1].property.text, "file.name");
    assert_int_equal(v->summaries.n, 2);
    CHECK_STR("name", b.views[1].name, "View 2");
    CHECK_STR("type", b.views[1].type, "table");
    CHECK_STR("group_by", b.views[1].group.property.text, "status");
    CHECK_STR("display", base_display_name(&b, STR("price")), "Cost");
    CHECK_STR("display", base_display_name(&b, STR("formula.due in")), "due in");
    CHECK_STR("display", base_display_name(&b, STR("a.b")), "a.b");
    assert_int_equal(b.n_warnings, 0);
}

static void test_views(void **state)
{
    struct base b = base_of(*state, "");
    assert_int_equal(b.n_views, 1);
    CHECK_STR("default", b.views[0].name, "Table");
    b = base_of(*state, "views:\n  - name: One\n  - name: one\n  - name: Two\n");
    assert_ptr_equal(base_find_view(&b, STR("")), &b.views[0]);
    assert_ptr_equal(base_find_view(&b, STR("one")), &b.views[1]);
    assert_ptr_equal(base_find_view(&b, STR("two")), &b.views[2]);
    assert_null(base_find_view(&b, STR("Three")));
}

static void test_older_and_unknown(void **state)
{
    struct base b = base_of(*state, "display:\n  price: Cost\nmine: 1\n");
    CHECK_STR("display", base_display_name(&b, STR("note.price")), "Cost");
    assert_int_equal(b.n_warnings, 1);
    CHECK_STR("warning", b.warnings[0], "line 3: unknown key 'mine' is ignored");
}

static void test_wrong(void **state)
{
    static const struct {
        const char *yaml, *says;
    } cases[] = {
        {"- a\n", "line 1, column 1: this is a list"},
        {"views:\n  a: 1\n", "line 1, column 1: views must be a list"},
        {"filters: 5\n", "line 1, column 1: a filter must be an expression or a map"},
        {"filters:\n  xor: [a]\n",
         "line 2, column 3: a filter has exactly one of and, or, not"},
        {"filters:\n  and: [a]\n  or: [b]\n",
         "line 2, column 3: a filter has exactly one of and, or, not"},
        {"formulas:\n  a: [1]\n", "line 2, column 3: a must be a text"},
        {"formulas: x\n", "line 1, column 1: formulas must be a map"},
        {"properties:\n  a: x\n",
         "line 2, column 3: a must be a map with the settings of that property"},
        {"views:\n  - a\n", "line 2, column 5: each view must be a map"},
        {"views:\n  - limit: -1\n", "line 2, column 5: the limit must be a whole number"},
        {"views:\n  - order: x\n", "line 2, column 5: order must be a list"},
        {"views:\n  - sort: [{direction: ASC}]\n",
         "line 2, column 12: this needs a property and a direction"},
        {"views:\n  - groupBy: {property: a, direction: up}\n",
         "line 2, column 28: the direction must be ASC or DESC"},
        {"views:\n\t- limit: x\n", "line 2, column 4: the limit must be a whole number"},
        {"a: [b\n", "line 1, column 4: this '[' is never closed"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct base_source s;
        struct base b;
        struct err err = {0};
        base_source_of_file(*state, str_c(cases[i].yaml), &s);
        CHECK(cases[i].yaml, !base_read(*state, &s, &b, &err));
        CHECK_INT(cases[i].yaml, err.code, ERR_INVALID);
        if (!str_starts(str_c(err.msg), str_c(cases[i].says)))
            fail_msg("%s: %s", cases[i].yaml, err.msg);
    }
}

static void check_limit(struct arena *a, const char *row, str yaml, bool within)
{
    struct base_source s;
    struct base b;
    struct err err = {0};
    base_source_of_file(a, yaml, &s);
    bool ok = base_read(a, &s, &b, &err);
    if (ok != within)
        fail_msg("%s: %s", row, ok ? "is allowed" : err.msg);
    if (!ok)
        CHECK_INT(row, err.code, ERR_LIMIT);
}

/* n lines of fmt, which has one number, after a head. */
static str repeated(struct arena *a, const char *head, const char *fmt, int n)
{
    struct sbuf out = SBUF_ON(a);
    sbuf_add(&out, str_c(head));
    for (int i = 0; i < n; i++) {
        for (const char *p = fmt; *p != '\0'; p++)
            if (*p == '#')
                sbuf_printf(&out, "%d", i);
            else
                sbuf_char(&out, *p);
    }
    return sbuf_str(&out);
}

static str nested(struct arena *a, int depth)
{
    struct sbuf out = SBUF_ON(a);
    sbuf_add(&out, STR("views: [{filters: "));
    for (int i = 0; i < depth; i++)
        sbuf_add(&out, STR("{and: ["));
    sbuf_char(&out, 'a');
    for (int i = 0; i < depth; i++)
        sbuf_add(&out, STR("]}"));
    sbuf_add(&out, STR("}]\n"));
    return sbuf_str(&out);
}

static void test_limits(void **state)
{
    struct arena *a = *state;
    check_limit(a, "views", repeated(a, "views:\n", "  - name: v#\n", BASE_MAX_VIEWS),
                true);
    check_limit(a, "views", repeated(a, "views:\n", "  - name: v#\n", BASE_MAX_VIEWS + 1),
                false);
    check_limit(a, "formulas",
                repeated(a, "formulas:\n", "  f#: a\n", BASE_MAX_MEMBERS + 1), false);
    check_limit(a, "properties",
                repeated(a, "properties:\n", "  f#: {}\n", BASE_MAX_MEMBERS + 1), false);
    check_limit(a, "expression", repeated(a, "filters: a", "aaaaaaaaaa", 2000), false);
    check_limit(a, "bytes", repeated(a, "", "#: aaaaaaaaaaaaaaaaaaaaaaaa\n", 50000),
                false);
    check_limit(a, "depth", nested(a, BASE_MAX_DEPTH - 1), true);
    check_limit(a, "depth", nested(a, BASE_MAX_DEPTH), false);
    check_limit(a, "depth", nested(a, 5000), false);
}

static void test_properties(void **state)
{
    static const struct {
        const char *id, *name;
        enum base_owner owner;
    } cases[] = {
        {"price", "price", BASE_NOTE},
        {"note.price", "price", BASE_NOTE},
        {"note.a.b", "a.b", BASE_NOTE},
        {"file.name", "name", BASE_FILE},
        {"formula.due in", "due in", BASE_FORMULA},
        {"a b", "a b", BASE_NOTE},
        {"note.", "note.", BASE_NOTE},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        str name;
        CHECK_INT(cases[i].id, base_property(str_c(cases[i].id), &name), cases[i].owner);
        CHECK_STR(cases[i].id, name, cases[i].name);
    }
}

static void test_places(void **state)
{
    struct base b = base_of(*state, "formulas:\n  a: \"x + \\\"\xC3\xA9\\\" ? 1\"\n");
    struct err err;
    const struct base_text *e = &b.formulas.items[0].value;
    size_t at = str_find_char(e->text, '?');
    CHECK("place", !base_fail_at(&b, e, at, ERR_INVALID, "what is this", &err));
    CHECK_STR("place", str_c(err.msg), "line 2, column 17: what is this");
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_filters),    ARENA_TEST(test_whole),
        ARENA_TEST(test_views),      ARENA_TEST(test_older_and_unknown),
        ARENA_TEST(test_wrong),      ARENA_TEST(test_limits),
        ARENA_TEST(test_properties), ARENA_TEST(test_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
