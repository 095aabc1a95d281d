/* Steps of a plan: filter, sort, limit, group, flatten, cells and summaries. */
#include "eval_world.h"

/* A plan of up to four steps; rows and groups as one line. */
struct planned {
    struct world *world;
    struct plan plan;
    struct plan_step steps[4];
    struct plan_key keys[2];
    const struct expr *columns[2];
    struct plan_summary summaries[4];
    struct plan_result result;
};

static struct planned planned(struct world *w, const char *column)
{
    struct planned p = {.world = w, .plan = {.from = PLAN_FILES}};
    p.columns[0] = world_parse(w, column);
    p.plan.n_columns = 1;
    return p;
}

static struct expr *parsed(struct world *w, const char *text)
{
    struct expr *x = world_parse(w, text);
    if (x == NULL)
        fail_msg("%s", w->err.msg);
    eval_fold(&w->eval, x);
    return x;
}

static struct plan_step *step(struct planned *p, enum plan_op op, const char *text)
{
    struct plan_step *s = &p->steps[p->plan.n_steps++];
    *s = (struct plan_step){.op = op};
    if (text != NULL)
        s->expr = parsed(p->world, text);
    return s;
}

static void sorted(struct planned *p, const char *text, bool descending)
{
    struct plan_step *s = step(p, PLAN_SORT, NULL);
    size_t used = p->keys[0].expr != NULL;
    p->keys[used] = (struct plan_key){parsed(p->world, text), .descending = descending};
    s->keys = &p->keys[used];
    s->n = 1;
}

static void run(struct planned *p)
{
    p->plan.steps = p->steps;
    p->plan.columns = p->columns;
    p->plan.summaries = p->summaries;
    p->world->eval.stopped = EVAL_GOES_ON;
    plan_run(&p->world->eval, &p->plan, &p->world->arena, &p->result);
}

static void add_rows(struct planned *p, struct sbuf *b, size_t first, size_t n)
{
    for (size_t i = first; i < first + n; i++) {
        struct value *v = &p->result.rows[i].cells[0];
        sbuf_printf(b, "%s%s" STR_FMT, i > first ? " " : "",
                    v->type == VALUE_ERROR ? "!" : "",
                    STR_ARG(value_text_of(&p->world->eval.reader, v)));
    }
}

static str rows_of(struct planned *p)
{
    struct sbuf b = SBUF_ON(&p->world->arena);
    run(p);
    add_rows(p, &b, 0, p->result.n);
    return sbuf_str(&b);
}

/* "key(rows) ..." */
static str groups_of(struct planned *p)
{
    struct sbuf b = SBUF_ON(&p->world->arena);
    run(p);
    for (size_t i = 0; i < p->result.n_groups; i++) {
        const struct plan_group *g = &p->result.groups[i];
        sbuf_printf(&b, "%s" STR_FMT "(", i > 0 ? " " : "",
                    STR_ARG(value_text_of(&p->world->eval.reader, &g->key)));
        add_rows(p, &b, g->first, g->n);
        sbuf_char(&b, ')');
    }
    return sbuf_str(&b);
}

static void test_filter(void **state)
{
    static const struct {
        const char *filter, *rows;
        size_t errors;
    } cases[] = {
        {"true", "Ann Alpha Beta picture.png zero"},
        {"status == \"active\"", "Ann Alpha"},
        {"price > 2 && file.ext == \"md\"", "Ann Beta"},
        {"status.lower() == \"active\"", "Ann Alpha", 2},
        {"!(status.lower() == \"active\")", "Beta", 2},
        {"price", "Ann Alpha Beta"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct planned p = planned(*state, "file.name");
        step(&p, PLAN_FILTER, cases[i].filter);
        CHECK_STR(cases[i].filter, rows_of(&p), cases[i].rows);
        CHECK_INT(cases[i].filter, p.result.errors, cases[i].errors);
    }
}

/* An error in one filter of a group does not hide the others. */
static void test_filters_apart(void **state)
{
    struct world *w = *state;
    struct err err;
    struct expr_maker m = {.arena = &w->arena, .what = "filter", .err = &err};
    struct expr *any = expr_new(&m, EXPR_ANY, 0);
    any->apart = true;
    CHECK("add", expr_add(&m, any, parsed(w, "status.lower() == \"done\"")) &&
                     expr_add(&m, any, parsed(w, "file.name == \"zero\"")));
    struct planned p = planned(w, "file.name");
    step(&p, PLAN_FILTER, NULL)->expr = any;
    CHECK_STR("or", rows_of(&p), "Beta zero");
    p = planned(w, "file.name");
    step(&p, PLAN_FILTER, NULL)->expr = expr_unary(&m, EXPR_NOT, any, 0);
    CHECK_STR("not", rows_of(&p), "Ann Alpha");
    CHECK_INT("errors", p.result.errors, 1);
}

static void test_sort(void **state)
{
    static const struct {
        const char *key;
        bool descending;
        const char *rows;
    } cases[] = {
        {"price", false, "Alpha Ann Beta picture.png zero"},
        {"price", true, "Beta Ann Alpha picture.png zero"},
        {"status", false, "Ann Alpha Beta picture.png zero"},
        {"read", false, "Ann Beta picture.png zero Alpha"},
        {"read", true, "Alpha Ann Beta picture.png zero"},
        {"number(status)", false, "Ann Alpha Beta picture.png zero"},
        {"file.mtime.relative()", false, "Beta Alpha zero Ann picture.png"},
        {"n", true, "Beta Alpha Ann picture.png zero"},
        {"up", false, "Ann Alpha Beta picture.png zero"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct planned p = planned(*state, "file.name");
        sorted(&p, cases[i].key, cases[i].descending);
        CHECK_STR(cases[i].key, rows_of(&p), cases[i].rows);
    }
    struct planned p = planned(*state, "file.name");
    sorted(&p, "price", true);
    sorted(&p, "status == \"active\"", true); /* the sort before decides ties */
    CHECK_STR("stable", rows_of(&p), "Ann Alpha Beta picture.png zero");
}

static void test_limit(void **state)
{
    struct planned p = planned(*state, "file.name");
    sorted(&p, "price", true);
    step(&p, PLAN_LIMIT, NULL)->n = 2;
    CHECK_STR("sort, limit", rows_of(&p), "Beta Ann");
    CHECK_INT("total", p.result.total, 5);
    p = planned(*state, "file.name");
    step(&p, PLAN_LIMIT, NULL)->n = 2;
    sorted(&p, "price", false);
    CHECK_STR("limit, sort", rows_of(&p), "Alpha Ann");
    p = planned(*state, "file.name");
    p.plan.offset = 1;
    p.plan.limit = 2;
    CHECK_STR("page", rows_of(&p), "Alpha Beta");
}

static void test_group(void **state)
{
    struct planned p = planned(*state, "file.name");
    sorted(&p, "file.name", true);
    step(&p, PLAN_GROUP, "status");
    CHECK_STR("text", groups_of(&p), "active(Ann Alpha) Done(Beta) (zero picture.png)");
    p = planned(*state, "file.name");
    step(&p, PLAN_GROUP, "price")->descending = true;
    CHECK_STR("number", groups_of(&p), "10(Beta) 5(Ann) 2(Alpha) (picture.png zero)");
    p = planned(*state, "file.name");
    step(&p, PLAN_GROUP, "up");
    CHECK_STR("links", groups_of(&p),
              "[[Projects/Old/Beta|B]](Ann Alpha) (Beta picture.png zero)");
    p = planned(*state, "file.name");
    step(&p, PLAN_GROUP, "number(status)");
    CHECK_STR("error", groups_of(&p), "(Ann Alpha Beta picture.png zero)");
    p = planned(*state, "file.name");
    step(&p, PLAN_GROUP, "n")->by_item = true;
    CHECK_STR("items", groups_of(&p),
              "1(Alpha) 2(Alpha Beta) 3(Beta) (Ann picture.png zero)");
    p.steps[0].by_count = true;
    run(&p);
    CHECK_INT("most", p.result.groups[0].count, 3);
    CHECK_INT("then", p.result.groups[1].count, 2);
    CHECK_INT("rows", p.result.n, 0);
}

static void test_collect(void **state)
{
    struct planned p = planned(*state, "status");
    struct expr name = {.kind = EXPR_NAME, .text = STR("key")};
    struct expr rows = {.kind = EXPR_NAME, .text = STR("rows")}, *kids[] = {&rows};
    struct expr count = {
        .kind = EXPR_MEMBER, .text = STR("length"), .kids = kids, .n = 1};
    step(&p, PLAN_COLLECT, "status");
    p.columns[0] = &name;
    CHECK_STR("keys", rows_of(&p), "active Done ");
    p.columns[0] = &count;
    CHECK_STR("rows", rows_of(&p), "2 1 2");
    CHECK_INT("total", p.result.total, 3);
    p = planned(*state, "status");
    struct plan_step *s = step(&p, PLAN_FLATTEN, "n");
    s->name = STR("item");
    struct expr item = {.kind = EXPR_NAME, .text = STR("item")};
    p.columns[0] = &item;
    CHECK_STR("flatten", rows_of(&p), " 1 2 2 3  ");
}

static void test_summaries(void **state)
{
    static const struct {
        const char *column, *name, *value;
    } cases[] = {
        {"price", "Sum", "17"},
        {"price", "Average", "5.666666666666667"},
        {"price", "Min", "2"},
        {"price", "Max", "10"},
        {"price", "Median", "5"},
        {"price", "Range", "8"},
        {"price * 0 + 1", "Stddev", "0"},
        {"due", "Range", "a few seconds"},
        {"file.mtime", "Range", "a month"},
        {"file.mtime", "Earliest", "2026-10-07T10:00:00"},
        {"due", "Latest", "2026-11-20"},
        {"read", "Checked", "1"},
        {"read", "Unchecked", "1"},
        {"status", "Empty", "2"},
        {"status", "Filled", "3"},
        {"status", "Unique", "3"},
        {"up", "Unique", "2"},
        {"missing", "Sum", "0"},
        {"missing", "Average", ""},
        {"number(status)", "Filled", "0"},
    };
    struct world *w = *state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct planned p = planned(w, "file.name");
        p.plan.n_summaries = 1;
        p.summaries[0].of = parsed(w, cases[i].column);
        CHECK("name", plan_summary_named(str_c(cases[i].name), &p.summaries[0].kind));
        run(&p);
        CHECK_STR(cases[i].name, value_text_of(&w->eval.reader, &p.result.summaries[0]),
                  cases[i].value);
    }
    enum plan_summary_kind kind;
    CHECK("unknown", !plan_summary_named(STR("average"), &kind));
}

static void test_custom_summary(void **state)
{
    struct world *w = *state;
    struct planned p = planned(w, "file.name");
    w->scope.summary = true;
    p.plan.n_summaries = 1;
    p.summaries[0] = (struct plan_summary){
        .kind = PLAN_CUSTOM, .expr = parsed(w, "values.filter(value > 2).length")};
    w->scope.summary = false;
    p.summaries[0].of = parsed(w, "price");
    step(&p, PLAN_GROUP, "status");
    run(&p);
    CHECK_STR("all", value_text_of(&w->eval.reader, &p.result.summaries[0]), "2");
    CHECK_STR("active", value_text_of(&w->eval.reader, &p.result.groups[0].summaries[0]),
              "1");
}

static bool at_once(void *arg)
{
    return true;
}

static void test_stop(void **state)
{
    struct world *w = *state;
    struct stop stop = {.asked = at_once};
    struct planned p = planned(w, "file.name");
    w->eval.stop = &stop;
    step(&p, PLAN_FILTER, "price > 1");
    run(&p);
    CHECK_STR("limit", str_c(p.result.limit), "more than 5 seconds");
    CHECK_INT("rows", p.result.n, 0);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        WORLD_TEST(test_filter),    WORLD_TEST(test_filters_apart),
        WORLD_TEST(test_sort),      WORLD_TEST(test_limit),
        WORLD_TEST(test_group),     WORLD_TEST(test_collect),
        WORLD_TEST(test_summaries), WORLD_TEST(test_custom_summary),
        WORLD_TEST(test_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
