#include "vault/ask/query_match.h"

#include "base/array.h"
#include "base/path.h"
#include "base/sort.h"
#include "base/text.h"
#include "base/utf8.h"
#include "vault/ask/query_node.h"
#include "vault/text/regex.h"

/* Where plain terms are searched. */
enum query_match_place {
    ANYWHERE, /* content, and names of notes, canvases and bases */
    IN_TEXT,  /* a piece of the content */
    IN_NAME,
    IN_PATH,
    IN_TAGS,
};

struct scope {
    enum query_match_place place;
    struct query_piece piece; /* of the content */
};

static bool eval(struct query_run *run, const struct query_node *n,
                 const struct scope *scope, bool record);

void query_add_span(struct query_run *run, size_t start, size_t end)
{
    struct query_hits *h = run->hits;
    if (h->n == QUERY_SPANS_MAX || start >= end)
        return;
    *ARRAY_ADD_CAP(run->arena, h->spans, h->n, run->cap) =
        (struct span){(uint32_t)start, (uint32_t)end};
}

/* A letter that forms a word with its neighbours. */
static bool in_word(uint32_t c)
{
    return c == '_' || (utf8_is_word(c) && !utf8_is_cjk(c));
}

static uint32_t char_before(str s, size_t at)
{
    size_t back = 1, n;
    if (at == 0)
        return ' ';
    while (back < 4 && back < at && ((unsigned char)s.p[at - back] & 0xC0) == 0x80)
        back++;
    return utf8_decode(str_slice(s, at - back, at), &n);
}

static uint32_t char_at(str s, size_t at)
{
    size_t n;
    return at < s.n ? utf8_decode(str_skip(s, at), &n) : ' ';
}

/* No word continues across at. */
static bool is_border(str s, size_t at)
{
    return !in_word(char_before(s, at)) || !in_word(char_at(s, at));
}

static size_t query_match_skip_blanks(str s, size_t at)
{
    while (at < s.n && is_space(s.p[at]))
        at++;
    return at;
}

/* Match the words of a phrase from the second on, after *at; sets *at to their end. */
static bool continues(struct query_run *run, const struct query_node *n, str text,
                      size_t *at)
{
    enum {
        WIDEST = 3
    }; /* a letter in the other case may need this many times its bytes */
    for (size_t i = 1; i < n->n_finders; i++) {
        size_t from = query_match_skip_blanks(text, *at), start, end;
        str near = str_slice(text, from, from + n->text.n * WIDEST + 4);
        if (from == *at ||
            !query_find(&n->finders[i], run->scratch, near, 0, &start, &end) || start > 0)
            return false;
        *at = from + end;
    }
    return true;
}

static bool find_words(struct query_run *run, const struct query_node *n, str text,
                       size_t from, size_t *start, size_t *end)
{
    bool phrase = n->kind == QUERY_PHRASE;
    for (; query_find(&n->finders[0], run->scratch, text, from, start, end);
         from = *start + 1)
        if (continues(run, n, text, end) &&
            (!phrase || (is_border(text, *start) && is_border(text, *end))))
            return true;
    return false;
}

struct query_match_lines {
    struct query_run *run;
    size_t offset;
    bool record, found;
};

static bool query_match_take_line(void *arg, const struct regex_hit *hit)
{
    struct query_match_lines *l = arg;
    l->found = true;
    if (l->record)
        query_add_span(l->run, l->offset + hit->start, l->offset + hit->end);
    return l->record && l->run->hits->n < QUERY_SPANS_MAX;
}

static bool regex_in(struct query_run *run, const struct query_node *n, str text,
                     size_t offset, bool record)
{
    struct query_match_lines l = {run, offset, record, false};
    if (!regex_lines(n->regex, run->scratch, text, query_match_take_line, &l,
                     run->file->stop, run->file->stop_arg))
        run->limited = true;
    return l.found;
}

bool query_leaf_in(struct query_run *run, const struct query_node *n, str text,
                   size_t offset, bool record)
{
    if (n->kind == QUERY_REGEX)
        return regex_in(run, n, text, offset, record);
    if (n->n_finders == 0) /* "" matches everywhere */
        return true;
    bool found = false;
    for (size_t start, end = 0; find_words(run, n, text, end, &start, &end);) {
        found = true;
        if (!record || run->hits->n == QUERY_SPANS_MAX)
            break;
        query_add_span(run, offset + start, offset + end);
    }
    return found;
}

/* The name as Obsidian shows it: without the extension of its own file types. */
static bool shown_name(str path, str *out)
{
    static const str kinds[] = {STR("md"), STR("canvas"), STR("base")};
    str name = path_name(path), extension = path_extension(path);
    for (size_t i = 0; i < COUNT_OF(kinds); i++)
        if (str_eq_nocase(extension, kinds[i])) {
            *out = str_slice(name, 0, name.n - extension.n - 1);
            return true;
        }
    return false;
}

static bool in_name(struct query_run *run, const struct query_node *n, str name,
                    bool record)
{
    bool found = query_leaf_in(run, n, name, 0, false);
    if (found && record)
        run->hits->in_name = true;
    return found;
}

/* tag is the wanted tag or nested in it. */
static bool query_match_is_tag(struct query_run *run, const struct query_node *n, str tag)
{
    if (n->kind == QUERY_REGEX)
        return query_leaf_in(run, n, tag, 0, false);
    str want = n->folded, have = utf8_fold(run->arena, tag);
    want = str_starts(want, STR("#")) ? str_skip(want, 1) : want;
    want = str_ends(want, STR("/")) ? str_slice(want, 0, want.n - 1) : want;
    return path_is_or_below(want, have);
}

/* Tags in that piece of the body. */
static bool in_body_tags(struct query_run *run, const struct query_node *n,
                         struct span piece, bool record)
{
    const struct note *note = run->file->note;
    bool found = false;
    for (uint32_t i = 0; note != NULL && i < note->n_tags; i++) {
        struct span s = note->tags[i].name;
        if (s.start < piece.start || s.end > piece.end ||
            !query_match_is_tag(run, n, span_of(note->text, s)))
            continue;
        found = true;
        if (!record)
            break;
        query_add_span(run, s.start - 1, s.end); /* with its # */
    }
    return found;
}

static bool in_tags(struct query_run *run, const struct query_node *n, struct span piece,
                    bool record)
{
    const struct query_file *file = run->file;
    bool found = false;
    if (piece.start > 0 || piece.end < file->text.n)
        return in_body_tags(run, n, piece, record);
    for (size_t i = 0; !found && i < file->tags.n; i++)
        found = query_match_is_tag(run, n, file->tags.items[i]);
    if (found && record)
        in_body_tags(run, n, piece, true);
    return found;
}

static bool eval_leaf(struct query_run *run, const struct query_node *n,
                      const struct scope *scope, bool record)
{
    const struct query_file *file = run->file;
    struct span s = scope->piece.span;
    str name;
    bool found;
    switch (scope->place) {
    case IN_NAME:
        return in_name(run, n, utf8_nfc(run->arena, path_name(file->path)), record);
    case IN_PATH:
        return in_name(run, n, utf8_nfc(run->arena, file->path), record);
    case IN_TAGS:
        return in_tags(run, n, s, record);
    case IN_TEXT:
        return query_leaf_in(run, n, span_of(file->text, s), s.start, record);
    case ANYWHERE:
        break;
    }
    found = query_leaf_in(run, n, span_of(file->text, s), s.start, record);
    if (found && !record)
        return true;
    return (shown_name(file->path, &name) && in_name(run, n, name, record)) || found;
}

/*
 * False if no piece can match, decided by one look at the whole text. Negations may hold
 * in some piece, and operators with pieces of their own are evaluated later: both are
 * possible.
 */
static bool is_possible(struct query_run *run, const struct query_node *n, str text)
{
    bool all = n->kind == QUERY_AND;
    switch (n->kind) {
    case QUERY_WORD:
    case QUERY_PHRASE: {
        size_t start, end;
        return n->n_finders == 0 ||
               query_find(&n->finders[0], run->scratch, text, 0, &start, &end);
    }
    case QUERY_AND:
    case QUERY_OR:
        for (const struct query_node *c = n->child; c != NULL; c = c->next)
            if (is_possible(run, c, text) != all)
                return !all;
        return all;
    default:
        return true;
    }
}

/* Whether some piece matches; if hits are recorded, all pieces are tried. */
static bool eval_pieces(struct query_run *run, const struct query_node *n,
                        const struct scope *scope, bool record)
{
    struct query_pieces it = {.op = n->op, .within = scope->piece.below};
    struct scope inner = {.place = IN_TEXT};
    bool found = false, any = n->op >= QUERY_TASK;
    if (!is_possible(run, n->child, span_of(run->file->text, it.within)))
        return false;
    while (query_next_piece(run->file, &it, &inner.piece)) {
        size_t before = run->hits != NULL ? run->hits->n : 0;
        if (!eval(run, n->child, &inner, record))
            continue;
        found = true;
        if (!record)
            break;
        struct span s = inner.piece.span;
        if (any && run->hits->n == before) /* task:"" */
            query_add_span(run, s.start, s.end);
    }
    return found;
}

static bool eval_operator(struct query_run *run, const struct query_node *n,
                          const struct scope *scope, bool record)
{
    struct scope inner = *scope;
    switch (n->op) {
    case QUERY_MATCH_CASE:
    case QUERY_IGNORE_CASE: /* already in the leaves */
        break;
    case QUERY_FILE:
        inner.place = IN_NAME;
        break;
    case QUERY_PATH:
        inner.place = IN_PATH;
        break;
    case QUERY_CONTENT:
        inner.place = IN_TEXT;
        break;
    case QUERY_TAG:
        inner.place = IN_TAGS;
        break;
    default:
        return eval_pieces(run, n, scope, record);
    }
    return eval(run, n->child, &inner, record);
}

static bool eval_list(struct query_run *run, const struct query_node *n,
                      const struct scope *scope, bool record)
{
    bool all = n->kind == QUERY_AND, found = all;
    for (const struct query_node *c = n->child; c != NULL; c = c->next) {
        bool one = eval(run, c, scope, record);
        if (one == all)
            continue;
        if (all || !record)
            return !all;
        found = true; /* OR: the other branches may add spans */
    }
    return found;
}

static bool eval_node(struct query_run *run, const struct query_node *n,
                      const struct scope *scope, bool record)
{
    switch (n->kind) {
    case QUERY_WORD:
    case QUERY_PHRASE:
    case QUERY_REGEX:
        return eval_leaf(run, n, scope, record);
    case QUERY_AND:
    case QUERY_OR:
        return eval_list(run, n, scope, record);
    case QUERY_NOT:
        return !eval(run, n->child, scope, false);
    case QUERY_OPERATOR:
        return eval_operator(run, n, scope, record);
    case QUERY_PROPERTY:
        return query_property(run, n, record);
    case QUERY_NULL:
    case QUERY_COMPARE:
        break;
    }
    return false;
}

/* A term that does not match leaves no spans. */
static bool eval(struct query_run *run, const struct query_node *n,
                 const struct scope *scope, bool record)
{
    size_t before = record ? run->hits->n : 0;
    bool named = record && run->hits->in_name;
    if (eval_node(run, n, scope, record))
        return true;
    if (record) {
        run->hits->n = before;
        run->hits->in_name = named;
    }
    return false;
}

static int query_match_by_start(const void *a, const void *b)
{
    const struct span *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return (x->end < y->end) - (x->end > y->end);
}

/* Sort by start and drop nested spans. */
static void tidy(struct query_hits *h)
{
    size_t n = 0;
    if (h->n > 0)
        sort_items(h->spans, h->n, sizeof(*h->spans), query_match_by_start);
    for (size_t i = 0; i < h->n; i++)
        if (n == 0 || h->spans[i].end > h->spans[n - 1].end)
            h->spans[n++] = h->spans[i];
    h->n = n;
}

bool query_match(const struct query_matcher *m, struct regex_scratch *scratch,
                 struct arena *a, const struct query_file *file, struct query_hits *hits)
{
    struct query_run run = {.scratch = scratch, .arena = a, .file = file, .hits = hits};
    struct span all = {0, (uint32_t)file->text.n};
    struct scope scope = {.place = ANYWHERE, .piece = {all, all}};
    if (hits != NULL)
        *hits = (struct query_hits){0};
    /* Most files do not match, so positions are collected in a second pass. */
    bool matches = eval(&run, m->root, &scope, false);
    if (hits != NULL) {
        if (matches)
            eval(&run, m->root, &scope, true);
        tidy(hits);
        hits->limited = run.limited;
    }
    return matches;
}
