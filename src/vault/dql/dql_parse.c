/* A whole DQL query: its type and columns, its source, and its commands. */
#include "base/array.h"
#include "base/text.h"
#include "vault/dql/dql.h"
#include "vault/dql/dql_parser.h"
#include "vault/eval/expr.h"
#include "vault/eval/field.h"

/* --- types --- */

static const struct {
    const char *word;
    enum dql_type type;
} types[] = {{"list", DQL_LIST}, {"table", DQL_TABLE}, {"task", DQL_TASK}};

static bool dql_begins_with(str text, bool any_case)
{
    static const str words[] = {STR("LIST"), STR("TABLE"), STR("TASK"), STR("CALENDAR")};
    text = str_trim_line(text);
    for (size_t i = 0; i < COUNT_OF(words); i++) {
        str start = str_slice(text, 0, words[i].n);
        if ((any_case ? str_eq_nocase(start, words[i]) : str_eq(start, words[i])) &&
            (text.n == start.n || is_space(text.p[start.n])))
            return true;
    }
    return false;
}

/* `list` and `task` may be properties in other languages. */
bool dql_looks_like(str text)
{
    return dql_begins_with(text, false);
}

bool dql_begins(str text)
{
    return dql_begins_with(text, true);
}

static bool dql_type(struct dql_parser *p, enum dql_type *out)
{
    (void)dql_look(p);
    for (size_t i = 0; i < COUNT_OF(types); i++) {
        if (!dql_take_word(p, types[i].word))
            continue;
        *out = types[i].type;
        return true;
    }
    if (!str_eq_nocase(dql_word(p), STR("calendar")))
        return dql_fail(p, "LIST, TABLE or TASK");
    return err_named(p->make.err, E_INVALID_QUERY,
                     "%s: CALENDAR at byte %zu is not supported: use LIST, TABLE or TASK",
                     p->make.what, p->at);
}

static bool dql_without_id(struct dql_parser *p, bool *out)
{
    *out = dql_take_word(p, "without");
    return !*out || dql_take_word(p, "id") || dql_fail(p, "ID");
}

/* --- columns --- */

struct dql_made {
    struct dql *out;
    const struct expr **columns;
    struct plan_step *steps;
};

/* [AS name] after an expression that began at start; its text if there is none. */
static bool dql_name(struct dql_parser *p, size_t start, str *out)
{
    *out = str_trim_line(str_slice(p->make.text, start, p->at));
    if (!dql_take_word(p, "as"))
        return true;
    if (dql_look(p) == '"')
        return dql_quoted(p, out);
    *out = dql_word(p);
    p->at += out->n;
    return out->n > 0 || dql_fail(p, "a name");
}

/* Whether an expression is next, not a command or the end. */
static bool dql_has_more(struct dql_parser *p)
{
    return dql_look(p) != '\0' && !dql_is_keyword(dql_word(p));
}

static bool dql_column(struct dql_parser *p, struct dql_made *m)
{
    struct dql *out = m->out;
    size_t *n = &out->plan.n_columns;
    (void)dql_look(p);
    size_t start = p->at;
    if (*n == DQL_COLUMNS_MAX)
        return err_set(p->make.err, ERR_LIMIT, "%s: more than %d columns", p->make.what,
                       DQL_COLUMNS_MAX);
    const struct expr *x = dql_expr(p);
    if (x == NULL || !dql_name(p, start, &out->columns[*n]))
        return false;
    *ARRAY_ADD(p->make.arena, m->columns, *n) = x;
    out->plan.columns = m->columns;
    return true;
}

static bool dql_columns(struct dql_parser *p, struct dql_made *m)
{
    if (m->out->type == DQL_TASK || !dql_has_more(p))
        return true;
    do {
        if (!dql_column(p, m))
            return false;
    } while (m->out->type == DQL_TABLE && dql_take_sign(p, ","));
    return true;
}

/* --- commands --- */

static struct plan_step *dql_step(struct dql_parser *p, struct dql_made *m,
                                  enum plan_op op)
{
    size_t *n = &m->out->plan.n_steps;
    if (*n == DQL_STEPS_MAX) {
        (void)err_set(p->make.err, ERR_LIMIT, "%s: more than %d commands", p->make.what,
                      DQL_STEPS_MAX);
        return NULL;
    }
    struct plan_step *step = ARRAY_ADD(p->make.arena, m->steps, *n);
    *step = (struct plan_step){.op = op};
    m->out->plan.steps = m->steps;
    return step;
}

static bool dql_filter(struct dql_parser *p, struct dql_made *m, struct expr *x)
{
    struct plan_step *step = x != NULL ? dql_step(p, m, PLAN_FILTER) : NULL;
    if (step != NULL)
        step->expr = x;
    return step != NULL;
}

static bool dql_where(struct dql_parser *p, struct dql_made *m)
{
    return dql_filter(p, m, dql_expr(p));
}

static bool dql_sort(struct dql_parser *p, struct dql_made *m)
{
    struct plan_step *step = dql_step(p, m, PLAN_SORT);
    struct plan_key *keys = NULL;
    size_t n = 0;
    if (step == NULL)
        return false;
    do {
        const struct expr *x = dql_expr(p);
        if (x == NULL)
            return false;
        if (n == DQL_COLUMNS_MAX)
            return err_set(p->make.err, ERR_LIMIT, "%s: more than %d fields to sort by",
                           p->make.what, DQL_COLUMNS_MAX);
        bool down = dql_take_word(p, "desc") || dql_take_word(p, "descending");
        if (!down && !dql_take_word(p, "asc"))
            (void)dql_take_word(p, "ascending");
        *ARRAY_ADD(p->make.arena, keys, n) = (struct plan_key){x, down, false};
    } while (dql_take_sign(p, ","));
    step->keys = keys;
    step->n = n;
    return true;
}

static bool dql_give(struct dql_parser *p, str name)
{
    if (p->n_names == DQL_NAMES_MAX)
        return err_set(p->make.err, ERR_LIMIT, "%s: too many names", p->make.what);
    p->names[p->n_names++] = name;
    return true;
}

static bool dql_flatten(struct dql_parser *p, struct dql_made *m)
{
    (void)dql_look(p);
    size_t start = p->at;
    struct expr *x = dql_expr(p);
    struct plan_step *step = x != NULL ? dql_step(p, m, PLAN_FLATTEN) : NULL;
    if (step == NULL || !dql_name(p, start, &step->name))
        return false;
    step->expr = x;
    return dql_give(p, step->name);
}

/* From here on there are only the names of groups. */
static bool dql_group_by(struct dql_parser *p, struct dql_made *m)
{
    if (!dql_take_word(p, "by"))
        return dql_fail(p, "BY");
    (void)dql_look(p);
    size_t start = p->at;
    struct expr *x = dql_expr(p);
    struct plan_step *step = x != NULL ? dql_step(p, m, PLAN_COLLECT) : NULL;
    if (step == NULL || !dql_name(p, start, &step->name))
        return false;
    step->expr = x;
    p->grouped = m->out->grouped = true;
    m->out->group = step->name;
    return true;
}

static bool dql_limit(struct dql_parser *p, struct dql_made *m)
{
    (void)dql_look(p);
    size_t at = p->at;
    const struct expr *x = dql_expr(p);
    if (x == NULL)
        return false;
    if (x->kind != EXPR_LITERAL || x->value.type != VALUE_NUMBER ||
        !x->value.is_integer || x->value.number < 0)
        return expr_fail(&p->make, at, "a number of rows");
    struct plan_step *step = dql_step(p, m, PLAN_LIMIT);
    if (step != NULL)
        step->n = (size_t)x->value.number;
    return step != NULL;
}

static const struct {
    const char *word;
    bool (*read)(struct dql_parser *p, struct dql_made *m);
} commands[] = {
    {"where", dql_where}, {"sort", dql_sort},       {"group", dql_group_by},
    {"limit", dql_limit}, {"flatten", dql_flatten},
};

static bool dql_commands(struct dql_parser *p, struct dql_made *m)
{
    while (dql_look(p) != '\0') {
        size_t i = 0;
        while (i < COUNT_OF(commands) && !dql_take_word(p, commands[i].word))
            i++;
        if (i == COUNT_OF(commands))
            return dql_fail(p, "FROM (once, before all others), WHERE, SORT, GROUP BY, "
                               "FLATTEN or LIMIT");
        if (!commands[i].read(p, m))
            return false;
    }
    return true;
}

/* --- the whole --- */

/*
 * Columns come first in the text but are about what the commands leave, so that names of
 * FLATTEN and GROUP BY are known: the text of the columns is parsed twice.
 */
static bool dql_body(struct dql_parser *p, struct dql_made *m)
{
    struct dql *out = m->out;
    if (!dql_type(p, &out->type))
        return false;
    out->plan.from = out->type == DQL_TASK ? PLAN_TASKS : PLAN_NOTES;
    p->fields.of_tasks = out->type == DQL_TASK;
    if (out->type != DQL_TASK && !dql_without_id(p, &out->without_id))
        return false;
    size_t columns = p->at;
    if (!dql_columns(p, m))
        return false;
    const struct field *last = p->fields.last;
    size_t rest = p->at;
    if ((dql_take_word(p, "from") && !dql_filter(p, m, dql_source(p))) ||
        !dql_commands(p, m))
        return false;
    if (p->n_names == 0 && !p->grouped)
        return true;
    dql_drop_uses(p, rest);
    p->at = columns;
    field_drop_until(&p->fields, last); /* they may be other names now */
    m->columns = NULL;
    out->plan.n_columns = 0;
    return dql_columns(p, m);
}

/* Not an inline query: = this.x, or $= and JavaScript, perhaps with backticks. */
static bool dql_is_block(struct dql_parser *p)
{
    str text = str_skip(p->make.text, p->at);
    text = str_skip(text, str_starts(text, STR("`")));
    bool script = str_starts(text, STR("$="));
    if (!script && !str_starts(text, STR("=")))
        return true;
    return err_named(p->make.err, E_INVALID_QUERY,
                     "query: inline %s are not supported: begin with LIST, TABLE or TASK",
                     script ? "scripts ($=)" : "queries (=)");
}

static struct dql_parser *dql_open(struct arena *a, struct expr_owner *owner,
                                   const struct value_reader *r, struct date now,
                                   str text, struct err *err)
{
    struct dql_parser *p = ARENA_NEW(a, struct dql_parser);
    *p = (struct dql_parser){
        .make = {.arena = a, .owner = owner, .what = "query", .text = text, .err = err},
        .reader = r,
        .now = now,
        .fields = {.arena = a},
    };
    return p;
}

static bool dql_read(struct dql_parser *p, struct dql *out)
{
    struct dql_made made = {.out = out};
    *out = (struct dql){.fields = &p->fields};
    if (p->make.text.n > DQL_TEXT_MAX)
        return err_set(p->make.err, ERR_LIMIT, "query: longer than %d bytes",
                       DQL_TEXT_MAX);
    (void)dql_look(p);
    if (!dql_is_block(p))
        return false;
    return dql_body(p, &made);
}

bool dql_parse(struct arena *a, struct expr_owner *owner, const struct value_reader *r,
               struct date now, str text, struct dql *out, struct err *err)
{
    return dql_read(dql_open(a, owner, r, now, text, err), out);
}

bool dql_parse_uses(struct arena *a, struct expr_owner *owner,
                    const struct value_reader *r, str text, struct dql_use_list *out,
                    struct err *err)
{
    struct dql_parser *p = dql_open(a, owner, r, (struct date){0}, text, err);
    struct dql query;
    bool ok = dql_read(p, &query);
    *out = p->uses;
    return ok;
}
