/*
 * The names in bases: in a .base file, and in the base blocks of a note. A name is in an
 * expression, which is in a YAML scalar, which may be in a code block in a quote; all
 * other bytes stay as they are.
 */
#include "base/text.h"
#include "vault/change/rename_parts.h"
#include "vault/eval/uses.h"
#include "vault/forms/base_file.h"
#include "vault/forms/base_source.h"
#include "vault/forms/code_block.h"
#include "vault/index/file.h"
#include "vault/note/frontmatter.h"
#include "vault/note/prop.h"
#include "vault/note/yaml_scalar.h"

struct rename_base_walk {
    struct rename_visit *visit;
    const struct base_source *source;
    rename_name_fn *fn;
    void *arg;
};

/* --- scalars --- */

static bool has_flow_sign(str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] != '\0' && strchr(",[]{}", s.p[i]) != NULL)
            return true;
    return false;
}

/* Whether a plain scalar can become after without quotes. One that has brackets or commas
 * is not inside of [ ] or { }; any other may be. */
static bool stays_plain(str value, str after)
{
    struct prop p = {.text = after};
    yaml_scalar_plain(&p);
    return p.type == PROP_TEXT && text_is_printable(after) &&
           (after.p[0] == value.p[0] || is_alnum(after.p[0]) ||
            (unsigned char)after.p[0] >= 0x80) &&
           str_find(after, STR(": ")) == STR_NONE && !str_ends(after, STR(":")) &&
           str_find(after, STR(" #")) == STR_NONE &&
           (has_flow_sign(value) || !has_flow_sign(after));
}

/* text as it is written inside of that kind of scalar. */
static str write_in_scalar(struct arena *a, char quote, str text)
{
    struct sbuf b = SBUF_ON(a);
    if (quote != '"' && quote != '\'')
        return text;
    for (size_t i = 0; i < text.n; i++) {
        if (quote == '"' && (text.p[i] == '"' || text.p[i] == '\\'))
            sbuf_char(&b, '\\');
        if (quote == '\'' && text.p[i] == '\'')
            sbuf_char(&b, '\'');
        sbuf_char(&b, text.p[i]);
    }
    return sbuf_str(&b);
}

/* Whether a scalar of that kind can have another value and keep its form. */
static bool keeps_form(char first, str value, str after)
{
    if (first == '"' || first == '\'')
        return text_is_printable(after);
    return first == '|' || first == '>' || stays_plain(value, after);
}

/* The whole scalar in other quotes, if it is in one piece in the file. */
static bool requote(struct rename_base_walk *w, struct span raw, str value, str after)
{
    str now, was = span_of(w->source->text, raw);
    size_t start = base_source_place(w->source, raw.start);
    if (!str_eq(str_slice(w->source->file, start, start + was.n), was) ||
        !quote_yaml(w->visit->arena, was, value, after, &now))
        return false;
    rename_splice_add(&w->visit->splices, start, start + was.n, now);
    return true;
}

/* Apply splices of a scalar's value to the file. */
static bool splice_scalar(struct rename_base_walk *w, struct span raw, str value,
                          const struct splices *s)
{
    struct arena *a = w->visit->arena;
    struct splices there = {.arena = a};
    str after = rename_splice_apply(s, value);
    str scalar = str_skip(span_of(w->source->text, raw),
                          yaml_scalar_marks(span_of(w->source->text, raw)));
    if (scalar.n == 0 || scalar.p[0] == '*')
        return false; /* an alias: its anchor changes instead */
    bool fits = keeps_form(scalar.p[0], value, after);
    for (size_t i = 0; i < s->n; i++) {
        const struct rename_splice *p = &s->items[i];
        struct span first = base_source_in_scalar(w->source, raw, value, p->start);
        struct span last = base_source_in_scalar(w->source, raw, value, p->end - 1);
        if (!fits || first.start == first.end || last.end <= first.start)
            return requote(w, raw, value, after);
        rename_splice_add(&there, base_source_place(w->source, first.start),
                          base_source_place(w->source, last.end - 1) + 1,
                          write_in_scalar(a, scalar.p[0], p->text));
    }
    for (size_t i = 0; i < there.n; i++)
        rename_splice_add(&w->visit->splices, there.items[i].start, there.items[i].end,
                          there.items[i].text);
    return true;
}

/* --- names --- */

static void visit_expression(struct rename_base_walk *w, const struct base_text *e)
{
    struct arena *a = w->visit->arena;
    struct splices s = {.arena = a};
    struct use *uses;
    size_t n = uses_find(a, e->text, &uses);
    for (size_t i = 0; i < n; i++) {
        str now;
        if (w->fn(w->arg, uses[i].kind, uses[i].value, &now))
            rename_splice_add(&s, uses[i].start, uses[i].end,
                              use_text_of(a, e->text, &uses[i], now));
    }
    if (s.n > 0 && splice_scalar(w, e->raw, e->text, &s))
        w->visit->links += s.n;
}

static void visit_filter(struct rename_base_walk *w, const struct base_filter *f)
{
    for (; f != NULL; f = f->next) {
        if (f->kind == BASE_FILTER)
            visit_expression(w, &f->expression);
        visit_filter(w, f->child);
    }
}

static void visit_members(struct rename_base_walk *w, const struct base_members *m)
{
    for (size_t i = 0; i < m->n; i++)
        visit_expression(w, &m->items[i].value);
}

/* A property id with another name for the property. */
static bool rename_id(struct rename_base_walk *w, str id, str *out)
{
    str name, now, rest;
    if (base_property(id, &name) != BASE_NOTE || !w->fn(w->arg, USE_PROPERTY, name, &now))
        return false;
    bool prefixed =
        name.n < id.n || base_property(now, &rest) != BASE_NOTE || rest.n < now.n;
    *out = arena_printf(w->visit->arena, "%s" STR_FMT, prefixed ? "note." : "",
                        STR_ARG(now));
    return true;
}

static void visit_id(struct rename_base_walk *w, const struct prop *p)
{
    struct splices s = {.arena = w->visit->arena};
    str now;
    if (p == NULL || p->type != PROP_TEXT || !rename_id(w, p->text, &now))
        return;
    rename_splice_add(&s, 0, p->text.n, now);
    w->visit->links += splice_scalar(w, (struct span){p->start, p->end}, p->text, &s);
}

/* The key of a member that is a property id. */
static void visit_key(struct rename_base_walk *w, const struct prop *p)
{
    struct arena *a = w->visit->arena;
    struct span key;
    str now, written;
    if (!rename_id(w, p->key, &now) ||
        !quote_yaml_key(a, w->source->text, p, now, &key, &written))
        return;
    size_t start = base_source_place(w->source, key.start);
    rename_splice_add(&w->visit->splices, start, start + (key.end - key.start), written);
    w->visit->links++;
}

static void visit_keys(struct rename_base_walk *w, const struct prop *map)
{
    for (const struct prop *p = map->type == PROP_MAP ? map->child : NULL; p; p = p->next)
        visit_key(w, p);
}

static void visit_ids(struct rename_base_walk *w, const struct prop *list)
{
    for (const struct prop *p = list->type == PROP_LIST ? list->child : NULL; p;
         p = p->next)
        visit_id(w, p);
}

/* {property: id, direction: ...}, or only the id. */
static void visit_order(struct rename_base_walk *w, const struct prop *p)
{
    visit_id(w, p);
    for (const struct prop *c = p->type == PROP_MAP ? p->child : NULL; c; c = c->next)
        if (str_eq(c->key, STR("property")) || str_eq(c->key, STR("column")))
            visit_id(w, c);
}

/* The members of a view that are not expressions. */
static void visit_view(struct rename_base_walk *w, const struct prop *view)
{
    for (const struct prop *p = view->child; p != NULL; p = p->next) {
        if (str_eq(p->key, STR("order")))
            visit_ids(w, p);
        else if (str_eq(p->key, STR("groupBy")) || str_eq(p->key, STR("group_by")))
            visit_order(w, p);
        else if (str_eq(p->key, STR("summaries")) || str_eq(p->key, STR("columnSize")))
            visit_keys(w, p);
        else if (p->type == PROP_TEXT && str_starts(p->text, STR("note.")))
            visit_id(w, p); /* the image of a card, the place on a map, ... */
        if (str_eq(p->key, STR("sort")) && p->type == PROP_LIST)
            for (const struct prop *c = p->child; c != NULL; c = c->next)
                visit_order(w, c);
    }
}

/* Values that are a link, wherever they are. */
static void visit_link_values(struct rename_base_walk *w, const struct prop *p)
{
    for (const struct prop *c = p->child; c != NULL; c = c->next) {
        struct splices s = {.arena = w->visit->arena};
        str now;
        visit_link_values(w, c);
        if (c->type != PROP_TEXT || !frontmatter_is_link(c->text) ||
            !w->fn(w->arg, USE_LINK, c->text, &now))
            continue;
        rename_splice_add(&s, 0, c->text.n, now);
        w->visit->links += splice_scalar(w, (struct span){c->start, c->end}, c->text, &s);
    }
}

static void visit_base(struct rename_base_walk *w, const struct base *b)
{
    visit_filter(w, b->filter);
    visit_members(w, &b->formulas);
    visit_members(w, &b->summaries);
    for (size_t i = 0; i < b->n_views; i++)
        visit_filter(w, b->views[i].filter);
    visit_link_values(w, b->root);
    for (const struct prop *p = b->root->child; p != NULL; p = p->next) {
        if (str_eq(p->key, STR("properties")) || str_eq(p->key, STR("display")))
            visit_keys(w, p);
        if (str_eq(p->key, STR("views")))
            for (const struct prop *v = p->child; v != NULL; v = v->next)
                visit_view(w, v);
    }
}

/* --- files --- */

static void visit_source(struct rename_visit *v, const struct base_source *source,
                         rename_name_fn *fn, void *arg)
{
    struct rename_base_walk w = {.visit = v, .source = source, .fn = fn, .arg = arg};
    struct base base;
    struct err ignored; /* a broken base names nothing */
    if (base_read(v->arena, source, &base, &ignored))
        visit_base(&w, &base);
}

void rename_visit_bases(struct rename_visit *v, rename_name_fn *fn, void *arg)
{
    const struct file *f = v->file;
    struct base_source source;
    struct span block;
    if (!f->has_queries)
        return;
    if (f->kind == FILE_BASE) {
        base_source_of_file(v->arena, f->text, &source);
        visit_source(v, &source, fn, arg);
        return;
    }
    for (uint32_t i = 0; code_block_next(&f->note, STR("base"), &i, &block);) {
        base_source_of_block(v->arena, &f->note, block, &source);
        visit_source(v, &source, fn, arg);
    }
}
