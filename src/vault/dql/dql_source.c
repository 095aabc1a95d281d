/*
 * FROM: sources become filters with the methods of files that Bases has, so that whatever
 * the index knows about those is known about sources.
 */
#include "vault/dql/dql_parser.h"
#include "vault/eval/dialect.h"
#include "vault/eval/expr.h"
#include "vault/eval/field.h"
#include "vault/eval/function.h"
#include "vault/eval/value.h"

static struct expr *dql_method(struct dql_parser *p, struct expr *self, const char *name,
                               struct expr *argument, size_t at)
{
    struct expr *x = expr_new(&p->make, EXPR_METHOD, at);
    if (x == NULL)
        return NULL;
    x->text = str_c(name);
    x->function = function_find(&dialect_bases, x->text, true);
    return dql_with(p, dql_with(p, x, self), argument);
}

static struct expr *dql_file(struct dql_parser *p, size_t at)
{
    return expr_new(&p->make, EXPR_FILE, at);
}

static struct expr *dql_source_tag(struct dql_parser *p)
{
    size_t at = p->at;
    str tag;
    if (!dql_tag(p, &tag))
        return NULL;
    return dql_method(p, dql_file(p, at), "hasTag",
                      expr_literal(&p->make, value_text(tag), at), at);
}

static struct expr *dql_path_is(struct dql_parser *p, str path, size_t at)
{
    struct expr *field = expr_new(&p->make, EXPR_FIELD, at);
    struct expr *value = expr_literal(&p->make, value_text(path), at);
    if (field == NULL || value == NULL ||
        !field_make(&p->fields, p->make.what, STR("file.path"), at, &field->field,
                    p->make.err))
        return NULL;
    return expr_binary(&p->make, EXPR_EQUAL, field, value, at);
}

static bool dql_is_note(const struct dql_parser *p, str path)
{
    struct value link = value_link(p->reader, path, (str){0});
    return link.target != NO_FILE && str_eq(link.path, path);
}

/* "Books" is a folder, "Books/Emma" perhaps a note; "" is everything. */
static struct expr *dql_source_path(struct dql_parser *p)
{
    size_t at = p->at;
    str path, extension = STR(".md");
    if (!dql_quoted(p, &path))
        return NULL;
    while (str_ends(path, STR("/")))
        path.n--;
    dql_use(p, USE_FOLDER, at, p->at, path);
    if (path.n == 0)
        return expr_literal(&p->make, value_bool(true), at);
    str note = str_ends(path, extension)
                   ? path
                   : arena_printf(p->make.arena, STR_FMT ".md", STR_ARG(path));
    struct expr *folder = dql_method(p, dql_file(p, at), "inFolder",
                                     expr_literal(&p->make, value_text(path), at), at);
    if (!dql_is_note(p, note))
        return folder;
    struct expr *any = dql_with(p, expr_new(&p->make, EXPR_ANY, at), folder);
    return dql_with(p, any, dql_path_is(p, note, at));
}

/* The note that a link means: [[]] is the one that the query is in. */
static struct expr *dql_source_note(struct dql_parser *p, bool as_file)
{
    size_t at = p->at;
    str target, display;
    if (!dql_link(p, &target, &display))
        return NULL;
    if (target.n == 0)
        return expr_new(&p->make, EXPR_THIS, at);
    struct value link = value_link(p->reader, target, display);
    if (as_file)
        link = link.target != NO_FILE ? value_file(link.target, link.path) : value_null();
    return expr_literal(&p->make, link, at);
}

static bool dql_is_link(struct dql_parser *p)
{
    (void)dql_look(p);
    return str_starts(str_skip(p->make.text, p->at), STR("[["));
}

/* incoming(...) and outgoing(...), whose name is taken. */
static struct expr *dql_source_call(struct dql_parser *p, bool outgoing, size_t at)
{
    if (!dql_take_sign(p, "(") || !dql_is_link(p)) {
        (void)dql_fail(p, "([[note]])");
        return NULL;
    }
    struct expr *note = dql_source_note(p, outgoing), *file = dql_file(p, at);
    struct expr *x = outgoing ? dql_method(p, note, "hasLink", file, at)
                              : dql_method(p, file, "hasLink", note, at);
    if (x != NULL && !dql_take_sign(p, ")")) {
        (void)dql_fail(p, ")");
        return NULL;
    }
    return x;
}

static struct expr *dql_source_atom(struct dql_parser *p);

static struct expr *dql_source_not(struct dql_parser *p)
{
    size_t at = p->at++;
    struct expr *kid = dql_source_atom(p);
    return kid != NULL ? expr_unary(&p->make, EXPR_NOT, kid, at) : NULL;
}

static struct expr *dql_source_group(struct dql_parser *p)
{
    p->at++;
    struct expr *x = dql_source(p);
    if (x == NULL || dql_take_sign(p, ")"))
        return x;
    (void)dql_fail(p, ")");
    return NULL;
}

static struct expr *dql_source_word(struct dql_parser *p)
{
    size_t at = p->at;
    if (dql_take_word(p, "outgoing"))
        return dql_source_call(p, true, at);
    if (dql_take_word(p, "incoming"))
        return dql_source_call(p, false, at);
    if (str_eq_nocase(dql_word(p), STR("csv")))
        (void)err_named(p->make.err, E_INVALID_QUERY,
                        "%s: csv() at byte %zu is not supported: a source is a #tag, a "
                        "\"folder\", a [[link]] or outgoing([[link]])",
                        p->make.what, at);
    else
        (void)dql_fail(p, "a #tag, \"folder\", [[link]] or outgoing([[link]])");
    return NULL;
}

static struct expr *dql_source_atom(struct dql_parser *p)
{
    if (!expr_deeper(&p->make))
        return NULL;
    struct expr *x;
    switch (dql_look(p)) {
    case '#':
        x = dql_source_tag(p);
        break;
    case '"':
        x = dql_source_path(p);
        break;
    case '(':
        x = dql_source_group(p);
        break;
    case '-':
    case '!':
        x = dql_source_not(p);
        break;
    default:
        x = dql_is_link(p) ? dql_method(p, dql_file(p, p->at), "hasLink",
                                        dql_source_note(p, false), p->at)
                           : dql_source_word(p);
    }
    p->make.depth--;
    return x;
}

struct expr *dql_source(struct dql_parser *p)
{
    return dql_chain(p, dql_source_atom);
}
