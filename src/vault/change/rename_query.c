/*
 * The names in queries of Dataview, which are in code blocks of notes. Where the parser
 * knows what a name means, it is rewritten. A query that has the name in another place as
 * well, or that is not understood, is left as it is and counted: half a change would be
 * worse than none. The same goes for dataviewjs and inline queries.
 */
#include "base/text.h"
#include "vault/change/rename_parts.h"
#include "vault/dql/dql.h"
#include "vault/dql/dql_uses.h"
#include "vault/eval/uses.h"
#include "vault/forms/base_source.h"
#include "vault/forms/code_block.h"
#include "vault/forms/queries.h"
#include "vault/index/file.h"

struct rename_query_walk {
    struct rename_visit *visit;
    const struct names *names;
    rename_name_fn *fn;
    void *arg;
};

/* --- what a text mentions --- */

enum query_piece { PIECE_OTHER, PIECE_WORD, PIECE_TAG, PIECE_TEXT, PIECE_LINK };

static size_t rename_query_skip_word(str text, size_t at)
{
    while (at < text.n && (is_alnum(text.p[at]) || text.p[at] == '_' ||
                           text.p[at] == '-' || (text.p[at] & 0x80) != 0))
        at++;
    return at;
}

/* The piece of a text at *at, which is moved past it; *value is what it names. */
static enum query_piece next_piece(str text, size_t *at, str *value)
{
    str rest = str_skip(text, *at);
    bool tag = rest.p[0] == '#', link = str_starts(rest, STR("[["));
    size_t word = rename_query_skip_word(rest, tag);
    size_t close = rest.p[0] == '"' ? str_find_char(str_skip(rest, 1), '"')
                   : link           ? str_find(str_skip(rest, 2), STR("]]"))
                                    : STR_NONE;
    if (close != STR_NONE) {
        size_t mark = link ? 2 : 1;
        *value = str_slice(rest, mark, mark + close);
        *at += close + 2 * mark;
        return link ? PIECE_LINK : PIECE_TEXT;
    }
    *value = str_slice(rest, tag, word);
    *at += word > 0 ? word : 1;
    return value->n == 0 ? PIECE_OTHER : tag ? PIECE_TAG : PIECE_WORD;
}

static bool would_change(const struct rename_query_walk *w, enum use_kind kind, str value)
{
    str now;
    return value.n > 0 && w->fn(w->arg, kind, value, &now);
}

/* Whether a word that ends at byte end may be the property: it is not a function or a
 * field of files. */
static bool may_be_property(str text, str word, size_t end)
{
    static const str of_file = STR("file.");
    size_t at = end - word.n;
    return (end == text.n || text.p[end] != '(') &&
           !(at >= of_file.n &&
             str_eq_nocase(str_slice(text, at - of_file.n, at), of_file));
}

/* Whether a text has something that gets another name; only words, or all pieces. */
static bool mentions(const struct rename_query_walk *w, str text, bool only_words)
{
    str value;
    for (size_t at = 0; at < text.n;) {
        enum query_piece piece = next_piece(text, &at, &value);
        bool found = piece == PIECE_WORD && may_be_property(text, value, at) &&
                     would_change(w, USE_PROPERTY, value);
        if (!only_words && piece == PIECE_TAG)
            found = would_change(w, USE_TAG, value);
        if (!only_words && piece == PIECE_LINK)
            found = would_change(w, USE_LINK, value);
        if (!only_words && piece == PIECE_TEXT)
            found = would_change(w, USE_FOLDER, value) ||
                    would_change(w, USE_PROPERTY, value) ||
                    (str_starts(value, STR("#")) &&
                     would_change(w, USE_TAG, str_skip(value, 1)));
        if (found)
            return true;
    }
    return false;
}

/* --- one query --- */

/* "Books" is a folder, or a note without its .md. */
static bool new_place(const struct rename_query_walk *w, str value, str *out)
{
    struct arena *a = w->visit->arena;
    str note = arena_printf(a, STR_FMT ".md", STR_ARG(value));
    bool bare = !str_ends(value, STR(".md"));
    if (w->fn(w->arg, USE_FOLDER, value, out))
        return true;
    if (!w->fn(w->arg, USE_PATH, bare ? note : value, out))
        return false;
    if (bare && str_ends(*out, STR(".md")))
        out->n -= 3;
    return true;
}

/* The splices of a query; false if a name cannot be written there. */
static bool rename_query_collect(const struct rename_query_walk *w,
                                 const struct use *uses, size_t n, struct splices *out)
{
    for (size_t i = 0; i < n; i++) {
        str now, written;
        bool changes = uses[i].kind == USE_FOLDER
                           ? new_place(w, uses[i].value, &now)
                           : w->fn(w->arg, uses[i].kind, uses[i].value, &now);
        if (!changes)
            continue;
        if (!dql_use_text(w->visit->arena, &uses[i], now, &written))
            return false;
        rename_splice_add(out, uses[i].start, uses[i].end, written);
    }
    return true;
}

/* Whether the name is in the query apart from its uses. */
static bool is_uncertain(const struct rename_query_walk *w, str text,
                         const struct use *uses, size_t n)
{
    size_t done = 0;
    for (size_t i = 0; i < n; i++) {
        if (mentions(w, str_slice(text, done, uses[i].start), true))
            return true;
        done = uses[i].end;
    }
    return mentions(w, str_skip(text, done), true);
}

static void splice_query(struct rename_visit *v, const struct base_source *s,
                         const struct splices *splices)
{
    for (size_t i = 0; i < splices->n; i++) {
        const struct rename_splice *p = &splices->items[i];
        size_t start = base_source_place(s, p->start);
        rename_splice_add(&v->splices, start, base_source_place(s, p->end - 1) + 1,
                          p->text);
    }
    v->links += splices->n;
}

static void visit_query(const struct rename_query_walk *w, const struct base_source *s)
{
    struct rename_visit *v = w->visit;
    struct value_reader r = {.arena = v->arena,
                             .names = w->names,
                             .source = v->file->path,
                             .source_id = v->file->id,
                             .dialect = &dialect_dql};
    struct splices splices = {.arena = v->arena};
    struct use *uses;
    size_t n;
    bool known = dql_uses(v->arena, &r, s->text, &uses, &n);
    if (!known ? mentions(w, s->text, false)
               : !rename_query_collect(w, uses, n, &splices) ||
                     is_uncertain(w, s->text, uses, n))
        v->left++;
    else if (known)
        splice_query(v, s, &splices);
}

/* --- all of a note --- */

/* What is not a query for dql_uses() is not changed, only counted. */
static void count_scripts(const struct rename_query_walk *w, const struct note *n)
{
    struct rename_visit *v = w->visit;
    struct span block;
    for (uint32_t i = 0; code_block_next(n, STR("dataviewjs"), &i, &block);)
        v->left += mentions(w, code_block_text(v->arena, n, block), false);
    for (uint32_t i = 0; i < n->n_regions; i++) {
        str code = span_of(n->text, n->regions[i].span);
        v->left += n->regions[i].kind == NOTE_INLINE_CODE && queries_is_inline(code) &&
                   mentions(w, code, false);
    }
}

void rename_visit_queries(struct rename_visit *v, const struct names *names,
                          rename_name_fn *fn, void *arg)
{
    struct rename_query_walk w = {v, names, fn, arg};
    const struct note *n = &v->file->note;
    struct base_source source;
    struct span block;
    if (!v->file->has_queries)
        return;
    for (uint32_t i = 0; code_block_next(n, STR("dataview"), &i, &block);) {
        base_source_of_block(v->arena, n, block, &source);
        visit_query(&w, &source);
    }
    count_scripts(&w, n);
}
