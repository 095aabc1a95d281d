/*
 * Suggestions when nothing was found: the tags that tag: may mean; or corrections of
 * words that the vault does not have, and titles similar to the query, which are compared
 * by their pairs of letters (title_bigrams.h).
 */
#include "base/sbuf.h"
#include "base/utf8.h"
#include "vault/ask/find.h"
#include "vault/ask/query.h"
#include "vault/ask/search_correct.h"
#include "vault/ask/search_parts.h"
#include "vault/eval/filter.h"
#include "vault/index/file.h"
#include "vault/index/index.h"
#include "vault/index/tags.h"
#include "vault/index/title_bigrams.h"
#include "vault/index/words.h"

enum {
    QUERY_SHOWN = 256,   /* bytes of the query that are considered */
    UNKNOWN_MAX = 3,     /* words to correct */
    CORRECTIONS_MAX = 2, /* corrections per word */
    NEAR_ENOUGH = 100,   /* points, see nearness() */
};

/* --- the words of the query --- */

static void add_leaves(struct sbuf *b, const struct query *q)
{
    if (q->kind == QUERY_NOT)
        return;
    if (q->kind == QUERY_WORD || q->kind == QUERY_PHRASE) {
        sbuf_add(b, q->text);
        sbuf_char(b, ' ');
    }
    for (const struct query *c = q->child; c != NULL; c = c->next)
        add_leaves(b, c);
}

/* Syntax becomes spaces, and so does a backslash with the character after it. */
static void add_plain(struct sbuf *b, str text, str syntax)
{
    for (size_t i = 0; i < text.n; i++) {
        bool plain = str_find_char(syntax, text.p[i]) == STR_NONE;
        sbuf_char(b, plain ? text.p[i] : ' ');
        i += !plain && text.p[i] == '\\';
    }
}

/* The query without syntax. */
static str plain_words(struct search_job *job)
{
    struct sbuf b = SBUF_ON(job->arena);
    str query = job->search->query;
    switch (job->search->mode) {
    case SEARCH_TEXT: /* remove what words.h would read as syntax */
    case SEARCH_NAMES:
        add_plain(&b, query, STR("\"*-"));
        break;
    case SEARCH_REGEX:
        add_plain(&b, query, STR("\\^$.*+?()[]{}|"));
        break;
    case SEARCH_WORDS:
    case SEARCH_MEANING:
    case SEARCH_FUSED:
    case SEARCH_AUTO: /* is one of the others by now */
        sbuf_add(&b, query);
        break;
    case SEARCH_QUERY:
        add_leaves(&b, job->plan->query);
        break;
    }
    return utf8_cut(str_trim_line(sbuf_str(&b)), QUERY_SHOWN);
}

static void search_suggest_add(struct search_result *out, str suggestion)
{
    for (size_t i = 0; i < out->n_suggestions; i++)
        if (str_eq(out->suggestions[i], suggestion))
            return;
    out->suggestions[out->n_suggestions++] = suggestion;
}

static void correct_words(struct search_job *job, str words)
{
    const struct words *index = job->index->words;
    struct search_result *out = job->out;
    struct words_result r;
    struct err ignored;
    if (!words_search_text(index, job->arena, words, 0, 0, NULL, NULL, &r, &ignored))
        return;
    if (job->search->mode == SEARCH_TEXT && !r.any && !r.loose &&
        filter_is_open(&job->filter))
        out->with_words = r.total;
    for (size_t i = 0; i < r.n_missing && i < UNKNOWN_MAX; i++) {
        str *near;
        size_t n = words_suggest(index, job->arena, r.missing[i], CORRECTIONS_MAX, &near);
        for (size_t k = 0; k < n && out->n_suggestions < SEARCH_WORDS_MAX; k++)
            if (search_is_slip(r.missing[i], near[k]))
                search_suggest_add(out, near[k]);
    }
}

/* --- tags --- */

/* For each tag: of the query, those that may be meant. */
static void add_tags(struct search_job *job, const struct query *q)
{
    bool of_tag = q->kind == QUERY_OPERATOR && str_eq(q->text, STR("tag"));
    struct search_result *out = job->out;
    str near[FIND_TAGS_MAX];
    struct tag known;
    if (of_tag && q->child->text.n > 0 &&
        !tags_find(job->index->tags, q->child->text, &known)) {
        size_t n = find_near_tags(job->index, job->arena, q->child->text, near);
        for (size_t i = 0; i < n && out->n_suggestions < SEARCH_WORDS_MAX; i++)
            search_suggest_add(
                out, arena_printf(job->arena, "tag:#" STR_FMT, STR_ARG(near[i])));
    }
    for (const struct query *c = q->child; !of_tag && c != NULL; c = c->next)
        add_tags(job, c);
}

/* --- titles --- */

/* In hundredths: how similar both are, plus how much of the query is in the title. They
 * have some of their pairs in common. */
static unsigned nearness(unsigned of_query, unsigned of_title, unsigned common)
{
    return 200 * common / (of_query + of_title + 1) + 100 * common / (of_query + 1);
}

/* The least number of pairs that a title must have in common with the query. */
static unsigned least_common(unsigned of_query)
{
    unsigned n = 1;
    while (nearness(of_query, n, n) < NEAR_ENOUGH)
        n++;
    return n;
}

struct near_title {
    unsigned points;
    const struct file *file;
};

static bool is_nearer(struct near_title a, struct near_title b)
{
    return a.points != b.points ? a.points > b.points
                                : str_cmp(a.file->path, b.file->path) < 0;
}

/* Keep the nearest in order. Returns their number. */
static size_t keep_nearest(struct near_title best[SEARCH_TITLES_MAX], size_t n,
                           struct near_title t)
{
    if (t.points < NEAR_ENOUGH || (n == SEARCH_TITLES_MAX && !is_nearer(t, best[n - 1])))
        return n;
    size_t at = n < SEARCH_TITLES_MAX ? n++ : n - 1;
    for (; at > 0 && is_nearer(t, best[at - 1]); at--)
        best[at] = best[at - 1];
    best[at] = t;
    return n;
}

static void add_titles(struct search_job *job, str words)
{
    struct near_title best[SEARCH_TITLES_MAX];
    size_t n = 0;
    struct title_bigrams_set query = title_bigrams_of(words);
    unsigned of_query = title_bigrams_count(&query);
    file_id *ids;
    size_t n_ids = title_bigrams_sharing(index_title_bigrams(job->index), job->arena,
                                         &query, least_common(of_query), &ids);
    for (size_t i = 0; i < n_ids; i++) {
        const struct file *f = job->index->files[ids[i]];
        if (!search_asks(job, f))
            continue;
        struct title_bigrams_set title = title_bigrams_of(file_title(f->path));
        unsigned points = nearness(of_query, title_bigrams_count(&title),
                                   title_bigrams_common(&query, &title));
        n = keep_nearest(best, n, (struct near_title){points, f});
    }
    for (size_t i = 0; i < n; i++)
        search_suggest_add(job->out, file_title(best[i].file->path));
}

void search_suggest(struct search_job *job)
{
    job->out->suggestions =
        ARENA_ARRAY(job->arena, str, SEARCH_WORDS_MAX + SEARCH_TITLES_MAX);
    if (job->search->mode == SEARCH_QUERY)
        add_tags(job, job->plan->query);
    if (job->out->n_suggestions > 0)
        return;
    str words = plain_words(job);
    correct_words(job, words);
    add_titles(job, words);
}
