#include "vault/eval/function.h"

#include <stdio.h>

#include "base/near.h"
#include "base/utf8.h"
#include "vault/eval/eval.h"
#include "vault/eval/value.h"

enum { SHOWN_MAX = 60 }; /* bytes of an unknown name in a message */

static bool has_name(const struct dialect *d, const struct function *f, str name)
{
    return d->evaluates.names_nocase ? str_eq_nocase(name, str_c(f->name))
                                     : str_eq(name, str_c(f->name));
}

static bool is_method(const struct function *f)
{
    return f->on != 0 && !(f->flags & FUNCTION_PLAIN);
}

const struct function *function_find(const struct dialect *d, str name, bool method)
{
    for (const struct function *f = d->functions; f != NULL && f->name != NULL; f++)
        if (is_method(f) == method && has_name(d, f, name))
            return f;
    return NULL;
}

const char *function_nearest(const struct dialect *d, str name, unsigned on)
{
    struct near_search s;
    const char *nearest = NULL;
    near_search(&s, name, name.n / 3 + 1);
    for (const struct function *f = d->functions; f != NULL && f->name != NULL; f++) {
        bool fits = on == 0 ? !is_method(f) : is_method(f) && (f->on & on);
        if (fits && near_offer(&s, str_c(f->name)))
            nearest = f->name;
    }
    return nearest;
}

/* --- what cannot be called --- */

static struct value unknown_function(struct eval *e, const struct expr *x)
{
    str name = utf8_cut(x->text, SHOWN_MAX);
    const struct function *method = function_find(e->dialect, x->text, true);
    if (method != NULL)
        return eval_error(e, "Cannot find function \"" STR_FMT "\": write value.%s(...)",
                          STR_ARG(name), method->name);
    const char *nearest = function_nearest(e->dialect, name, 0);
    if (nearest != NULL)
        return eval_error(e, "Cannot find function \"" STR_FMT "\": did you mean %s()?",
                          STR_ARG(name), nearest);
    return eval_error(e, "Cannot find function \"" STR_FMT "\"", STR_ARG(name));
}

static struct value unknown_method(struct eval *e, const struct expr *x,
                                   const struct value *self)
{
    str name = utf8_cut(x->text, SHOWN_MAX);
    const char *type = value_type_name(self->type);
    char what[160];
    int n =
        snprintf(what, sizeof(what), "Cannot find function \"" STR_FMT "\" on type %c%s",
                 STR_ARG(name), type[0] - ('a' - 'A'), type + 1);
    const struct function *other = function_find(e->dialect, x->text, true);
    if (self->type == VALUE_DURATION && other != NULL && (other->on & ON(VALUE_NUMBER)))
        return eval_error(e, "%.*s: take .days, .hours or another unit first", n, what);
    if (self->type == VALUE_NULL && other != NULL)
        return eval_error(e, "%.*s: the value is missing, so guard it with if()", n,
                          what);
    const char *nearest = function_nearest(e->dialect, name, ON(self->type));
    if (nearest != NULL && other == NULL)
        return eval_error(e, "%.*s: did you mean %s()?", n, what, nearest);
    return eval_error(e, "%.*s", n, what);
}

static struct value too_few(struct eval *e, const struct function *f)
{
    return eval_error(e, "%s() needs %s%d argument%s", f->name,
                      f->max > f->min ? "at least " : "", f->min, f->min == 1 ? "" : "s");
}

/* --- calling --- */

/* Of the functions with the name of f, which are next to each other, the one for a type.
 * Methods are not called as functions are. */
static const struct function *function_for(const struct function *f, enum value_type type)
{
    str name = str_c(f != NULL ? f->name : NULL);
    bool method = f != NULL && is_method(f);
    for (; f != NULL && f->name != NULL && str_eq(name, str_c(f->name)); f++)
        if (is_method(f) == method && (f->on & ON(type)))
            return f;
    return NULL;
}

static struct value wrong_type(struct eval *e, const struct function *f,
                               enum value_type type)
{
    return eval_error(e, "%s() does not take a value of type %s", f->name,
                      value_type_name(type));
}

/* f for self; in a dialect that spreads, a list gives the list of the results. */
static struct value function_run(struct eval *e, const struct function *f,
                                 const struct call *c)
{
    const struct function *fits = function_for(f, c->self.type);
    if (fits != NULL)
        return fits->call(e, c);
    if (!e->dialect->evaluates.lists_by_item || !(f->flags & FUNCTION_SPREADS) ||
        c->self.type != VALUE_LIST)
        return wrong_type(e, f, c->self.type);
    size_t n;
    const struct value *items = eval_items(e, &c->self, &n);
    struct value *out = ARENA_ARRAY(e->reader.arena, struct value, n);
    for (size_t i = 0; i < n; i++) {
        struct call one = *c;
        one.self = items[i];
        out[i] = function_run(e, f, &one);
    }
    return eval_list(e, out, n);
}

/* The arguments from kid first on; false, with *error set, if one of them is an error. */
static bool read_args(struct eval *e, const struct expr *x, size_t first, unsigned flags,
                      struct call *c, struct value *error)
{
    struct value *args = ARENA_ARRAY(e->reader.arena, struct value, x->n);
    c->n = x->n - first;
    for (size_t i = 0; i < c->n; i++) {
        args[i] = eval_value(e, x->kids[first + i]);
        if (args[i].type == VALUE_ERROR && !(flags & FUNCTION_ON_ERROR)) {
            *error = args[i];
            return false;
        }
    }
    c->args = args;
    return true;
}

static struct value call_plain(struct eval *e, const struct expr *x)
{
    const struct function *f = x->function;
    struct call c = {.node = x};
    struct value error;
    if (f == NULL)
        return unknown_function(e, x);
    bool has_self = f->flags & FUNCTION_PLAIN;
    if (x->n < f->min + (has_self ? 1u : 0))
        return too_few(e, f);
    if (f->flags & FUNCTION_LAZY) {
        c.n = x->n;
        return f->call(e, &c);
    }
    if (!read_args(e, x, 0, f->flags, &c, &error))
        return error;
    if (!has_self)
        return f->call(e, &c);
    c.self = *c.args++;
    c.n--;
    return function_run(e, f, &c);
}

static struct value call_method(struct eval *e, const struct expr *x)
{
    struct call c = {.node = x, .self = eval_value(e, x->kids[0]), .n = x->n - 1};
    struct value error;
    if (c.self.type == VALUE_ERROR)
        return c.self;
    const struct function *f = function_for(x->function, c.self.type);
    if (f == NULL)
        return unknown_method(e, x, &c.self);
    if (c.n < f->min)
        return too_few(e, f);
    if (!(f->flags & FUNCTION_LAZY) && !read_args(e, x, 1, f->flags, &c, &error))
        return error;
    return f->call(e, &c);
}

struct value function_call(struct eval *e, const struct expr *x)
{
    return x->kind == EXPR_METHOD ? call_method(e, x) : call_plain(e, x);
}
