/*
 * Answers a query from the lists.
 *
 * First all words must occur: the sources (words and phrases of the query) are sorted so
 * that the rarest comes first, and each of the others narrows the pile of documents.
 * Phrases come last, because checking one means reading the text of a document, and by
 * then few documents are left. Exclusions are subtracted at the end. Only if nothing
 * remains, documents with any of the words are taken, with phrases split into words; the
 * result says so, and lists the words that no document has. Then words that are nearly
 * everywhere do not count, if there are others: a question is about its rare words.
 *
 * Of the pile, only the best offset + limit documents are sorted, with a heap.
 */
#include <math.h>

#include "vault/index/words_match.h"

static const float saturation = 1.2F; /* BM25's k1 */

enum {
    COMMON_PART = 3, /* a word is common in more than this part of all documents, */
    COMMON_MIN = 8,  /* and in more than these */
};

struct words_search_found {
    uint32_t slot;
    float score;
    uint32_t words; /* of match_any() */
};

/* The documents found so far, by slot. */
struct pile {
    struct words_search_found *items;
    size_t n;
};

/* A word or phrase of the query, with its documents. */
struct source {
    const struct words_want *want;
    struct words_matches matches;
    bool checks; /* some must be checked against the text, which is expensive */
    size_t at;   /* in the query */
};

static float idf(const struct words *w, size_t df)
{
    float n = (float)w->live, d = (float)df;
    return logf(1 + (n - d + 0.5F) / (d + 0.5F));
}

static float points(float rarity, float tf)
{
    return rarity * tf / (saturation + tf);
}

static int cheap_first(const void *a, const void *b)
{
    const struct source *x = a, *y = b;
    if (x->checks != y->checks)
        return x->checks ? 1 : -1;
    if (x->matches.n != y->matches.n)
        return x->matches.n < y->matches.n ? -1 : 1;
    return x->at < y->at ? -1 : 1;
}

/* The tf of a match, checked against the text if necessary. */
static float sure_tf(const struct words_run *run, const struct words_want *want,
                     struct words_match m)
{
    return m.tf > 0 ? m.tf : words_check_phrase(run, want, m.slot);
}

/* The documents of the first source. */
static struct pile start(const struct words_run *run, const struct source *s)
{
    struct words_matches m = s->matches;
    struct pile p = {
        arena_alloc(run->arena, size_mul(m.n, sizeof(struct words_search_found))), 0};
    float rarity = idf(run->words, m.n);
    for (size_t i = 0; i < m.n; i++) {
        float tf = sure_tf(run, s->want, m.items[i]);
        p.items[p.n] =
            (struct words_search_found){m.items[i].slot, points(rarity, tf), 0};
        p.n += tf > 0;
    }
    return p;
}

/* The match of slot, searched from *at, which moves there; NULL if there is none. */
static const struct words_match *seek(const struct words_matches *m, size_t *at,
                                      uint32_t slot)
{
    while (*at < m->n && m->items[*at].slot < slot)
        ++*at;
    return *at < m->n && m->items[*at].slot == slot ? &m->items[*at] : NULL;
}

/* Keep the documents that the source has, and add its points. */
static void narrow(const struct words_run *run, struct pile *p, const struct source *s)
{
    float rarity = idf(run->words, s->matches.n);
    size_t n = 0, at = 0;
    for (size_t i = 0; i < p->n; i++) {
        struct words_search_found f = p->items[i];
        const struct words_match *m = seek(&s->matches, &at, f.slot);
        float tf = m != NULL ? sure_tf(run, s->want, *m) : 0;
        if (tf > 0)
            p->items[n++] =
                (struct words_search_found){f.slot, f.score + points(rarity, tf), 0};
    }
    p->n = n;
}

static void exclude(struct words_run *run, struct pile *p, const struct words_want *want)
{
    struct words_matches out = words_match_want(run, want);
    size_t n = 0, at = 0;
    for (size_t i = 0; i < p->n; i++) {
        const struct words_match *m = seek(&out, &at, p->items[i].slot);
        if (m == NULL || sure_tf(run, want, *m) <= 0)
            p->items[n++] = p->items[i];
    }
    p->n = n;
}

static void exclude_all(struct words_run *run, struct pile *p,
                        const struct words_query *q)
{
    for (size_t i = 0; i < q->n; i++)
        if (q->wants[i].excluded)
            exclude(run, p, &q->wants[i]);
}

/* Every document, for a query with only exclusions. */
static struct pile everything(const struct words_run *run)
{
    const struct words *w = run->words;
    struct pile p = {ARENA_ARRAY(run->arena, struct words_search_found, w->live), 0};
    for (uint32_t slot = 1; slot < w->n_slots; slot++)
        if (w->lengths[slot] != 0)
            p.items[p.n++].slot = slot;
    return p;
}

/* The documents that are in all sources. */
static struct pile match_all(struct words_run *run, struct source *sources, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (sources[i].matches.n == 0)
            return (struct pile){0};
    qsort(sources, n, sizeof(*sources), cheap_first);
    struct pile p = start(run, &sources[0]);
    for (size_t i = 1; i < n; i++)
        narrow(run, &p, &sources[i]);
    return p;
}

/* A word of the query, for which a document may lack others. */
struct some {
    str text;
    struct words_matches matches;
};

/* The words that are not excluded, phrases being split into words. */
static size_t some_words(struct words_run *run, const struct words_query *q,
                         struct some **out)
{
    size_t n = 0, max = 0;
    for (size_t i = 0; i < q->n; i++)
        max += q->wants[i].n_parts + 1;
    *out = ARENA_ARRAY(run->arena, struct some, max);
    for (size_t i = 0; i < q->n; i++) {
        const struct words_want *want = &q->wants[i];
        struct words_part together = {want->together, WORDS_EXACT};
        for (size_t k = 0; !want->excluded && k < want->n_parts; k++)
            (*out)[n++] =
                (struct some){want->parts[k].text, words_match_part(run, want->parts[k])};
        if (!want->excluded && together.text.n > 0)
            (*out)[n++] = (struct some){together.text, words_match_part(run, together)};
    }
    return n;
}

static bool is_common(const struct words_run *run, const struct some *word)
{
    return word->matches.n > COMMON_MIN &&
           word->matches.n > run->words->live / COMMON_PART;
}

/* Without the common words, if others are in a document. Returns how many are left. */
static size_t leave_common(struct words_run *run, struct some *words, size_t n,
                           struct words_result *out)
{
    size_t kept = 0;
    bool rare = false;
    for (size_t i = 0; i < n; i++)
        rare |= words[i].matches.n > 0 && !is_common(run, &words[i]);
    if (!rare)
        return n;
    out->common = ARENA_ARRAY(run->arena, str, n);
    for (size_t i = 0; i < n; i++)
        if (is_common(run, &words[i]))
            out->common[out->n_common++] = words[i].text;
        else
            words[kept++] = words[i];
    return kept;
}

static void add_any(const struct words_run *run, struct words_search_found *by_slot,
                    const struct words_matches *m)
{
    float rarity = idf(run->words, m->n);
    for (size_t i = 0; i < m->n; i++) {
        struct words_search_found *f = &by_slot[m->items[i].slot];
        f->score += points(rarity, m->items[i].tf);
        f->words++;
    }
}

/* The documents with any word of the query. */
static struct pile match_any(struct words_run *run, const struct words_query *q,
                             struct words_result *out)
{
    uint32_t n_slots = run->words->n_slots;
    struct some *words;
    size_t n = some_words(run, q, &words);
    n = leave_common(run, words, n, out);
    struct pile p = {ARENA_ARRAY(run->arena, struct words_search_found, n_slots), 0};
    for (size_t i = 0; i < n; i++)
        add_any(run, p.items, &words[i].matches);
    for (uint32_t slot = 1; slot < n_slots; slot++)
        if (p.items[slot].words > 0) {
            p.items[p.n] = p.items[slot];
            p.items[p.n++].slot = slot;
        }
    return p;
}

static bool is_better(struct words_hit a, struct words_hit b)
{
    if (a.words != b.words)
        return a.words > b.words;
    return a.score > b.score || (a.score == b.score && a.id < b.id);
}

/* Restore the heap, whose root is the worst hit, by sinking the entry at i. */
static void sink(struct words_hit *heap, size_t n, size_t i)
{
    struct words_hit hit = heap[i];
    for (size_t child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && is_better(heap[child], heap[child + 1]))
            child++;
        if (!is_better(hit, heap[child]))
            break;
        heap[i] = heap[child];
    }
    heap[i] = hit;
}

/* The best k of the pile, best first. */
static struct words_hit *best(const struct words_run *run, const struct pile *p, size_t k)
{
    struct words_hit *heap = arena_alloc(run->arena, size_mul(k, sizeof(*heap)));
    const uint32_t *ids = run->words->ids;
    for (size_t i = 0; i < k; i++)
        heap[i] = (struct words_hit){ids[p->items[i].slot], p->items[i].score,
                                     p->items[i].words};
    for (size_t i = k / 2; i-- > 0;)
        sink(heap, k, i);
    for (size_t i = k; i < p->n; i++) {
        struct words_search_found f = p->items[i];
        if (f.words <= heap[0].words && f.score < heap[0].score)
            continue;
        struct words_hit hit = {ids[f.slot], f.score, f.words};
        if (!is_better(hit, heap[0]))
            continue;
        heap[0] = hit;
        sink(heap, k, 0);
    }
    for (size_t n = k; n > 1;) { /* move the worst to the end */
        struct words_hit worst = heap[0];
        heap[0] = heap[--n];
        sink(heap, n, 0);
        heap[n] = worst;
    }
    return heap;
}

static void note_missing(struct words_run *run, const struct words_query *q,
                         struct words_result *out)
{
    size_t max = 0;
    for (size_t i = 0; i < q->n; i++)
        max += q->wants[i].n_parts;
    out->missing = ARENA_ARRAY(run->arena, str, max);
    for (size_t i = 0; i < q->n; i++) {
        const struct words_want *want = &q->wants[i];
        struct words_part together = {want->together, WORDS_EXACT};
        if (want->excluded ||
            (want->together.n > 0 && words_match_part(run, together).n > 0))
            continue;
        for (size_t k = 0; k < want->n_parts; k++)
            if (words_match_part(run, want->parts[k]).n == 0)
                out->missing[out->n_missing++] = want->parts[k].text;
    }
}

bool words_search(const struct words *w, struct arena *a, str query, size_t offset,
                  size_t limit, words_text_fn text, void *arg, struct words_result *out,
                  struct err *err)
{
    struct words_query q;
    struct words_run run;
    if (!words_read_query(a, query, &q, err))
        return false;
    words_run_init(&run, w, a, text, arg);

    struct words_result result = {0};
    struct source sources[WORDS_TERMS_MAX];
    size_t n = 0;
    for (size_t i = 0; i < q.n; i++) {
        if (q.wants[i].excluded)
            continue;
        struct source *s = &sources[n++];
        *s = (struct source){&q.wants[i], words_match_want(&run, &q.wants[i]), .at = i};
        s->checks = text != NULL && q.wants[i].n_atoms > 1;
    }
    struct pile p = n > 0     ? match_all(&run, sources, n)
                    : q.n > 0 ? everything(&run)
                              : (struct pile){0};
    exclude_all(&run, &p, &q);
    if (p.n == 0 && n > 0) {
        note_missing(&run, &q, &result);
        p = match_any(&run, &q, &result);
        exclude_all(&run, &p, &q);
        result.any = p.n > 0;
    }
    size_t upto = limit < p.n && offset < p.n - limit ? offset + limit : p.n;
    result.total = p.n;
    result.cut = run.cut;
    if (offset < upto) {
        result.hits = best(&run, &p, upto) + offset;
        result.n = upto - offset;
    }
    *out = result;
    return true;
}
