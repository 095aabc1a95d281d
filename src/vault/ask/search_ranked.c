/*
 * Notes ranked by any word of the query and by meaning, fused (rank_fusion.h); or by
 * meaning alone. Each is shown by the line that says why it is here: of what it has of
 * the words, or of its nearest chunk, whichever counted more.
 */
#include "base/sort.h"
#include "vault/ask/search_parts.h"
#include "vault/ask/search_passage.h"
#include "vault/eval/filter.h"
#include "vault/index/file.h"
#include "vault/index/words.h"
#include "vault/meaning/meaning.h"
#include "vault/meaning/rank_fusion.h"

/* Notes below this part of the best score are left out: they are rarely what is meant,
 * and would be half of an answer. */
static const float tail = 0.5F;

struct ranked_note {
    const struct file *file;
    float words, meaning;            /* from 0 to 1: rank_fusion.h */
    bool all;                        /* it has every word */
    const struct meaning_near *near; /* NULL: not by meaning */
    float score;
    bool first; /* it has all words of a query that was corrected, so they were meant */
};

struct ranking {
    struct search_job *job;
    const struct meaning_query *question; /* NULL: only by words */
    struct wanted_words wanted;
    struct wanted_words asked; /* also common words */
    struct words_result words;
    struct words_set passes; /* the filters of the query; no bits: there are none */
    struct meaning_near *near;
    size_t n_near;
    struct rank_fusion fuse;
    struct ranked_note *notes;
    size_t n;
    bool all; /* a note has every word */
    bool complete;
};

static bool passes(void *arg, const struct file *f)
{
    struct ranking *r = arg;
    return !f->excluded && filter_takes(&r->job->filter, f) &&
           (r->passes.bits == NULL || words_set_has(&r->passes, f->id));
}

static void search_ranked_find_near(struct ranking *r)
{
    struct search_job *job = r->job;
    const struct search *s = job->search;
    if (r->question == NULL || r->question->numbers == 0)
        return;
    struct meaning_state state = meaning_state(s->meaning, job->index, job->arena);
    size_t known = state.embedded + state.unread;
    r->passes = search_filter_words(job);
    r->n_near = meaning_near(s->meaning, job->index, job->arena, r->question, passes, r,
                             SEARCH_RANKED, &r->near);
    r->fuse.weak = state.weak;
    job->out->covered = state.chunks > 0 ? (unsigned)(known * 100 / state.chunks) : 100;
    if (r->n_near > 0) {
        r->fuse.best = r->near[0].cosine;
        r->fuse.last = r->near[r->n_near - 1].cosine;
    }
}

/*
 * Whether the notes that match the words best are in a language that the model cannot read:
 * then the question is, too, and what the model finds near is noise. A short question is not
 * enough to tell.
 */
static bool is_foreign(const struct ranking *r)
{
    const struct search_job *job = r->job;
    float all = 0, unread = 0;
    for (size_t i = 0; i < r->words.n && i < SEARCH_BEST; i++) {
        struct words_hit hit = r->words.hits[i];
        all += hit.score;
        if (meaning_is_unread(job->search->meaning, index_file(job->index, hit.id)))
            unread += hit.score;
    }
    return unread > all / 2;
}

/* By words, then by meaning if it can help. */
static void search_ranked_find(struct ranking *r)
{
    struct search_job *job = r->job;
    search_find_words(job, words_rank, 0, SEARCH_RANKED, &r->words);
    if (r->question != NULL)
        job->out->no_meaning = r->question->why;
    if (r->question != NULL && r->question->numbers > 0 && is_foreign(r))
        job->out->no_meaning =
            STR("the model does not support the language of the question");
    else
        search_ranked_find_near(r);
    if (job->search->mode != SEARCH_FUSED && r->n_near > 0)
        r->words = (struct words_result){0};
}

/* --- names --- */

/* Whether all words of a name are in the question. */
struct naming {
    const struct wanted_words *wanted;
    bool named;
};

static bool read_name(void *arg, str folded, size_t start, size_t end)
{
    struct naming *n = arg;
    n->named = false;
    for (size_t i = 0; i < n->wanted->n && !n->named; i++)
        n->named = !n->wanted->items[i].open && str_eq(n->wanted->items[i].text, folded);
    return n->named;
}

static bool search_ranked_is_named(const struct ranking *r, str name)
{
    struct naming n = {.wanted = &r->asked};
    words_split(r->job->arena, name, read_name, &n);
    return n.named;
}

static bool names_note(const struct ranking *r, const struct file *f)
{
    bool named = search_ranked_is_named(r, file_title(f->path));
    for (size_t i = 0; i < f->aliases.n && !named; i++)
        named = search_ranked_is_named(r, f->aliases.items[i]);
    return named;
}

static int best_note_first(const void *a, const void *b)
{
    const struct ranked_note *x = a, *y = b;
    if (x->first != y->first)
        return x->first ? -1 : 1;
    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    return str_cmp(x->file->path, y->file->path);
}

/* All notes of both, each once. */
static void unite(struct ranking *r)
{
    const struct index *x = r->job->index;
    struct ranked_note **by_id = ARENA_ARRAY(r->job->arena, struct ranked_note *, x->n);
    r->notes = ARENA_ARRAY(r->job->arena, struct ranked_note, r->words.n + r->n_near);
    for (size_t i = 0; i < r->words.n; i++) {
        struct words_hit hit = r->words.hits[i];
        by_id[hit.id] = &r->notes[r->n++];
        *by_id[hit.id] = (struct ranked_note){.file = index_file(x, hit.id),
                                              .words = hit.score, /* as BM25 yet */
                                              .all = hit.words == r->words.words};
        r->all |= by_id[hit.id]->all;
    }
    for (size_t i = 0; i < r->n_near; i++) {
        file_id id = r->near[i].file->id;
        if (by_id[id] == NULL)
            by_id[id] = &r->notes[r->n++];
        by_id[id]->file = r->near[i].file;
        by_id[id]->near = &r->near[i];
    }
}

static void order(struct ranking *r)
{
    for (size_t i = 0; i < r->n; i++) {
        struct ranked_note *n = &r->notes[i];
        float cosine = n->near != NULL ? n->near->cosine : RANK_FUSION_FAR;
        n->words =
            rank_fusion_words(&r->fuse, n->words, n->words > 0 && names_note(r, n->file));
        n->meaning = rank_fusion_meaning(&r->fuse, cosine);
        n->score = r->n_near == 0       ? n->words
                   : r->fuse.ideal == 0 ? cosine
                                        : rank_fusion_score(n->words, n->meaning);
        n->first = r->job->plan->corrected.n > 0 && n->all;
    }
    if (r->n > 1)
        sort_items(r->notes, r->n, sizeof(*r->notes), best_note_first);
}

/* Notes with every word stay, and so do the first ones. */
static void cut_tail(struct ranking *r)
{
    size_t n = 0;
    float least = r->n > 0 ? tail * r->notes[0].score : 0;
    for (size_t i = 0; i < r->n; i++)
        if (i < SEARCH_BEST || r->notes[i].all || r->notes[i].score >= least)
            r->notes[n++] = r->notes[i];
    r->n = n;
}

/* Score and order the notes; complete, unless the search had to stop. */
static bool rank_notes(struct ranking *r, struct err *err)
{
    struct search_job *job = r->job;
    const struct search_plan *p = job->plan;
    if (!p->has_words) {
        *err = p->no_words;
        return false;
    }
    job->out->covered = 100; /* unless vectors say otherwise */
    search_read_wanted(&p->words, &r->wanted);
    search_unread(job);
    if (search_stopped(job))
        return true;
    search_ranked_find(r);
    if (r->wanted.excludes && atomic_load(&job->stopped))
        return true; /* notes with excluded words may be among them */
    r->fuse.ideal = r->words.ideal;
    r->asked = r->wanted;
    search_want_forms(&r->words, &r->asked);
    search_prepare_wanted(job->arena, &r->words, &r->wanted);
    unite(r);
    order(r);
    if (job->search->mode == SEARCH_FUSED)
        cut_tail(r);
    r->complete = true;
    return true;
}

/* --- showing --- */

static void show_note(const struct ranking *r, const struct ranked_note *n)
{
    const struct meaning_near *near = n->near;
    bool by_words = near == NULL || n->words > n->meaning;
    struct search_hit *hit = by_words ? search_show_words(r->job, &r->wanted, n->file)
                                      : search_show_chunk(r->job, &r->wanted, near);
    hit->score = n->score;
    if (near != NULL && (!by_words || near->cosine >= r->fuse.weak))
        hit->meaning = near->cosine;
}

static void show_notes(const struct ranking *r)
{
    struct search_job *job = r->job;
    struct search_result *out = job->out;
    size_t skip = job->search->offset < r->n ? job->search->offset : r->n;
    size_t left = r->n - skip, n = left < job->search->limit ? left : job->search->limit;
    out->mode = r->n_near > 0 ? SEARCH_MEANING : SEARCH_WORDS;
    out->total = out->files = r->n;
    out->more = n < left;
    out->any = !r->all && r->words.n > 0;
    out->hits = ARENA_ARRAY(job->arena, struct search_hit, n);
    search_begin_grace(job);
    for (size_t i = 0; i < n && !search_stopped(job); i++)
        show_note(r, &r->notes[skip + i]);
}

static bool search_ranked_has_text(const struct search_result *r, const struct file *f)
{
    for (size_t i = 0; i < r->n_by_file; i++)
        if (r->by_file[i].file == f)
            return true;
    return false;
}

/* Whether the text, which few files have, is a topic that another note matches better. */
static bool is_topic(const struct ranking *r)
{
    const struct search_plan *p = r->job->plan;
    return p->text_words >= SEARCH_TOPIC && p->text_words < SEARCH_QUOTE && r->n > 0 &&
           !search_ranked_has_text(&p->found, r->notes[0].file);
}

/* The best notes without the text, which come after the files that have it. */
static void show_near(const struct ranking *r)
{
    struct search_job *job = r->job;
    const struct search_result *found = &job->plan->found;
    if (job->search->offset > 0 || found->more)
        return;
    job->out->hits = ARENA_ARRAY(job->arena, struct search_hit, SEARCH_BEST);
    search_begin_grace(job);
    for (size_t i = 0; i < r->n && found->files + job->out->n < SEARCH_BEST; i++)
        if (!search_ranked_has_text(found, r->notes[i].file) && !search_stopped(job))
            show_note(r, &r->notes[i]);
}

/* What is known about meaning, whether or not it found something. */
static void take_state(struct search_result *out, const struct search_result *ranked)
{
    out->no_meaning = ranked->no_meaning;
    out->covered = ranked->covered;
}

/* Choose between what was found, and what was ranked. */
static bool choose(const struct search_plan *p, const struct search_result *ranked,
                   bool near, struct search_result *out, struct err *err)
{
    if (!near && (ranked->total > 0 || p->n_modes == 1)) {
        *out = *ranked;
        out->corrected = p->corrected;
        out->unquoted = p->unquoted;
        out->exact = p->ranks == SEARCH_ADDS_NEAR ? p->found.files : 0;
        return true;
    }
    if (!p->has_found) {
        *err = p->failed;
        return false;
    }
    *out = p->found;
    out->unquoted = p->unquoted;
    out->partial |= ranked->partial;
    take_state(out, ranked);
    out->near = near ? ranked->hits : NULL;
    out->n_near = near ? ranked->n : 0;
    return true;
}

bool search_rank(const struct index *x, struct search_plan *p,
                 const struct meaning_query *question, struct search_result *out,
                 struct err *err)
{
    struct search_result ranked;
    struct search_job job;
    struct ranking r = {.job = &job, .question = question};
    struct search s = *p->search;
    if (p->ranks == SEARCH_COMPLETE) {
        *out = p->found;
        out->unquoted = p->unquoted;
        return true;
    }
    s.mode = p->modes[p->n_modes - 1];
    s.no_suggestions |= p->n_modes > 1;
    if (question != NULL)
        search_set_deadline(p);
    bool ok = search_open_job(&job, x, p, &s, &ranked, err) && rank_notes(&r, err);
    bool near = p->ranks == SEARCH_ADDS_NEAR && !is_topic(&r);
    if (ok && near)
        show_near(&r);
    else if (ok && r.complete)
        show_notes(&r);
    ok = ok && search_finish(&job, err);
    search_close_job(&job);
    if (!ok && (p->n_modes == 1 || stop_is_large(&s.stop)))
        return false;
    if (!ok) /* what is wrong is wrong for ranking only */
        ranked = (struct search_result){0};
    return choose(p, &ranked, near, out, err);
}
