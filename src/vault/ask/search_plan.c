/* Which modes a search tries, in which order, and whether notes are ranked after that. */
#include "base/clock.h"
#include "base/utf8.h"
#include "vault/ask/query.h"
#include "vault/ask/search_correct.h"
#include "vault/ask/search_parts.h"
#include "vault/index/words_query.h"
#include "vault/text/textscan.h"

static void set_modes(struct search_plan *p)
{
    static const struct {
        enum search_mode modes[3];
        size_t n;
    } by_intent[] = {
        [QUERY_NOT_MEANT] = {{SEARCH_TEXT, SEARCH_FUSED}, 2},
        [QUERY_MAY_BE] = {{SEARCH_TEXT, SEARCH_QUERY, SEARCH_FUSED}, 3},
        [QUERY_MEANT] = {{SEARCH_QUERY, SEARCH_TEXT}, 2},
    };
    enum query_intent intent =
        p->query != NULL ? query_intent(p->query) : QUERY_NOT_MEANT;
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

/* Search again with corrected words; what was found before stays if that finds nothing. */
static void find_corrected(const struct index *x, struct search_plan *p)
{
    struct search_correction c;
    if (!p->asked->corrects || p->asked->mode == SEARCH_REGEX || has_answer(p) ||
        x->wordless ||
        !search_correct(x->words, p->asked->meaning, p->arena, p->asked->query, &c))
        return;
    struct search_plan before = *p;
    struct search *again = ARENA_NEW(p->arena, struct search);
    *again = *p->asked;
    again->query = c.query;
    p->search = again;
    read_query(p);
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
                       "there are no embeddings to search by meaning: search without a "
                       "mode, or set embeddings");
    if (p->corrected.n > 0) { /* of another version of the index */
        p->corrected = (str){0};
        p->search = p->asked;
        read_query(p);
    }
    search_set_deadline(p);
    find_as_read(x, p);
    find_corrected(x, p);
    if (!p->has_found && p->ranks == SEARCH_COMPLETE)
        *err = p->failed;
    return p->has_found || p->ranks != SEARCH_COMPLETE;
}

bool search_could_use_vector(const struct search_plan *p)
{
    return p->ranks != SEARCH_COMPLETE && p->has_words;
}

bool search_needs_vector(const struct search_plan *p)
{
    return p->search->meaning != NULL && search_could_use_vector(p);
}

bool search_run(const struct index *x, struct arena *a, const struct search *s,
                struct search_result *out, struct err *err)
{
    struct search_plan *p = search_read(a, s);
    return search_find(x, p, err) && search_rank(x, p, NULL, out, err);
}
