/*
 * Why no row is left: what the filters ask for that no row has. Each comparison with a text
 * is tried alone, as a query of its own; if it holds for no row, the values that there are
 * may have one that is similar. Nothing of this is done if there are rows.
 */
#include "base/array.h"
#include "base/near.h"
#include "base/path.h"
#include "base/sbuf.h"
#include "base/utf8.h"
#include "vault/eval/dialect.h"
#include "vault/eval/eval.h"
#include "vault/eval/expr.h"
#include "vault/eval/field.h"
#include "vault/eval/plan_parts.h"
#include "vault/eval/task_field.h"
#include "vault/eval/value.h"
#include "vault/eval/value_date.h"
#include "vault/forms/task.h"
#include "vault/index/index.h"
#include "vault/index/tags.h"

enum {
    MISSING_MAX = 3,        /* sentences */
    MISSING_SHOWN = 60,     /* bytes of a value in a sentence */
    MISSING_VALUES_MAX = 8, /* other values are listed if there are no more than these */
};

/* A comparison with one constant. */
struct plan_missing {
    struct plan_run *run;
    struct expr *leaf; /* kids[0] is what is compared with kids[1] */
    enum missing_kind { MISSING_VALUE, MISSING_TAG, MISSING_FOLDER, MISSING_LINK } kind;
    str name;   /* of what is compared */
    str wanted; /* the constant, as text */
};

/* --- what is compared --- */

/* Empty if it has no name, such as a sum. */
static str missing_name(const struct plan_run *run, const struct expr *x)
{
    struct arena *a = run->arena;
    str of;
    switch (x->kind) {
    case EXPR_FIELD:
        return x->field->name;
    case EXPR_NAME:
        return x->text;
    case EXPR_FILE:
        return STR("file");
    case EXPR_FORMULA:
        return arena_printf(a, "formula." STR_FMT,
                            STR_ARG(run->eval->formulas[x->number].name));
    case EXPR_MEMBER:
        of = missing_name(run, x->kids[0]);
        return of.n == 0
                   ? of
                   : arena_printf(a, STR_FMT "." STR_FMT, STR_ARG(of), STR_ARG(x->text));
    default:
        return (str){0};
    }
}

static bool is_one_of(str name, const char *const *names)
{
    for (; *names != NULL; names++)
        if (str_eq_nocase(name, str_c(*names)))
            return true;
    return false;
}

static enum missing_kind kind_of_field(const struct expr *left, str name)
{
    static const char *const tags[] = {"file.tags", "file.etags", NULL};
    static const char *const folders[] = {"file.folder", NULL};
    bool field = left->kind == EXPR_FIELD;
    if (is_one_of(name, tags) || (field && left->field->kind == FIELD_FILE_TAGS))
        return MISSING_TAG;
    return is_one_of(name, folders) ? MISSING_FOLDER : MISSING_VALUE;
}

/* Whether a call compares its first kid, or the row's file, with the others. */
static bool is_comparing_call(const struct expr *x, enum missing_kind *kind)
{
    static const char *const names[] = {"contains",     "icontains",   "econtains",
                                        "containsword", "containsAny", "containsAll",
                                        "startswith",   "endswith",    NULL};
    static const char *const of_file[] = {[MISSING_TAG] = "hasTag",
                                          [MISSING_FOLDER] = "inFolder",
                                          [MISSING_LINK] = "hasLink"};
    for (size_t i = MISSING_TAG; x->n > 1 && i < COUNT_OF(of_file); i++)
        if (x->kids[0]->kind == EXPR_FILE && str_eq(x->text, str_c(of_file[i]))) {
            *kind = (enum missing_kind)i;
            return true;
        }
    return is_one_of(x->text, names);
}

/* What can be is known, whether there is one or not. */
static bool is_priority(const struct expr *left, str wanted)
{
    enum task_priority ignored;
    struct err why;
    return left->kind == EXPR_FIELD && left->field->kind == FIELD_TASK_FIELD &&
           task_field_is_priority(left->field->task) &&
           task_priority_parse(wanted, &ignored, &why);
}

/* Whether a part of a text is looked for in names or lines, which are too many. */
static bool is_text_search(const struct expr *x, const struct expr *left)
{
    bool whole =
        x->kind == EXPR_BINARY && (x->op <= EXPR_GREATER_EQUAL || x->op == EXPR_BELOW);
    bool built_in = left->kind == EXPR_FIELD
                        ? left->field->kind != FIELD_PROPERTY
                        : left->kind == EXPR_MEMBER && left->kids[0]->kind == EXPR_FILE;
    return !whole && built_in;
}

/* Fill m for kid i of x; false if it is not compared with a text that has a name. */
static bool missing_open(struct plan_missing *m, const struct expr *x, size_t i)
{
    struct expr *left = x->kids[0], *right = x->kids[i];
    if (left->kind == EXPR_LITERAL && x->n == 2) { /* "active" = status */
        left = x->kids[1];
        right = x->kids[0];
    }
    bool textual = right->kind == EXPR_LITERAL && value_is_textual(&right->value);
    bool call = x->kind == EXPR_CALL || x->kind == EXPR_METHOD;
    m->kind = MISSING_VALUE;
    m->name = missing_name(m->run, left);
    if (!textual || m->name.n == 0 || (call && !is_comparing_call(x, &m->kind)))
        return false;
    if (m->kind == MISSING_VALUE)
        m->kind = kind_of_field(left, m->name);
    if (m->kind == MISSING_VALUE && is_text_search(x, left))
        return false;
    m->wanted = right->value.type == VALUE_LINK ? value_link_text(&right->value)
                                                : right->value.text;
    if (m->kind == MISSING_TAG)
        m->wanted = str_skip(m->wanted, str_starts(m->wanted, STR("#")));
    m->leaf = ARENA_NEW(m->run->arena, struct expr);
    *m->leaf = *x;
    m->leaf->n = 2;
    m->leaf->kids = ARENA_ARRAY(m->run->arena, struct expr *, 2);
    m->leaf->kids[0] = x->kids[0];
    m->leaf->kids[1] = x->kids[i];
    return m->wanted.n > 0 && !is_priority(left, m->wanted);
}

/* --- questions about all rows --- */

static void missing_ask(const struct plan_missing *m, struct plan_step step, bool count,
                        struct plan_result *out)
{
    struct plan p = {
        .from = m->run->plan->from, .steps = &step, .n_steps = 1, .count_only = count};
    plan_run(m->run->eval, &p, m->run->arena, out);
}

static bool holds_somewhere(const struct plan_missing *m)
{
    struct plan_result found;
    missing_ask(m, (struct plan_step){.op = PLAN_FILTER, .expr = m->leaf}, true, &found);
    return found.total > 0 || found.limit != NULL;
}

/* The values of what is compared, the most frequent first. */
static void missing_values(const struct plan_missing *m, struct plan_result *out)
{
    const struct expr *left = m->leaf->kids[m->leaf->kids[0]->kind == EXPR_LITERAL];
    missing_ask(m,
                (struct plan_step){
                    .op = PLAN_GROUP, .expr = left, .by_item = true, .by_count = true},
                false, out);
}

/* --- what is similar --- */

struct missing_near {
    struct arena *arena;
    struct near_search search;
    str nearest;
};

static struct missing_near missing_near(const struct plan_missing *m)
{
    struct missing_near n = {.arena = m->run->arena};
    str folded = utf8_fold(n.arena, m->wanted);
    near_search(&n.search, folded, folded.n / 4 + 1); /* a quarter may be wrong */
    return n;
}

/* The whole text, or the last part of a nested tag or folder. */
static void missing_offer(struct missing_near *n, str text)
{
    str folded = utf8_fold(n->arena, text), last = path_name(folded);
    bool nearer = near_offer(&n->search, folded);
    if (last.n < folded.n && near_offer(&n->search, last))
        nearer = true;
    if (nearer)
        n->nearest = text;
}

static str nearest_name(const struct plan_missing *m)
{
    const struct index *x = m->run->eval->index;
    struct missing_near n = missing_near(m);
    const str *folders;
    size_t n_folders = m->kind == MISSING_FOLDER ? index_folders(x, &folders) : 0;
    size_t n_tags = m->kind == MISSING_TAG ? tags_count(x->tags) : 0;
    for (size_t i = 0; i < n_tags; i++)
        missing_offer(&n, tags_at(x->tags, i).name);
    for (size_t i = 0; i < n_folders; i++)
        missing_offer(&n, folders[i]);
    return n.nearest;
}

static str nearest_value(const struct plan_missing *m, const struct plan_result *values)
{
    struct missing_near n = missing_near(m);
    for (size_t i = 0; i < values->n_groups; i++)
        missing_offer(&n, value_plain(n.arena, &values->groups[i].key));
    return n.nearest;
}

/* Whether there are values at all: a property that no note has is reported elsewhere. */
static bool has_values(const struct plan_result *values)
{
    for (size_t i = 0; i < values->n_groups; i++)
        if (values->groups[i].key.type != VALUE_NULL)
            return true;
    return false;
}

/* The type of all values, or VALUE_NULL if they differ or there are none. */
static enum value_type common_type(const struct plan_result *values)
{
    enum value_type type = VALUE_NULL;
    for (size_t i = 0; i < values->n_groups; i++) {
        enum value_type one = values->groups[i].key.type;
        if (one == VALUE_NULL || one == type)
            continue;
        if (type != VALUE_NULL)
            return VALUE_NULL;
        type = one;
    }
    return type;
}

/* --- sentences --- */

static const char *missing_noun(const struct plan *p)
{
    static const char *const nouns[] = {
        [PLAN_NOTES] = "note", [PLAN_TASKS] = "task", [PLAN_FILES] = "file"};
    return nouns[p->from];
}

static void say_meant(struct sbuf *b, str nearest)
{
    if (nearest.n > 0)
        sbuf_printf(b, " (did you mean '" STR_FMT "'?)",
                    STR_ARG(utf8_cut(nearest, MISSING_SHOWN)));
}

/* The values that there are, if they are few. */
static void say_values(struct sbuf *b, const struct plan_result *values)
{
    size_t n = 0;
    for (size_t i = 0; i < values->n_groups && values->n_groups <= MISSING_VALUES_MAX;
         i++) {
        str text = value_plain(b->arena, &values->groups[i].key);
        if (text.n > 0 && text.n <= MISSING_SHOWN)
            sbuf_printf(b, "%s'" STR_FMT "'", n++ == 0 ? " (there are " : ", ",
                        STR_ARG(text));
    }
    sbuf_add(b, n > 0 ? STR(")") : STR(""));
}

/* Of dates or numbers, which a text is never equal to. */
static bool say_type(struct sbuf *b, const struct plan_missing *m, enum value_type type)
{
    if (type != VALUE_DATE && type != VALUE_NUMBER)
        return false;
    sbuf_printf(b, STR_FMT " has %s, and '" STR_FMT "' is not one", STR_ARG(m->name),
                type == VALUE_DATE ? "dates" : "numbers",
                STR_ARG(utf8_cut(m->wanted, MISSING_SHOWN)));
    if (type == VALUE_DATE)
        say_meant(b, str_c(date_word_near(m->wanted)));
    return true;
}

static bool say_missing_value(struct sbuf *b, const struct plan_missing *m)
{
    struct plan_result values;
    enum expr_op op = m->leaf->op;
    bool equal = m->leaf->kind == EXPR_BINARY && op == EXPR_EQUAL;
    bool ordered =
        m->leaf->kind == EXPR_BINARY && op >= EXPR_LESS && op <= EXPR_GREATER_EQUAL;
    missing_values(m, &values);
    if ((equal || ordered) && say_type(b, m, common_type(&values)))
        return true;
    str nearest = nearest_value(m, &values);
    if (ordered || !has_values(&values) || (!equal && nearest.n == 0))
        return false;
    sbuf_printf(b, "no %s has " STR_FMT " '" STR_FMT "'", missing_noun(m->run->plan),
                STR_ARG(m->name), STR_ARG(utf8_cut(m->wanted, MISSING_SHOWN)));
    if (nearest.n > 0)
        say_meant(b, nearest);
    else
        say_values(b, &values);
    return true;
}

/* False if there is nothing to say. */
static bool say_missing(struct sbuf *b, const struct plan_missing *m)
{
    static const char *const says[] = {[MISSING_TAG] = "has the tag",
                                       [MISSING_FOLDER] = "is in the folder",
                                       [MISSING_LINK] = "links to"};
    if (m->kind == MISSING_VALUE)
        return say_missing_value(b, m);
    sbuf_printf(b, "no %s %s '" STR_FMT "'", missing_noun(m->run->plan), says[m->kind],
                STR_ARG(utf8_cut(m->wanted, MISSING_SHOWN)));
    str nearest = nearest_name(m);
    if (m->kind == MISSING_FOLDER && m->leaf->op == EXPR_EQUAL &&
        str_eq(utf8_fold(b->arena, nearest), utf8_fold(b->arena, m->wanted)))
        sbuf_add(b, STR(" itself (file.inFolder() also finds those below it)"));
    else
        say_meant(b, nearest);
    return true;
}

/* --- the filters --- */

struct missing_list {
    struct plan_run *run;
    struct sbuf text;
    size_t n;
};

static void missing_leaf(struct missing_list *list, const struct expr *x)
{
    for (size_t i = 1; i < x->n && list->n < MISSING_MAX; i++) {
        struct plan_missing m = {.run = list->run};
        struct sbuf b = SBUF_ON(list->run->arena);
        if (missing_open(&m, x, i) && !holds_somewhere(&m) && say_missing(&b, &m))
            sbuf_printf(&list->text, "%s" STR_FMT, list->n++ > 0 ? "; " : "",
                        STR_ARG(sbuf_str(&b)));
    }
}

/* What is negated does not have to be there. */
static void missing_in(struct missing_list *list, const struct expr *x)
{
    bool compares = x->kind == EXPR_BINARY && x->op >= EXPR_EQUAL &&
                    x->op != EXPR_NOT_EQUAL && x->op != EXPR_MATCHES;
    if (compares || x->kind == EXPR_CALL || x->kind == EXPR_METHOD)
        missing_leaf(list, x);
    else if (x->kind == EXPR_ALL || x->kind == EXPR_ANY ||
             (x->kind == EXPR_UNARY && x->op == EXPR_TRUE))
        for (size_t i = 0; i < x->n; i++)
            missing_in(list, x->kids[i]);
}

void plan_find_missing(struct plan_run *run)
{
    struct missing_list list = {.run = run, .text = SBUF_ON(run->arena)};
    for (size_t i = 0; i < run->n_first; i++)
        missing_in(&list, run->plan->steps[i].expr);
    run->result.missing = sbuf_str(&list.text);
}
