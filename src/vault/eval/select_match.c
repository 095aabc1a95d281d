/* Whether a row matches the filter. */
#include "base/path.h"
#include "base/utf8.h"
#include "vault/eval/select_node.h"
#include "vault/eval/value.h"
#include "vault/eval/value_date.h"
#include "vault/text/regex.h"

static struct value operand(const struct select_match *m, const struct select_operand *o)
{
    if (o->field == NULL)
        return o->value;
    struct value v = select_field_value(&m->reader, o->field, &m->row);
    if (o->months == 0 && o->seconds == 0)
        return v;
    if (v.type != VALUE_DATE)
        return (struct value){.target = NO_FILE};
    v.date = date_shift(v.date, o->months, o->seconds);
    v.text = (str){0};
    return v;
}

static bool select_match_holds(enum select_op op, enum value_relation is)
{
    switch (op) {
    case SELECT_LESS:
        return is == VALUE_LESS;
    case SELECT_LESS_EQUAL:
        return is == VALUE_LESS || is == VALUE_SAME;
    case SELECT_GREATER:
        return is == VALUE_GREATER;
    default:
        return is == VALUE_GREATER || is == VALUE_SAME;
    }
}

static bool matches_line(const struct select_match *m, const struct regex *regex,
                         str text)
{
    str line;
    uint32_t start, end;
    while (str_next(&text, '\n', &line))
        if (regex_find(regex, m->regex, line, &start, &end))
            return true;
    return false;
}

/* Text operators on one scalar; want is already folded. */
static bool text_holds(const struct select_match *m, const struct select_node *n,
                       const struct value *have, const struct value *want)
{
    struct arena *a = m->reader.arena;
    if (have->type == VALUE_NULL || have->type == VALUE_MAP)
        return false;
    str text = value_plain(a, have);
    if (n->op == SELECT_MATCHES)
        return matches_line(m, n->regex, text);
    str part = utf8_fold(a, value_plain(a, want));
    text = utf8_fold(a, text);
    if (have->type == VALUE_TAG && n->op == SELECT_STARTS && str_starts(part, STR("#")))
        part = str_skip(part, 1);
    if (n->op == SELECT_STARTS)
        return str_starts(text, part);
    return n->op == SELECT_ENDS ? str_ends(text, part) : path_is_or_below(part, text);
}

static bool scalar_holds(const struct select_match *m, const struct select_node *n,
                         const struct value *have, const struct value *want)
{
    if (n->op >= SELECT_LESS && n->op <= SELECT_GREATER_EQUAL)
        return select_match_holds(n->op, value_relate(&m->reader, have, want));
    return text_holds(m, n, have, want);
}

/* For a list, any item is enough. */
static bool any_holds(const struct select_match *m, const struct select_node *n,
                      const struct value *have, const struct value *want)
{
    if (n->op == SELECT_EQUAL)
        return value_equal(&m->reader, have, want);
    if (n->op == SELECT_CONTAINS)
        return value_contains(&m->reader, have, want);
    if (have->type != VALUE_LIST)
        return scalar_holds(m, n, have, want);
    struct value_items it = {.list = have};
    for (struct value item; value_next(&m->reader, &it, &item);)
        if (any_holds(m, n, &item, want))
            return true;
    return false;
}

static bool leaf_matches(const struct select_match *m, const struct select_node *n)
{
    if (n->op == SELECT_EXISTS && n->left.field != NULL)
        return select_field_exists(&m->reader, n->left.field, &m->row);
    struct value left = operand(m, &n->left);
    switch (n->op) {
    case SELECT_TRUE:
        return value_is_true(&left);
    case SELECT_EXISTS:
    case SELECT_EMPTY:
        return value_is_empty(&left) == (n->op == SELECT_EMPTY);
    case SELECT_MATCHES:
        return any_holds(m, n, &left, NULL);
    default:
        break;
    }
    for (size_t i = 0; i < n->n_rights; i++) {
        struct value right = operand(m, &n->rights[i]);
        if (any_holds(m, n, &left, &right))
            return true;
    }
    return false;
}

bool select_matches(const struct select_match *m, const struct select_node *n)
{
    switch (n->op) {
    case SELECT_NOT:
        return !select_matches(m, n->child);
    case SELECT_AND:
    case SELECT_OR:
        for (const struct select_node *c = n->child; c != NULL; c = c->next)
            if (select_matches(m, c) == (n->op == SELECT_OR))
                return n->op == SELECT_OR;
        return n->op == SELECT_AND;
    default:
        return leaf_matches(m, n);
    }
}
