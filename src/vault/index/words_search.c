/*
 * Answers a query from the lists.
 *
 * First all words must occur: the sources (words and phrases of the query) are sorted so
 * that the rarest comes first, and each of the others narrows the pile of documents.
 * Phrases come last, because checking one means reading the text of a document, and by
 * then few documents are left. Exclusions are subtracted at the end. Only if nothing
 * remains, documents with any of the words are taken (words_any.c), with phrases split
 * into words; the result says so, and lists the words that no document has. For a question,
 * any word will do from the beginning.
 *
 * Of the pile, only the best offset + limit documents are sorted, with a heap.
 */
#include "base/sort.h"
#include "vault/index/names.h"
#include "vault/index/words_match.h"

/* A word or phrase of the query, with its documents. */
struct words_search_source {
    const struct words_want *want;
    struct words_matches matches;
    bool checks; /* some must be checked against the text, which is expensive */
    size_t at;   /* in the query */
};

static int cheap_first(const void *a, const void *b)
{
    const struct words_search_source *x = a, *y = b;
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
static struct words_pile words_search_start(const struct words_run *run,
                                            const struct words_search_source *s)
{
    struct words_matches m = s->matches;
    struct words_pile p = {
        arena_alloc(run->arena, size_mul(m.n, sizeof(struct words_found))), 0};
    float rarity = words_rarity(run->words, &m);
    for (size_t i = 0; i < m.n; i++) {
        float tf = sure_tf(run, s->want, m.items[i]);
        p.items[p.n] = (struct words_found){m.items[i].slot, words_points(rarity, tf), 0};
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
static void narrow(const struct words_run *run, struct words_pile *p,
                   const struct words_search_source *s)
{
    float rarity = words_rarity(run->words, &s->matches);
    size_t n = 0, at = 0;
    for (size_t i = 0; i < p->n; i++) {
        struct words_found f = p->items[i];
        const struct words_match *m = seek(&s->matches, &at, f.slot);
        float tf = m != NULL ? sure_tf(run, s->want, *m) : 0;
        if (tf > 0)
            p->items[n++] =
                (struct words_found){f.slot, f.score + words_points(rarity, tf), 0};
    }
    p->n = n;
}

static void exclude(struct words_run *run, struct words_pile *p,
                    const struct words_want *want)
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

static void exclude_all(struct words_run *run, struct words_pile *p,
                        const struct words_query *q)
{
    for (size_t i = 0; i < q->n; i++)
        if (q->wants[i].excluded)
            exclude(run, p, &q->wants[i]);
}

/* Every document, for a query with only exclusions. */
static struct words_pile everything(const struct words_run *run)
{
    const struct words *w = run->words;
    struct words_pile p = {ARENA_ARRAY(run->arena, struct words_found, w->live), 0};
    for (uint32_t slot = 1; slot < w->n_slots; slot++)
        if (w->lengths[slot] != 0)
            p.items[p.n++].slot = slot;
    return p;
}

/* The documents that are in all sources. */
static struct words_pile match_all(struct words_run *run,
                                   struct words_search_source *sources, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (sources[i].matches.n == 0)
            return (struct words_pile){0};
    sort_items(sources, n, sizeof(*sources), cheap_first);
    struct words_pile p = words_search_start(run, &sources[0]);
    for (size_t i = 1; i < n; i++)
        narrow(run, &p, &sources[i]);
    return p;
}

static bool is_better(const struct words *w, struct words_hit a, struct words_hit b)
{
    if (a.score != b.score)
        return a.score > b.score;
    int order = w->paths != NULL
                    ? str_cmp(names_path(w->paths, a.id), names_path(w->paths, b.id))
                    : 0;
    return order < 0 || (order == 0 && a.id < b.id);
}

/* Restore the heap, whose root is the worst hit, by sinking the entry at i. */
static void sink(const struct words *w, struct words_hit *heap, size_t n, size_t i)
{
    struct words_hit hit = heap[i];
    for (size_t child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && is_better(w, heap[child], heap[child + 1]))
            child++;
        if (!is_better(w, hit, heap[child]))
            break;
        heap[i] = heap[child];
    }
    heap[i] = hit;
}

/* The best k of the pile, best first. */
static struct words_hit *best(const struct words_run *run, const struct words_pile *p,
                              size_t k)
{
    struct words_hit *heap = arena_alloc(run->arena, size_mul(k, sizeof(*heap)));
    const struct words *w = run->words;
    const uint32_t *ids = w->ids;
    for (size_t i = 0; i < k; i++)
        heap[i] = (struct words_hit){ids[p->items[i].slot], p->items[i].score,
                                     p->items[i].words};
    for (size_t i = k / 2; i-- > 0;)
        sink(w, heap, k, i);
    for (size_t i = k; i < p->n; i++) {
        struct words_found f = p->items[i];
        if (f.score < heap[0].score)
            continue;
        struct words_hit hit = {ids[f.slot], f.score, f.words};
        if (!is_better(w, hit, heap[0]))
            continue;
        heap[0] = hit;
        sink(w, heap, k, 0);
    }
    for (size_t n = k; n > 1;) { /* move the worst to the end */
        struct words_hit worst = heap[0];
        heap[0] = heap[--n];
        sink(w, heap, n, 0);
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
        struct words_part together = {want->together, WORDS_EXACT, false};
        if (want->excluded ||
            (want->together.n > 0 && words_match_part(run, together).n > 0))
            continue;
        for (size_t k = 0; k < want->n_parts; k++)
            if (words_match_part(run, want->parts[k]).n == 0)
                out->missing[out->n_missing++] = want->parts[k].text;
    }
}

static bool is_asked(const struct words_want *want)
{
    return !want->excluded;
}

static bool is_required(const struct words_want *want)
{
    return !want->excluded && (want->quoted || want->open);
}

static bool is_free(const struct words_want *want)
{
    return !want->excluded && !is_required(want);
}

/* The documents that have all wants that asks() accepts, of which there are *n. */
static struct words_pile match_wants(struct words_run *run, const struct words_query *q,
                                     bool (*asks)(const struct words_want *want),
                                     size_t *n)
{
    struct words_search_source sources[WORDS_TERMS_MAX];
    *n = 0;
    for (size_t i = 0; i < q->n; i++) {
        const struct words_want *want = &q->wants[i];
        if (!asks(want))
            continue;
        struct words_search_source *s = &sources[(*n)++];
        *s = (struct words_search_source){want, words_match_want(run, want), .at = i};
        s->checks = run->text != NULL && want->n_atoms > 1;
    }
    return *n > 0 ? match_all(run, sources, *n) : (struct words_pile){0};
}

/* The best of the pile as the result. */
static void give_best(struct words_run *run, const struct words_pile *p, size_t offset,
                      size_t limit, struct words_result *out)
{
    size_t upto = limit < p->n && offset < p->n - limit ? offset + limit : p->n;
    out->total = p->n;
    out->cut = run->cut;
    out->forms = run->forms;
    out->n_forms = run->n_forms;
    if (offset < upto) {
        out->hits = best(run, p, upto) + offset;
        out->n = upto - offset;
    }
}

/* Nothing has all words: take what has any. */
static struct words_pile match_some(struct words_run *run, const struct words_query *q,
                                    struct words_result *out)
{
    note_missing(run, q, out);
    struct words_pile p = words_match_any(run, q, is_asked, out);
    exclude_all(run, &p, q);
    out->any = p.n > 0;
    return p;
}

/* Whether a document has all words in the form of the query. If all have other forms, they
 * are less sure to be meant, so documents with some of the words are taken, too. */
static bool all_as_written(struct words_run *run, const struct words_query *q)
{
    size_t asked;
    run->exact = true;
    bool found = match_wants(run, q, is_asked, &asked).n > 0;
    run->exact = false;
    return found;
}

void words_search(const struct words *w, struct arena *a, const struct words_query *q,
                  size_t offset, size_t limit, words_text_fn text, void *arg,
                  struct words_result *out)
{
    struct words_run run;
    size_t asked;
    *out = (struct words_result){0};
    words_run_init(&run, w, a, text, arg);
    struct words_pile p = match_wants(&run, q, is_asked, &asked);
    if (asked == 0 && q->n > 0)
        p = everything(&run);
    exclude_all(&run, &p, q);
    if (p.n == 0 && asked > 0) {
        p = match_some(&run, q, out);
    } else if (asked > 1 && run.n_forms > 0 && !all_as_written(&run, q)) {
        p = match_some(&run, q, out);
        out->any = false;
        out->loose = true;
    }
    give_best(&run, &p, offset, limit, out);
}

bool words_search_text(const struct words *w, struct arena *a, str query, size_t offset,
                       size_t limit, words_text_fn text, void *arg,
                       struct words_result *out, struct err *err)
{
    struct words_query q;
    if (!words_read_query(a, query, &q, err))
        return false;
    words_search(w, a, &q, offset, limit, text, arg, out);
    return true;
}

/* --- questions --- */

/* Add the points that documents of p have in other, too. */
static void add_points(struct words_pile *p, const struct words_pile *other)
{
    for (size_t i = 0, k = 0; i < p->n; i++) {
        while (k < other->n && other->items[k].slot < p->items[i].slot)
            k++;
        if (k < other->n && other->items[k].slot == p->items[i].slot) {
            p->items[i].score += other->items[k].score;
            p->items[i].words = other->items[k].words;
        }
    }
}

void words_rank(const struct words *w, struct arena *a, const struct words_query *q,
                size_t offset, size_t limit, words_text_fn text, void *arg,
                struct words_result *out)
{
    struct words_run run;
    size_t required;
    *out = (struct words_result){0};
    words_run_init(&run, w, a, text, arg);
    struct words_pile any = words_match_any(&run, q, is_free, out);
    struct words_pile p = match_wants(&run, q, is_required, &required);
    if (required > 0)
        add_points(&p, &any);
    else
        p = any;
    exclude_all(&run, &p, q);
    if (p.n == 0 && required > 0)
        p = match_some(&run, q, out);
    give_best(&run, &p, offset, limit, out);
}

void words_filter(const struct words *w, struct arena *a, const struct words_query *q,
                  words_text_fn text, void *arg, struct words_set *out)
{
    struct words_run run;
    size_t required, excluded = 0;
    *out = (struct words_set){0};
    words_run_init(&run, w, a, text, arg);
    struct words_pile p = match_wants(&run, q, is_required, &required);
    for (size_t i = 0; i < q->n; i++)
        excluded += q->wants[i].excluded;
    if (required + excluded == 0)
        return;
    if (required == 0)
        p = everything(&run);
    exclude_all(&run, &p, q);
    uint64_t *bits = ARENA_ARRAY(a, uint64_t, w->n_ids / 64 + 1);
    for (size_t i = 0; i < p.n; i++) {
        uint32_t id = w->ids[p.items[i].slot];
        bits[id / 64] |= UINT64_C(1) << (id % 64);
    }
    *out = (struct words_set){bits, w->n_ids};
}
