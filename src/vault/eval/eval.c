#include "vault/eval/eval.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/hash.h"
#include "vault/eval/eval_file.h"
#include "vault/eval/eval_parts.h"
#include "vault/eval/field.h"
#include "vault/eval/function.h"
#include "vault/eval/value.h"
#include "vault/text/regex.h"

enum { STEPS_BETWEEN_LOOKS = 4096 }; /* looks at the clock */

/* The value of a formula for the row of that number. */
struct eval_memo {
    uint32_t row_number;
    bool busy;
    struct value value;
};

void eval_open(struct eval *e, struct arena *arena)
{
    e->reader.arena = arena;
    e->reader.names = e->index->names;
    e->reader.source_id = NO_FILE;
    e->reader.dialect = e->dialect;
    e->vars = ARENA_ARRAY(arena, struct value, EXPR_VARS_MAX);
    e->memo = ARENA_ARRAY(arena, struct eval_memo, e->n_formulas);
}

struct regex_scratch *eval_scratch(struct eval *e)
{
    if (e->scratch == NULL)
        e->scratch = regex_scratch_create();
    return e->scratch;
}

void eval_release(struct eval *e)
{
    regex_scratch_free(e->scratch);
    e->scratch = NULL;
}

void eval_row(struct eval *e, const struct row *row, struct arena *arena)
{
    e->row = row;
    e->row_number++;
    e->depth = e->chain = e->root = e->draws = 0;
    e->reader.arena = arena;
    e->reader.source = row->file != NULL ? row->file->path : (str){0};
    e->reader.source_id = row->file != NULL ? row->file->id : NO_FILE;
}

bool eval_step(struct eval *e, size_t n)
{
    uint64_t before = e->steps / STEPS_BETWEEN_LOOKS;
    e->steps += n;
    if (e->steps / STEPS_BETWEEN_LOOKS != before)
        (void)eval_is_stopped(e);
    return e->stopped == EVAL_GOES_ON;
}

bool eval_is_stopped(struct eval *e)
{
    const struct stop *s = e->stop;
    if (e->stopped != EVAL_GOES_ON)
        return true;
    if (e->steps > EVAL_STEPS_MAX)
        e->stopped = EVAL_STEPS;
    else if (arena_size(e->reader.arena) > EVAL_MEMORY_MAX)
        e->stopped = EVAL_MEMORY;
    else if (s != NULL && s->arena != NULL && arena_size(s->arena) > s->max)
        e->stopped = EVAL_MEMORY;
    else if (stop_now(s) || (e->until != 0 && clock_ms() >= e->until))
        e->stopped = EVAL_TIME;
    return e->stopped != EVAL_GOES_ON;
}

const char *eval_limit_text(enum eval_limit limit)
{
    static const char *const texts[] = {[EVAL_STEPS] = "more than 50 million steps",
                                        [EVAL_TIME] = "more than 5 seconds",
                                        [EVAL_MEMORY] = "more than 256 MB of memory"};
    _Static_assert(EVAL_STEPS_MAX == 50000000 && EVAL_MS_MAX == 5000 &&
                       EVAL_MEMORY_MAX == 256 << 20,
                   "the texts say the same");
    return texts[limit];
}

struct value eval_stopped(struct eval *e)
{
    return value_error(e->reader.arena, "stopped: the query needs %s",
                       eval_limit_text(e->stopped));
}

struct value eval_error(struct eval *e, const char *fmt, ...)
{
    char text[256];
    va_list args;
    if (e->dialect->evaluates.errors_as_null)
        return value_null();
    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    return value_error(e->reader.arena, "%s", text);
}

/* --- parts of a row --- */

static struct value row_name(struct eval *e, str name)
{
    struct value row = {.type = VALUE_ROW, .row = e->row, .target = NO_FILE};
    return eval_member(e, &row, name);
}

/* Each tree has its own variables. */
static struct value formula_value(struct eval *e, uint32_t number)
{
    const struct expr *x = e->formulas[number].expr;
    struct value *vars = e->vars;
    uint32_t root = e->root, draws = e->draws;
    e->root = number + 1;
    e->draws = 0;
    if (x->n_vars > 0)
        e->vars = ARENA_ARRAY(e->reader.arena, struct value, x->n_vars);
    struct value v = eval_value(e, x);
    e->vars = vars;
    e->root = root;
    e->draws = draws;
    return v;
}

static struct value formula(struct eval *e, uint32_t number)
{
    struct eval_memo *m = &e->memo[number];
    bool met = m->row_number == e->row_number;
    if (met && !m->busy)
        return m->value;
    if (met)
        return eval_error(e, "formula \"" STR_FMT "\" uses itself",
                          STR_ARG(e->formulas[number].name));
    if (e->chain == EVAL_CHAIN_MAX)
        return eval_error(e, "more than %d formulas use each other", EVAL_CHAIN_MAX);
    m->row_number = e->row_number;
    m->busy = true;
    e->chain++;
    struct value v = formula_value(e, number);
    e->chain--;
    m->busy = false;
    m->value = v;
    return v;
}

/* --- nodes --- */

static struct value read_field(struct eval *e, const struct expr *x)
{
    if (e->row == NULL || e->row->file == NULL)
        return value_null();
    return field_value(&e->reader, x->field, e->index, e->row);
}

static struct value negated(struct eval *e, const struct expr *x)
{
    struct value v = eval_value(e, x->kids[0]);
    return v.type == VALUE_ERROR ? v : eval_negated(e, &v);
}

static struct value calculated(struct eval *e, const struct expr *x)
{
    struct value left = eval_value(e, x->kids[0]);
    if (left.type == VALUE_ERROR)
        return left;
    struct value right = eval_value(e, x->kids[1]);
    return eval_binary(e, x->op, &left, &right);
}

static struct value made(struct eval *e, const struct expr *x)
{
    struct value *items = ARENA_ARRAY(e->reader.arena, struct value, x->n);
    for (size_t i = 0; i < x->n; i++) {
        items[i] = eval_value(e, x->kids[i]);
        if (items[i].type == VALUE_ERROR)
            return items[i];
    }
    if (x->kind == EXPR_LIST)
        return eval_list(e, items, x->n);
    struct value map = value_map(x->keys, items, x->n);
    struct value checked = eval_list(e, items, x->n);
    return checked.type == VALUE_ERROR ? checked : map;
}

static struct value eval_do_member(struct eval *e, const struct expr *x)
{
    struct value v = eval_value(e, x->kids[0]);
    if (x->kind == EXPR_MEMBER)
        return eval_member(e, &v, x->text);
    struct value key = eval_value(e, x->kids[1]);
    return key.type == VALUE_ERROR ? key : eval_index(e, &v, &key);
}

static struct value node_value(struct eval *e, const struct expr *x)
{
    const struct file *f = e->row != NULL ? e->row->file : NULL;
    switch (x->kind) {
    case EXPR_LITERAL:
        return x->value;
    case EXPR_FIELD:
        return read_field(e, x);
    case EXPR_NAME:
        return e->row != NULL ? row_name(e, x->text) : value_null();
    case EXPR_FILE:
        return f != NULL ? value_file(f->id, f->path) : value_null();
    case EXPR_NOTE:
        return eval_properties(f);
    case EXPR_THIS:
        return e->this_file;
    case EXPR_FORMULA:
        return e->row != NULL ? formula(e, x->number) : value_null();
    case EXPR_VALUES:
        return e->values;
    case EXPR_VAR:
        return e->vars[x->number];
    case EXPR_MEMBER:
    case EXPR_INDEX:
        return eval_do_member(e, x);
    case EXPR_UNARY:
        return negated(e, x);
    case EXPR_BINARY:
        return calculated(e, x);
    case EXPR_CALL:
    case EXPR_METHOD:
        return function_call(e, x);
    case EXPR_LIST:
    case EXPR_OBJECT:
        return made(e, x);
    default:
        return eval_error(e, "a function is not a value");
    }
}

/* False, with *why set, if it must not go deeper or on. */
static bool eval_enter(struct eval *e, struct value *why)
{
    if (!eval_step(e, 1))
        *why = eval_stopped(e);
    else if (e->depth >= EVAL_DEPTH_MAX)
        *why = value_error(e->reader.arena, "formulas are nested deeper than %d levels",
                           EVAL_DEPTH_MAX);
    else
        e->depth++;
    return why->type != VALUE_ERROR;
}

/* --- what is true or false --- */

/*
 * Most nodes of a filter are only asked whether they are true. They are evaluated without
 * making a value of each answer, which would cost more than the comparisons.
 */
enum truth { NO, YES, FAILED };

static enum truth truth_of(struct eval *e, const struct expr *x, struct value *why);

static bool is_boolean(const struct expr *x)
{
    return x->kind == EXPR_ALL || x->kind == EXPR_ANY ||
           (x->kind == EXPR_UNARY && x->op != EXPR_MINUS) ||
           (x->kind == EXPR_BINARY && x->op >= EXPR_EQUAL);
}

/* A value where one is needed; a constant is not copied. */
static const struct value *operand(struct eval *e, const struct expr *x,
                                   struct value *space)
{
    if (x->kind == EXPR_LITERAL)
        return &x->value;
    *space = x->kind == EXPR_FIELD ? read_field(e, x) : eval_value(e, x);
    return space;
}

static enum truth failed(const struct value *v, struct value *why)
{
    *why = *v;
    return FAILED;
}

static enum truth unary(struct eval *e, const struct expr *x, struct value *why)
{
    if (x->op == EXPR_EXISTS && x->kids[0]->kind == EXPR_FIELD)
        return field_exists(&e->reader, x->kids[0]->field, e->index, e->row) ? YES : NO;
    if (x->op == EXPR_NOT || x->op == EXPR_TRUE) {
        enum truth t = truth_of(e, x->kids[0], why);
        return t == FAILED ? t : (t == YES) == (x->op == EXPR_TRUE) ? YES : NO;
    }
    struct value space;
    const struct value *v = operand(e, x->kids[0], &space);
    if (v->type == VALUE_ERROR)
        return failed(v, why);
    return value_is_empty(v) == (x->op == EXPR_EMPTY) ? YES : NO;
}

static enum truth compared(struct eval *e, const struct expr *x, struct value *why)
{
    struct value left_space, right_space;
    const struct value *left = operand(e, x->kids[0], &left_space);
    if (left->type == VALUE_ERROR)
        return failed(left, why);
    for (size_t i = 1; i < x->n; i++) {
        const struct value *right = operand(e, x->kids[i], &right_space);
        if (right->type == VALUE_ERROR)
            return failed(right, why);
        if (eval_compare(e, x->op, left, right))
            return YES;
    }
    return NO;
}

/* Kids that are filters of their own: the first error counts only if none decides. */
static enum truth joined_apart(struct eval *e, const struct expr *x, struct value *why)
{
    enum truth decides = x->kind == EXPR_ANY ? YES : NO;
    struct value first = {0};
    for (size_t i = 0; i < x->n; i++) {
        struct value error = {0};
        enum truth t = truth_of(e, x->kids[i], &error);
        if (t == decides)
            return t;
        if (t == FAILED && first.type != VALUE_ERROR)
            first = error;
    }
    if (first.type == VALUE_ERROR)
        return failed(&first, why);
    return decides == YES ? NO : YES;
}

/* Every kid, or some kid. */
static enum truth eval_joined(struct eval *e, const struct expr *x, struct value *why)
{
    enum truth decides = x->kind == EXPR_ANY ? YES : NO;
    if (x->apart)
        return joined_apart(e, x, why);
    for (size_t i = 0; i < x->n; i++) {
        enum truth t = truth_of(e, x->kids[i], why);
        if (t == decides || t == FAILED)
            return t;
    }
    return decides == YES ? NO : YES;
}

static enum truth truth_of(struct eval *e, const struct expr *x, struct value *why)
{
    enum truth t;
    if (!is_boolean(x)) {
        struct value space;
        const struct value *v = operand(e, x, &space);
        return v->type == VALUE_ERROR ? failed(v, why) : value_is_true(v) ? YES : NO;
    }
    if (!eval_enter(e, why))
        return FAILED;
    if (x->kind == EXPR_UNARY)
        t = unary(e, x, why);
    else
        t = x->kind == EXPR_BINARY ? compared(e, x, why) : eval_joined(e, x, why);
    e->depth--;
    return t;
}

bool eval_holds(struct eval *e, const struct expr *x, struct value *why)
{
    struct value ignored = {0};
    return truth_of(e, x, why != NULL ? why : &ignored) == YES;
}

struct value eval_value(struct eval *e, const struct expr *x)
{
    struct value v = {0};
    if (is_boolean(x)) {
        enum truth t = truth_of(e, x, &v);
        return t == FAILED ? v : value_bool(t == YES);
    }
    if (!eval_enter(e, &v))
        return v;
    v = node_value(e, x);
    e->depth--;
    return v;
}

struct value eval_lambda(struct eval *e, const struct expr *x, const struct value *args,
                         size_t n)
{
    if (x->kind != EXPR_LAMBDA)
        return eval_value(e, x);
    for (size_t i = 0; i < x->n_vars; i++)
        e->vars[x->number + i] = i < n ? args[i] : value_null();
    return eval_value(e, x->kids[0]);
}

/* --- folding --- */

static bool is_constant(const struct expr *x)
{
    switch (x->kind) {
    case EXPR_THIS:
    case EXPR_MEMBER:
    case EXPR_INDEX:
    case EXPR_UNARY:
    case EXPR_BINARY:
    case EXPR_ALL:
    case EXPR_ANY:
    case EXPR_LIST:
    case EXPR_OBJECT:
        break;
    case EXPR_CALL:
    case EXPR_METHOD:
        if (x->function == NULL || (x->function->flags & FUNCTION_CHANGES))
            return false;
        break;
    default:
        return false;
    }
    for (size_t i = 0; i < x->n; i++)
        if (x->kids[i]->kind != EXPR_LITERAL)
            return false;
    return true;
}

void eval_fold(struct eval *e, struct expr *x)
{
    e->row = NULL;
    for (size_t i = 0; i < x->n; i++)
        eval_fold(e, x->kids[i]);
    if (!is_constant(x))
        return;
    struct value v = eval_value(e, x);
    if (e->stopped != EVAL_GOES_ON)
        return;
    x->kind = EXPR_LITERAL;
    x->value = v;
}
