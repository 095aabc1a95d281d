/* Which modes a search tries, in which order, and whether notes are ranked after that. */
#include "base/chars.h"
#include "base/clock.h"
#include "base/sbuf.h"
#include "base/utf8.h"
#include "vault/ask/query.h"
#include "vault/ask/search_correct.h"
#include "vault/ask/search_parts.h"
#include "vault/index/words_query.h"
#include "vault/text/textscan.h"

/* The next phrase from *at on, with its quotes, which are apart from words. Those of an
 * operator (path:"a b") and of what is excluded (-"a b") belong to these. */
static bool next_phrase(str query, size_t *at, struct span *out)
{
    for (size_t i = *at; i < query.n; i++) {
        bool opens = query.p[i] == '"' &&
                     (i == 0 || is_space(query.p[i - 1]) || query.p[i - 1] == '(');
        if (!opens)
            continue;
        size_t end = i + 1;
        while (end < query.n && query.p[end] != '"')
            end++;
        bool closes =
            end < query.n && end > i + 1 &&
            (end + 1 == query.n || is_space(query.p[end + 1]) || query.p[end + 1] == ')');
        *at = end + 1;
        *out = (struct span){(uint32_t)i, (uint32_t)end + 1};
        if (closes)
            return true;
        i = end;
    }
    return false;
}

static bool has_phrase(str query)
{
    size_t at = 0;
    struct span ignored;
    return next_phrase(query, &at, &ignored);
}

bool search_is_phrases(str query)
{
    struct arena scratch = {0};
    const struct query *q;
    struct err ignored;
    bool plain = has_phrase(query) && query_parse(&scratch, query, &q, &ignored) &&
                 query_intent(q) == QUERY_NOT_MEANT;
    arena_release(&scratch);
    return plain;
}

/* The query without the quotes of its phrases. */
static str search_plan_unquote(struct arena *a, str query)
{
    struct sbuf out = SBUF_ON(a);
    struct span phrase;
    size_t done = 0;
    for (size_t at = 0; next_phrase(query, &at, &phrase); done = phrase.end) {
        sbuf_add(&out, str_slice(query, done, phrase.start));
        sbuf_add(&out, str_slice(query, phrase.start + 1, phrase.end - 1));
    }
    sbuf_add(&out, str_skip(query, done));
    return sbuf_str(&out);
}

static void set_modes(struct search_plan *p)
{
    enum { PHRASE = QUERY_MEANT + 1 };
    static const struct {
        enum search_mode modes[3];
        size_t n;
    } by_intent[] = {
        [QUERY_NOT_MEANT] = {{SEARCH_TEXT, SEARCH_FUSED}, 2},
        [QUERY_MAY_BE] = {{SEARCH_TEXT, SEARCH_QUERY, SEARCH_FUSED}, 3},
        [QUERY_MEANT] = {{SEARCH_QUERY, SEARCH_TEXT}, 2},
        [PHRASE] = {{SEARCH_QUERY, SEARCH_TEXT, SEARCH_FUSED}, 3},
    };
    int intent = p->query != NULL ? (int)query_intent(p->query) : QUERY_NOT_MEANT;
    if (intent == QUERY_NOT_MEANT && p->query != NULL && has_phrase(p->search->query))
        intent = PHRASE;
    p->modes[0] = p->search->mode;
    p->n_modes = 1;
    if (p->search->mode != SEARCH_AUTO)
        return;
    p->n_modes = by_intent[intent].n;
    for (size_t i = 0; i < p->n_modes; i++)
        p->modes[i] = by_intent[intent].modes[i];
}

static bool is_by_meaning(enum search_mode mode)
{
    return mode == SEARCH_FUSED || mode == SEARCH_MEANING;
}

/* Read the query of p->search. */
static void read_query(struct search_plan *p)
{
    const struct search *s = p->search;
    struct arena *a = p->arena;
    p->query = NULL;
    p->text_words = 0;
    if ((s->mode == SEARCH_AUTO || s->mode == SEARCH_QUERY) &&
        !query_parse(a, s->query, &p->query, &p->no_query))
        p->query = NULL;
    set_modes(p);
    enum search_mode last = p->modes[p->n_modes - 1];
    p->has_words = (is_by_meaning(last) || last == SEARCH_WORDS) &&
                   words_read_query(a, s->query, &p->words, &p->no_words);
    if (p->has_words && p->n_modes > 1)
        p->text_words = p->words.n;
}

struct search_plan *search_read(struct arena *a, const struct search *s)
{
    struct search_plan *p = ARENA_NEW(a, struct search_plan);
    *p = (struct search_plan){.asked = s, .search = s, .arena = a};
    read_query(p);
    return p;
}

const struct search *search_of(const struct search_plan *p)
{
    return p->asked;
}

str search_question(const struct search_plan *p)
{
    return p->search->query;
}

/* "#work" means tags, wherever they are; filters ask for more than the text. */
bool search_is_for_text(const struct search_plan *p)
{
    const struct search *s = p->search;
    return p->modes[0] == SEARCH_TEXT && s->query.n > 0 &&
           s->query.n <= TEXTSCAN_NEEDLE_MAX && utf8_valid(s->query) &&
           !str_starts(s->query, STR("#")) && s->folder.n == 0 && s->tag.n == 0 &&
           s->n_globs == 0 && !s->excluded;
}

/* Whether notes are ranked, too, because few files have the text. */
static bool adds_near(const struct search_plan *p)
{
    const struct search_result *r = &p->found;
    return r->files < SEARCH_BEST && !r->partial && p->text_words > 0;
}

/* The first mode of several. */
static void find_first(const struct index *x, struct search_plan *p, struct search *as)
{
    bool by_file = as->by_file;
    as->mode = p->modes[0];
    as->by_score = p->text_words > 1;
    as->by_file = true;
    p->has_found = search_in_mode(x, p, as, &p->found, &p->failed);
    as->no_suggestions = true;
    as->by_file = by_file;
}

/* If nothing is found, the answer is that of the first mode: its error or suggestions. */
static void find_in_turn(const struct index *x, struct search_plan *p)
{
    struct search as = *p->search;
    find_first(x, p, &as);
    if (p->has_found && (p->found.total > 0 || p->found.partial)) {
        p->ranks = adds_near(p) ? SEARCH_ADDS_NEAR : SEARCH_COMPLETE;
        return;
    }
    for (size_t i = 1; i < p->n_modes; i++) {
        struct search_result other = {0};
        struct err ignored;
        as.mode = p->modes[i];
        if (is_by_meaning(as.mode)) {
            p->ranks = SEARCH_RANKS;
        } else if (search_in_mode(x, p, &as, &other, &ignored) && other.total > 0) {
            p->found = other;
            p->has_found = true;
            return;
        }
        p->found.partial |= other.partial;
    }
}

void search_set_deadline(struct search_plan *p)
{
    unsigned ms = p->search->within_ms;
    p->deadline = ms > 0 ? clock_ns() + ms * UINT64_C(1000000) : 0;
}

/* In the modes of the query as it is now. */
static void find_as_read(const struct index *x, struct search_plan *p)
{
    const struct search *s = p->search;
    p->has_found = false;
    p->ranks = SEARCH_COMPLETE;
    if (p->n_modes > 1)
        find_in_turn(x, p);
    else if (is_by_meaning(s->mode))
        p->ranks = SEARCH_RANKS;
    else
        p->has_found = search_in_mode(x, p, s, &p->found, &p->failed);
}

/* Whether files have what is asked for, as it was asked. */
static bool has_answer(const struct search_plan *p)
{
    return p->has_found && (p->found.total > 0 || p->found.partial) &&
           !(p->search->mode == SEARCH_WORDS && p->found.any);
}

/* Read another query instead, for the same search. */
static void read_again(struct search_plan *p, str query)
{
    struct search *again = ARENA_NEW(p->arena, struct search);
    *again = *p->asked;
    again->query = query;
    p->search = again;
    read_query(p);
}

/* Search again without the quotes of phrases; what was found before stays if that finds
 * nothing. By meaning alone, phrases say which notes are ranked. */
static void find_unquoted(const struct index *x, struct search_plan *p)
{
    if (!p->asked->unquotes || p->asked->mode == SEARCH_REGEX ||
        is_by_meaning(p->asked->mode) || has_answer(p) || !has_phrase(p->asked->query))
        return;
    struct search_plan before = *p;
    read_again(p, search_plan_unquote(p->arena, p->asked->query));
    find_as_read(x, p);
    p->unquoted = p->ranks != SEARCH_COMPLETE || (p->has_found && p->found.total > 0);
    if (!p->unquoted)
        *p = before;
}

/* Search again with corrected words; what was found before stays if that finds nothing. */
static void find_corrected(const struct index *x, struct search_plan *p)
{
    struct search_correction c;
    if (!p->asked->corrects || p->asked->mode == SEARCH_REGEX || has_answer(p) ||
        x->wordless ||
        !search_correct(x->words, p->asked->meaning, p->arena, p->search->query, &c))
        return;
    struct search_plan before = *p;
    read_again(p, c.query);
    find_as_read(x, p);
    if (p->ranks != SEARCH_COMPLETE || (p->has_found && p->found.total > 0))
        p->corrected = p->found.corrected = c.note;
    else
        *p = before;
}

bool search_find(const struct index *x, struct search_plan *p, struct err *err)
{
    if (p->asked->mode == SEARCH_MEANING && p->asked->meaning == NULL)
        return err_set(err, ERR_INVALID,
                       "search by meaning is not set up here: search without a mode");
    if (p->search != p->asked) { /* of another version of the index */
        p->corrected = (str){0};
        p->unquoted = false;
        p->search = p->asked;
        read_query(p);
    }
    search_set_deadline(p);
    find_as_read(x, p);
    find_unquoted(x, p);
    find_corrected(x, p);
    if (!p->has_found && p->ranks == SEARCH_COMPLETE)
        *err = p->failed;
    return p->has_found || p->ranks != SEARCH_COMPLETE;
}

bool search_could_use_vector(const struct search_plan *p)
{
    return p->ranks == SEARCH_RANKS && p->has_words;
}

bool search_needs_vector(const struct search_plan *p)
{
    return p->ranks != SEARCH_COMPLETE && p->search->meaning != NULL && p->has_words;
}

bool search_run(const struct index *x, struct arena *a, const struct search *s,
                struct search_result *out, struct err *err)
{
    struct search_plan *p = search_read(a, s);
    return search_find(x, p, err) && search_rank(x, p, NULL, out, err);
}
