#include "base/sbuf.h"
#include "base/text.h"
#include "base/utf8.h"
#include "vault/ask/query_node.h"
#include "vault/text/needles.h"
#include "vault/text/regex.h"

static const struct {
    str name;
    enum query_op op;
} operators[] = {
    {STR("file"), QUERY_FILE},
    {STR("path"), QUERY_PATH},
    {STR("content"), QUERY_CONTENT},
    {STR("match-case"), QUERY_MATCH_CASE},
    {STR("ignore-case"), QUERY_IGNORE_CASE},
    {STR("tag"), QUERY_TAG},
    {STR("line"), QUERY_LINE},
    {STR("block"), QUERY_BLOCK},
    {STR("section"), QUERY_SECTION},
    {STR("task"), QUERY_TASK},
    {STR("task-todo"), QUERY_TASK_TODO},
    {STR("task-done"), QUERY_TASK_DONE},
};

static enum query_op op_named(str name)
{
    for (size_t i = 0; i < COUNT_OF(operators); i++)
        if (str_eq(operators[i].name, name))
            return operators[i].op;
    BUG("no operator " STR_FMT, STR_ARG(name));
}

/*
 * To ignore case beyond ASCII, text is searched with the regex engine; bytes that are not
 * UTF-8 have no case.
 */
static bool make_finder(struct arena *a, str text, bool match_case,
                        struct query_finder *out, struct err *err)
{
    bool has_case = !match_case && utf8_valid(text);
    out->needles = needles_create(a, &text, 1, has_case);
    if (out->needles != NULL)
        return true;
    return regex_compile(text,
                         REGEX_LITERAL | REGEX_BREAKS | (has_case ? REGEX_NOCASE : 0),
                         &out->regex, err);
}

/* The next word at or after *at; false if there is none. */
static bool next_word(str s, size_t *at, str *word)
{
    size_t start = *at;
    while (start < s.n && is_space(s.p[start]))
        start++;
    size_t end = start;
    while (end < s.n && !is_space(s.p[end]))
        end++;
    *at = end;
    *word = str_slice(s, start, end);
    return end > start;
}

static bool compile_phrase(struct arena *a, struct query_node *n, bool match_case,
                           struct err *err)
{
    str word;
    size_t count = 0;
    for (size_t at = 0; next_word(n->text, &at, &word);)
        count++;
    n->finders = ARENA_ARRAY(a, struct query_finder, count);
    for (size_t at = 0; next_word(n->text, &at, &word); n->n_finders++)
        if (!make_finder(a, word, match_case, &n->finders[n->n_finders], err))
            return false;
    return true;
}

/* JavaScript's syntax as regex.h takes it: \/ is a slash, (?<name> is (?P<name>. */
static str from_javascript(struct arena *a, str s)
{
    struct sbuf b = SBUF_ON(a);
    for (size_t i = 0; i < s.n; i++) {
        str rest = str_skip(s, i);
        if (rest.p[0] == '\\' && rest.n > 1) {
            if (rest.p[1] != '/')
                sbuf_char(&b, '\\');
            sbuf_char(&b, rest.p[1]);
            i++;
        } else if (str_starts(rest, STR("(?<")) && rest.n > 3 && rest.p[3] != '=' &&
                   rest.p[3] != '!') {
            sbuf_add(&b, STR("(?P<"));
            i += 2;
        } else {
            sbuf_char(&b, rest.p[0]);
        }
    }
    return sbuf_str(&b);
}

static bool compile_regex(struct arena *a, struct query_node *n, bool match_case,
                          struct err *err)
{
    struct err why = {0};
    if (regex_compile(from_javascript(a, n->text), match_case ? 0 : REGEX_NOCASE,
                      &n->regex, &why))
        return true;
    return err_set(err, why.code, "/" STR_FMT "/: %s", STR_ARG(str_slice(n->text, 0, 80)),
                   why.msg);
}

static bool compile(struct arena *a, const struct query *q, bool match_case,
                    struct query_node **out, struct err *err)
{
    struct query_node *n = ARENA_NEW(a, struct query_node), **last = &n->child;
    *out = n; /* even on failure, so that it is freed */
    n->kind = q->kind;
    n->cmp = q->cmp;
    n->text = arena_str(a, q->text);
    n->folded = utf8_fold(a, n->text);
    if (q->kind == QUERY_OPERATOR) {
        n->op = op_named(q->text);
        match_case = n->op == QUERY_MATCH_CASE ||
                     (match_case && n->op != QUERY_IGNORE_CASE && n->op != QUERY_TAG);
    }
    if (q->kind == QUERY_WORD || q->kind == QUERY_PHRASE) {
        if (!compile_phrase(a, n, match_case, err))
            return false;
    } else if (q->kind == QUERY_REGEX && !compile_regex(a, n, match_case, err)) {
        return false;
    }
    for (const struct query *c = q->child; c != NULL; c = c->next) {
        if (!compile(a, c, match_case, last, err))
            return false;
        last = &(*last)->next;
    }
    return true;
}

bool query_compile(const struct query *q, struct query_matcher **out, struct err *err)
{
    struct query_matcher *m = mem_zero(sizeof(*m));
    if (!compile(&m->arena, q, false, &m->root, err)) {
        query_matcher_free(m);
        return false;
    }
    *out = m;
    return true;
}

static void query_compile_release(struct query_node *n)
{
    for (; n != NULL; n = n->next) {
        for (size_t i = 0; i < n->n_finders; i++)
            regex_free(n->finders[i].regex);
        regex_free(n->regex);
        query_compile_release(n->child);
    }
}

void query_matcher_free(struct query_matcher *m)
{
    if (m == NULL)
        return;
    query_compile_release(m->root);
    arena_release(&m->arena);
    free(m);
}

bool query_find(const struct query_finder *f, struct regex_scratch *s, str text,
                size_t from, size_t *start, size_t *end)
{
    uint32_t first, last;
    if (f->needles != NULL)
        return needles_next(f->needles, text, from, start, end);
    if (from >= text.n || !regex_find(f->regex, s, str_skip(text, from), &first, &last))
        return false;
    *start = from + first;
    *end = from + last;
    return true;
}
