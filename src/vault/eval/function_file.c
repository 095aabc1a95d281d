/* Functions of links, files and maps. */
#include "base/utf8.h"
#include "vault/eval/eval.h"
#include "vault/eval/eval_file.h"
#include "vault/eval/function_table.h"
#include "vault/eval/value.h"

struct value function_as_file(struct eval *e, const struct call *c)
{
    const struct file *f = eval_file(e, &c->self);
    return f != NULL ? value_file(f->id, f->path) : value_null();
}

struct value function_links_to(struct eval *e, const struct call *c)
{
    const struct file *f = eval_file(e, &c->self);
    if (f == NULL)
        return eval_error(e, "the link \"" STR_FMT "\" leads to no file",
                          STR_ARG(utf8_cut(function_text(&c->self), 60)));
    return value_bool(eval_has_link(e, f, &c->args[0]));
}

struct value function_as_link(struct eval *e, const struct call *c)
{
    const struct file *f = eval_file(e, &c->self);
    str display = c->n > 0 ? value_text_of(&e->reader, &c->args[0]) : (str){0};
    return f != NULL ? eval_file_link(e, f, display) : value_null();
}

struct value function_has_link(struct eval *e, const struct call *c)
{
    const struct file *f = eval_file(e, &c->self);
    return value_bool(f != NULL && eval_has_link(e, f, &c->args[0]));
}

struct value function_has_tag(struct eval *e, const struct call *c)
{
    const struct file *f = eval_file(e, &c->self);
    for (size_t i = 0; f != NULL && i < c->n; i++)
        if (eval_has_tag(e, f, function_text(&c->args[i])))
            return value_bool(true);
    return value_bool(false);
}

struct value function_has_property(struct eval *e, const struct call *c)
{
    const struct file *f = eval_file(e, &c->self);
    struct value map = eval_properties(f);
    str name = function_text(&c->args[0]);
    return value_bool(map.n > 0 &&
                      value_find_prop(e->reader.arena, map.props, name,
                                      utf8_fold(e->reader.arena, name)) != NULL);
}

struct value function_in_folder(struct eval *e, const struct call *c)
{
    const struct file *f = eval_file(e, &c->self);
    return value_bool(f != NULL && eval_in_folder(f, function_text(&c->args[0])));
}

struct value function_keys(struct eval *e, const struct call *c)
{
    const struct value *map = &c->self;
    struct value *out = ARENA_ARRAY(e->reader.arena, struct value, map->n);
    struct value_items it = {.list = map};
    size_t n = 0;
    for (struct value item; value_next(&e->reader, &it, &item); n++)
        out[n] = value_text(map->items != NULL ? map->keys[n] : it.prop->key);
    return eval_list(e, out, n);
}

struct value function_values(struct eval *e, const struct call *c)
{
    const struct value *map = &c->self;
    struct value *out = ARENA_ARRAY(e->reader.arena, struct value, map->n);
    struct value_items it = {.list = map};
    size_t n = 0;
    for (struct value item; value_next(&e->reader, &it, &item);)
        out[n++] = item;
    return eval_list(e, out, n);
}
