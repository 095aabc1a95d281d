/* [name], [name:value], [name:null], [name:<5]. */
#include "base/text.h"
#include "base/utf8.h"
#include "vault/ask/query_node.h"

static bool query_property_is_name(struct query_run *run, const struct query_node *n,
                                   str key)
{
    bool found = false;
    switch (n->kind) {
    case QUERY_WORD:
    case QUERY_PHRASE:
        return str_eq(utf8_fold(run->arena, key), n->folded);
    case QUERY_REGEX:
        return query_leaf_in(run, n, key, 0, false);
    case QUERY_NOT:
        return !query_property_is_name(run, n->child, key);
    case QUERY_AND:
    case QUERY_OR:
        found = n->kind == QUERY_AND;
        for (const struct query_node *c = n->child; c != NULL; c = c->next)
            if (query_property_is_name(run, c, key) != found)
                return !found;
        return found;
    case QUERY_OPERATOR: /* only match-case: and ignore-case: make sense here */
        return query_property_is_name(run, n->child, key);
    default:
        return false;
    }
}

static bool to_number(str s, double *out)
{
    char text[64], *end;
    s = str_trim(s);
    if (s.n == 0 || s.n >= sizeof(text) ||
        (s.p[0] != '-' && s.p[0] != '+' && s.p[0] != '.' && !is_digit(s.p[0])))
        return false;
    memcpy(text, s.p, s.n);
    text[s.n] = '\0';
    *out = strtod(text, &end);
    return *end == '\0';
}

/* Numbers are compared as numbers; everything else, including dates, as text. */
static bool compares(const struct query_node *n, const struct prop *p)
{
    double want, have;
    if (p->type == PROP_NULL || p->type == PROP_BOOL)
        return false;
    if (to_number(n->text, &want)) {
        bool is_number = p->type == PROP_INT || p->type == PROP_FLOAT;
        have = is_number ? prop_real(p) : 0;
        if (!is_number && !to_number(p->text, &have))
            return false;
        return n->cmp == '<' ? have < want : have > want;
    }
    int order = str_cmp(p->text, n->text);
    return n->cmp == '<' ? order < 0 : order > 0;
}

static bool is_scalar(struct query_run *run, const struct query_node *n,
                      const struct prop *p)
{
    switch (n->kind) {
    case QUERY_WORD:
    case QUERY_REGEX:
        return p->type != PROP_NULL && query_leaf_in(run, n, p->text, 0, false);
    case QUERY_PHRASE:
        return p->type != PROP_NULL && str_eq(utf8_fold(run->arena, p->text), n->folded);
    case QUERY_NULL:
        return p->type == PROP_NULL;
    case QUERY_COMPARE:
        return compares(n, p);
    default:
        return false;
    }
}

/* Any scalar of the value, at any depth. */
static bool has_scalar(struct query_run *run, const struct query_node *n,
                       const struct prop *p)
{
    if (p->type != PROP_LIST && p->type != PROP_MAP)
        return is_scalar(run, n, p);
    if (n->kind == QUERY_NULL) /* an empty list is not null */
        return false;
    for (const struct prop *c = p->child; c != NULL; c = c->next)
        if (has_scalar(run, n, c))
            return true;
    return false;
}

static bool has_value(struct query_run *run, const struct query_node *n,
                      const struct prop *p)
{
    bool found;
    switch (n->kind) {
    case QUERY_NOT:
        return !has_value(run, n->child, p);
    case QUERY_AND:
    case QUERY_OR:
        found = n->kind == QUERY_AND;
        for (const struct query_node *c = n->child; c != NULL; c = c->next)
            if (has_value(run, c, p) != found)
                return !found;
        return found;
    case QUERY_OPERATOR:
        return has_value(run, n->child, p);
    default:
        return has_scalar(run, n, p);
    }
}

bool query_property(struct query_run *run, const struct query_node *n, bool record)
{
    const struct frontmatter *f = run->file->frontmatter;
    const struct query_node *name = n->child, *value = name->next;
    bool found = false;
    if (f == NULL || f->props == NULL)
        return false;
    for (const struct prop *p = f->props->child; p != NULL; p = p->next) {
        if (!query_property_is_name(run, name, p->key) ||
            (value != NULL && !has_value(run, value, p)))
            continue;
        found = true;
        if (!record)
            break;
        uint32_t start = run->file->note != NULL ? run->file->note->frontmatter.start : 0;
        if (run->file->note != NULL)
            query_add_span(run, start + p->key_start, start + p->end);
    }
    return found;
}
