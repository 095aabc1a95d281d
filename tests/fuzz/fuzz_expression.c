/*
 * The first line is a Bases expression, the second a formula `f` that it can use. Parsing
 * fails with a message or gives a tree; evaluating it never fails, gives the same value
 * again, and ends.
 */
#include "base/sbuf.h"
#include "small_index.h"
#include "vault/eval/bases_parse.h"
#include "vault/eval/prefilter.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { STEPS = 200000 }; /* fewer than a query may take, to find more inputs */

static const char note[] =
    "---\nstatus: Active\ndue: 2026-11-20\nn: 5\nr: 2.5\nlist: [a, 1, "
    "\"[[B]]\"]\nmap: {k: {l: v}}\nup: \"[[B|x]]\"\nok: true\ntags: [a/b]\n---\n"
    "# H\n- [ ] t #a/b\n![[B#H]] [m](B.md)\n";

struct query {
    struct arena arena;
    struct expr_owner owner;
    struct eval_formula formula;
    struct bases_scope scope;
    struct expr *expr;
};

static bool parse(struct query *q, str text, struct expr **out)
{
    struct err err = {0};
    if (bases_parse(&q->arena, &q->owner, "expression", text, &q->scope, out, &err))
        return true;
    if ((err.code != ERR_INVALID && err.code != ERR_LIMIT) || err.msg[0] == '\0')
        BUG("%s", err.msg);
    return false;
}

/* The value as JSON. */
static str value_of(struct eval *e, struct query *q, const struct row *row)
{
    struct sbuf out = SBUF_ON(&q->arena);
    struct jsonw w = JSONW_ON(&out);
    e->steps = EVAL_STEPS_MAX - STEPS;
    e->stopped = false;
    eval_row(e, row, &q->arena);
    struct value v = eval_value(e, q->expr);
    value_json(&w, &v);
    struct value key = value_key(&e->reader, &v);
    if (value_order(&key, &key) != 0)
        BUG("a value differs from itself");
    (void)value_text_of(&e->reader, &v);
    return sbuf_str(&out);
}

static void evaluate(const struct index *x, struct query *q)
{
    struct eval e = {.dialect = &dialect_bases,
                     .index = x,
                     .now = date_of_clock(1794823200, 0),
                     .formulas = &q->formula,
                     .n_formulas = q->scope.n_formulas,
                     .steps = EVAL_STEPS_MAX - STEPS};
    eval_open(&e, &q->arena);
    struct row row = {.file = x->files[0]};
    str before = value_of(&e, q, &row);
    bool ended = !e.stopped;
    e.steps = EVAL_STEPS_MAX - STEPS;
    eval_fold(&e, q->expr);
    str after = value_of(&e, q, &row);
    if (ended && !e.stopped && !str_eq(before, after))
        BUG("'" STR_FMT "' became '" STR_FMT "'", STR_ARG(before), STR_ARG(after));
    (void)prefilter(&e, q->expr);
    eval_release(&e);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct index *x;
    static const str name = STR("f");
    if (x == NULL)
        x = small_index("C é.md", note);
    struct query q = {.scope = {.formulas = &name, .n_formulas = 1}};
    str rest = {(const char *)data, size}, text, formula = {0};
    (void)str_next(&rest, '\n', &text);
    (void)str_next(&rest, '\n', &formula);
    struct expr *made;
    if (formula.n == 0 || !parse(&q, formula, &made))
        q.scope.n_formulas = 0;
    else
        q.formula = (struct eval_formula){name, made};
    if (parse(&q, text, &q.expr))
        evaluate(x, &q);
    expr_release(&q.owner);
    arena_release(&q.arena);
    return 0;
}
