#include "vault/dql/dql_uses.h"

#include "base/array.h"
#include "base/sbuf.h"
#include "base/sort.h"
#include "base/text.h"
#include "vault/dql/dql_parser.h"
#include "vault/eval/expr.h"
#include "vault/forms/inline.h"

/* --- while parsing --- */

void dql_use(struct dql_parser *p, enum use_kind kind, size_t start, size_t end,
             str value)
{
    struct dql_use_list *l = &p->uses;
    bool quoted = p->make.text.p[start] == '"';
    if (value.n > 0)
        *ARRAY_ADD(p->make.arena, l->items, l->n) =
            (struct use){.kind = kind,
                         .form = quoted ? USE_TEXT : USE_NAME,
                         .start = start,
                         .end = end,
                         .value = value};
}

void dql_drop_uses(struct dql_parser *p, size_t before)
{
    struct dql_use_list *l = &p->uses;
    size_t kept = 0;
    for (size_t i = 0; i < l->n; i++)
        if (l->items[i].start >= before)
            l->items[kept++] = l->items[i];
    l->n = kept;
}

/* --- the whole query --- */

static int dql_uses_by_start(const void *a, const void *b)
{
    const struct use *x = a, *y = b;
    return x->start < y->start ? -1 : x->start > y->start;
}

bool dql_uses(struct arena *a, const struct value_reader *r, str text, struct use **out,
              size_t *n)
{
    struct dql_use_list found = {0};
    struct expr_owner owner = {0};
    struct err ignored = {0};
    bool ok = dql_parse_uses(a, &owner, r, text, &found, &ignored);
    expr_release(&owner);
    if (found.n > 1)
        sort_items(found.items, found.n, sizeof(*found.items), dql_uses_by_start);
    *out = found.items;
    *n = found.n;
    return ok;
}

/* --- writing --- */

static bool is_dql_word(str s)
{
    static const str literals[] = {STR("true"), STR("false"), STR("null"),
                                   STR("this"), STR("row"),   STR("file")};
    for (size_t i = 0; i < s.n; i++)
        if (!is_letter(s.p[i]) && s.p[i] != '_' && (s.p[i] & 0x80) == 0 &&
            (i == 0 || (!is_digit(s.p[i]) && s.p[i] != '-')))
            return false;
    for (size_t i = 0; i < COUNT_OF(literals); i++)
        if (str_eq_nocase(s, literals[i]))
            return false;
    return s.n > 0 && !dql_is_keyword(s);
}

static str dql_quote(struct arena *a, str value)
{
    struct sbuf b = SBUF_ON(a);
    sbuf_char(&b, '"');
    for (size_t i = 0; i < value.n; i++) {
        if (value.p[i] == '"' || value.p[i] == '\\')
            sbuf_char(&b, '\\');
        sbuf_char(&b, value.p[i]);
    }
    sbuf_char(&b, '"');
    return sbuf_str(&b);
}

/* A name with spaces has another form in queries: "due date" is due-date. */
bool dql_use_text(struct arena *a, const struct use *use, str value, str *out)
{
    *out = value;
    if (use->form == USE_TEXT) {
        *out = dql_quote(a, value);
        return true;
    }
    if (use->kind != USE_PROPERTY)
        return true;
    if (!is_dql_word(value))
        *out = inline_name(a, value);
    return is_dql_word(*out);
}
