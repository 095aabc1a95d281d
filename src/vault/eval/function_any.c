/* Functions of any value, and those that make values. */
#include "base/hash.h"
#include "base/utf8.h"
#include "vault/eval/eval.h"
#include "vault/eval/eval_file.h"
#include "vault/eval/function_table.h"
#include "vault/eval/value.h"

struct value function_is_truthy(struct eval *e, const struct call *c)
{
    return value_bool(value_is_true(&c->self));
}

struct value function_is_type(struct eval *e, const struct call *c)
{
    str wanted = c->args[0].text;
    return value_bool(str_eq_nocase(wanted, str_c(value_type_name(c->self.type))));
}

struct value function_to_string(struct eval *e, const struct call *c)
{
    return eval_text(e, value_text_of(&e->reader, &c->self));
}

struct value function_is_empty(struct eval *e, const struct call *c)
{
    return value_bool(value_is_empty(&c->self));
}

struct value function_false(struct eval *e, const struct call *c)
{
    return value_bool(false);
}

/* --- choosing --- */

struct value function_if(struct eval *e, const struct call *c)
{
    struct expr *const *kids = c->node->kids;
    struct value condition = eval_value(e, kids[0]);
    if (condition.type == VALUE_ERROR)
        return condition;
    if (value_is_true(&condition))
        return eval_value(e, kids[1]);
    return c->n > 2 ? eval_value(e, kids[2]) : value_null();
}

/* --- numbers --- */

bool function_to_number(struct eval *e, const struct value *v, double *out)
{
    switch (v->type) {
    case VALUE_NUMBER:
        *out = v->real;
        return true;
    case VALUE_BOOL:
        *out = v->truth;
        return true;
    case VALUE_DATE:
        *out = (double)(v->date.seconds - e->reader.utc_offset) * 1000 + v->date.ms;
        return true;
    case VALUE_TEXT:
        return value_read_number(v->text, out);
    default:
        return false;
    }
}

static struct value not_a_number(struct eval *e, const struct value *v)
{
    str text = utf8_cut(value_text_of(&e->reader, v), 60);
    return eval_error(e, "Unable to parse \"" STR_FMT "\" as a number.", STR_ARG(text));
}

struct value function_number(struct eval *e, const struct call *c)
{
    double number;
    return function_to_number(e, &c->args[0], &number) ? value_number(number)
                                                       : not_a_number(e, &c->args[0]);
}

/* The least or greatest of the arguments, or of the items of a list. */
static struct value extreme(struct eval *e, const struct call *c, int sign)
{
    size_t n = c->n;
    const struct value *items = c->args;
    double best = 0, number;
    if (n == 1 && items[0].type == VALUE_LIST)
        items = eval_items(e, &c->args[0], &n);
    if (n == 0)
        return eval_error(e, "min() and max() need a number");
    for (size_t i = 0; i < n; i++) {
        if (!function_to_number(e, &items[i], &number))
            return not_a_number(e, &items[i]);
        if (i == 0 || number * sign > best * sign || number != number)
            best = number;
    }
    return value_number(best);
}

struct value function_least(struct eval *e, const struct call *c)
{
    return extreme(e, c, -1);
}

struct value function_greatest(struct eval *e, const struct call *c)
{
    return extreme(e, c, 1);
}

/* The same for the same row and place, so that sorting by it and showing it agree. */
struct value function_random(struct eval *e, const struct call *c)
{
    uint64_t place[4] = {e->seed, e->root, ++e->draws, 0};
    if (e->row != NULL && e->row->file != NULL)
        place[3] = e->row->file->id +
                   ((uint64_t)(e->row->task != NULL ? e->row->task->line : 0) << 32);
    uint64_t hash = hash_table((str){(const char *)place, sizeof(place)});
    return value_number((double)(hash >> 11) / 9007199254740992.0);
}

/* --- lists, links, files --- */

struct value function_list(struct eval *e, const struct call *c)
{
    if (c->args[0].type == VALUE_LIST)
        return c->args[0];
    return eval_list(e, c->args, c->args[0].type == VALUE_NULL ? 0 : 1);
}

struct value function_link(struct eval *e, const struct call *c)
{
    const struct value *to = &c->args[0];
    str display = c->n > 1 ? value_text_of(&e->reader, &c->args[1]) : (str){0};
    if (to->type == VALUE_NULL)
        return *to;
    const struct file *f = to->type == VALUE_FILE ? eval_file(e, to) : NULL;
    if (f != NULL)
        return eval_file_link(e, f, display);
    if (to->type != VALUE_LINK)
        return value_link(&e->reader, value_text_of(&e->reader, to), display);
    if (display.n == 0)
        return *to;
    struct value link = value_link(&e->reader, value_link_text(to), display);
    link.target = to->target;
    link.path = to->path;
    return link;
}

struct value function_file(struct eval *e, const struct call *c)
{
    const struct file *f = eval_file(e, &c->args[0]);
    return f != NULL ? value_file(f->id, f->path) : value_null();
}

/* --- what views render --- */

static struct value rendered(struct eval *e, enum value_type type, const struct value *of)
{
    if (of->type == VALUE_NULL)
        return *of;
    str text =
        of->type == VALUE_LINK ? value_link_text(of) : value_text_of(&e->reader, of);
    return (struct value){.type = type, .text = text, .target = NO_FILE};
}

struct value function_image(struct eval *e, const struct call *c)
{
    return rendered(e, VALUE_IMAGE, &c->args[0]);
}

struct value function_icon(struct eval *e, const struct call *c)
{
    return rendered(e, VALUE_ICON, &c->args[0]);
}

struct value function_html(struct eval *e, const struct call *c)
{
    return rendered(e, VALUE_HTML, &c->args[0]);
}

struct value function_escape_html(struct eval *e, const struct call *c)
{
    str text = value_text_of(&e->reader, &c->args[0]);
    struct sbuf b = SBUF_ON(e->reader.arena);
    for (size_t i = 0; i < text.n && b.n <= EVAL_TEXT_MAX; i++) {
        size_t at = str_find_char(STR("&<>\"'"), text.p[i]);
        static const char *const escaped[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
        if (at == STR_NONE)
            sbuf_char(&b, text.p[i]);
        else
            sbuf_add(&b, str_c(escaped[at]));
    }
    return eval_text(e, sbuf_str(&b));
}
