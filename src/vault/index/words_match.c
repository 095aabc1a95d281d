/*
 * Scoring is BM25F: the occurrences of a word are added up over the fields, with a weight
 * for each; those in the body are divided by the length of the body, those in the title
 * by the length of the title. The sum then goes through BM25's saturation
 * (words_search.c). So an occurrence in the title is worth several in the body, but does
 * not outweigh all other words.
 */
#include "vault/index/words_match.h"
#include "base/sort.h"

#include "base/array.h"

static const float weights[WORDS_FIELDS] = {
    [WORDS_TITLE] = 8, [WORDS_ALIASES] = 6, [WORDS_HEADINGS] = 3, [WORDS_TAGS] = 4};

/* The influence of length: 0 none, 1 full. */
static const float body_slope = 0.75F, title_slope = 0.4F;
static const float usual_title = 3; /* words */

void words_run_init(struct words_run *run, const struct words *w, struct arena *a,
                    words_text_fn text, void *arg)
{
    *run = (struct words_run){.words = w, .arena = a, .text = text, .arg = arg};
    float mean = w->live > 0 ? (float)((double)w->length / w->live) : 1;
    float slope = body_slope / (mean > 1 ? mean : 1);
    for (unsigned c = 1; c < COUNT_OF(run->body); c++)
        run->body[c] = 1 / (1 - body_slope + slope * (float)words_length_of((uint8_t)c));
    for (unsigned n = 0; n < COUNT_OF(run->title); n++)
        run->title[n] = weights[WORDS_TITLE] /
                        (1 - title_slope + title_slope / usual_title * (float)n);
}

static float weigh(const struct words_run *run, uint32_t slot,
                   const uint32_t tf[WORDS_FIELDS])
{
    const struct words *w = run->words;
    float sum = (float)tf[WORDS_BODY] * run->body[w->lengths[slot]] +
                (float)tf[WORDS_TITLE] * run->title[w->titles[slot]];
    for (unsigned f = WORDS_ALIASES; f < WORDS_BODY; f++)
        sum += (float)tf[f] * weights[f];
    return sum;
}

/*
 * The matches of one term. Nearly all postings are of bodies only, so this case comes
 * first.
 */
struct words_matches words_match_term(struct words_run *run, const struct words_term *t)
{
    if (t == NULL)
        return (struct words_matches){0};
    const struct words *w = run->words;
    const uint8_t *at = words_bytes(w, t), *end = at + t->used, *lengths = w->lengths;
    size_t df = words_df(t);
    struct words_match *items = arena_alloc(run->arena, size_mul(df, sizeof(*items)));
    struct words_match *item = items;
    for (uint32_t listed = 0; at < end && item < items + df;) {
        uint32_t step, tf;
        const uint8_t *next = words_number(at, end, &step);
        uint32_t slot = words_slot_now(w, t, listed + (step >> 3));
        if (slot >= w->n_slots)
            break;
        if ((step & 7) != WORDS_IN_FIELDS) {
            tf = (step & 7) + 1;
            if (tf > WORDS_IN_BODY && next < end)
                next = words_number(next, end, &tf);
            item->tf = (float)tf * run->body[lengths[slot]]; /* 0 if the slot is dead */
        } else {
            struct words_posting p = {.slot = listed};
            next = words_read_posting(at, end, &p);
            item->tf = lengths[slot] != 0 ? weigh(run, slot, p.tf) : 0;
        }
        item->slot = slot;
        item += item->tf > 0;
        listed += step >> 3;
        at = next;
    }
    return (struct words_matches){items, (size_t)(item - items)};
}

struct expansion {
    const struct words_term **terms;
    size_t n;
};

/* Terms that begin with prefix. All names are contiguous in memory, so this is quick. */
static struct expansion expand(const struct words_run *run, str prefix)
{
    const struct words *w = run->words;
    struct expansion e = {0};
    const char *name = w->names;
    for (uint32_t t = 0; t < w->n_terms; name += 1 + (unsigned char)*name, t++) {
        if ((unsigned char)*name < prefix.n || name[1] != prefix.p[0] ||
            memcmp(name + 1, prefix.p, prefix.n) != 0)
            continue;
        *ARRAY_ADD(run->arena, e.terms, e.n) = &w->terms[t];
    }
    return e;
}

static int words_match_by_name(const void *a, const void *b, void *arg)
{
    const struct words_term *const *x = a, *const *y = b;
    return str_cmp(words_name(arg, *x), words_name(arg, *y));
}

struct words_common {
    const struct words_term *term;
    size_t df;
};

static int by_df(const void *a, const void *b, void *arg)
{
    const struct words_common *x = a, *y = b;
    if (x->df != y->df)
        return x->df > y->df ? -1 : 1;
    return words_match_by_name(&x->term, &y->term, arg);
}

/* Keep the most common ones. */
static void cut_expansion(struct words_run *run, struct expansion *e)
{
    struct words *w = (struct words *)run->words;
    struct words_common *c = ARENA_ARRAY(run->arena, struct words_common, e->n);
    for (size_t i = 0; i < e->n; i++)
        c[i] = (struct words_common){e->terms[i], words_live_df(w, e->terms[i])};
    sort_with(c, e->n, sizeof(*c), by_df, w);
    run->cut = run->cut || c[WORDS_PREFIX_MAX].df > 0;
    e->n = WORDS_PREFIX_MAX;
    for (size_t i = 0; i < e->n; i++)
        e->terms[i] = c[i].term;
}

/* All documents with any of the terms; scores are always added in the same order. */
static struct words_matches unite(struct words_run *run, struct expansion *e)
{
    uint32_t n_slots = run->words->n_slots;
    size_t n = 0;
    sort_with(e->terms, e->n, sizeof(*e->terms), words_match_by_name, (void *)run->words);
    float *sums = ARENA_ARRAY(run->arena, float, n_slots);
    for (size_t i = 0; i < e->n; i++) {
        struct words_matches m = words_match_term(run, e->terms[i]);
        for (size_t k = 0; k < m.n; k++) {
            n += sums[m.items[k].slot] == 0;
            sums[m.items[k].slot] += m.items[k].tf;
        }
    }
    struct words_matches out = {ARENA_ARRAY(run->arena, struct words_match, n), 0};
    for (uint32_t slot = 1; slot < n_slots; slot++)
        if (sums[slot] > 0)
            out.items[out.n++] = (struct words_match){slot, sums[slot]};
    return out;
}

struct words_matches words_match_part(struct words_run *run, struct words_part part)
{
    if (part.need == WORDS_EXACT) {
        const struct words_term *t = words_find(run->words, part.text);
        struct words_matches exact = words_match_term(run, t);
        return part.forms && !run->exact ? words_add_forms(run, exact, part.text) : exact;
    }
    struct expansion e = expand(run, part.text);
    if (part.need == WORDS_PREFIX && e.n > WORDS_PREFIX_MAX)
        cut_expansion(run, &e);
    if (e.n < 2)
        return words_match_term(run, e.n == 1 ? e.terms[0] : NULL);
    return unite(run, &e);
}

/* The documents in both a and b, with the smaller tf. */
static struct words_matches both(struct words_matches a, struct words_matches b)
{
    size_t n = 0;
    for (size_t i = 0, k = 0; i < a.n && k < b.n;) {
        if (a.items[i].slot == b.items[k].slot) {
            float tf = a.items[i].tf < b.items[k].tf ? a.items[i].tf : b.items[k].tf;
            a.items[n++] = (struct words_match){a.items[i].slot, tf};
            i++, k++;
        } else if (a.items[i].slot < b.items[k].slot) {
            i++;
        } else {
            k++;
        }
    }
    a.n = n;
    return a;
}

/* The documents in a or b; if in both, with the tf of a. */
static struct words_matches either(struct arena *arena, struct words_matches a,
                                   struct words_matches b)
{
    if (a.n == 0 || b.n == 0)
        return a.n == 0 ? b : a;
    struct words_matches out = {ARENA_ARRAY(arena, struct words_match, a.n + b.n), 0};
    for (size_t i = 0, k = 0; i < a.n || k < b.n;) {
        bool from_a = i < a.n && (k == b.n || a.items[i].slot <= b.items[k].slot);
        if (from_a && k < b.n && a.items[i].slot == b.items[k].slot)
            k++;
        out.items[out.n++] = from_a ? a.items[i++] : b.items[k++];
    }
    return out;
}

struct words_matches words_match_want(struct words_run *run,
                                      const struct words_want *want)
{
    if (want->extra.n > 0) {
        struct words_part extra = {want->extra, WORDS_EXACT, false};
        struct words_matches m = words_match_part(run, extra);
        if (m.n > 0)
            return m;
    }
    struct words_part part = want->parts[0];
    part.forms = part.forms && want->n_atoms == 1; /* a phrase is exact */
    struct words_matches all = words_match_part(run, part);
    for (size_t i = 1; i < want->n_parts && all.n > 0; i++) {
        part = want->parts[i];
        part.forms = false;
        all = both(all, words_match_part(run, part));
    }
    /* A pair of signs is one part, so its signs are adjacent anyway. */
    bool in_a_row = want->n_atoms == 1 || (want->n_atoms == 2 && want->n_parts == 1);
    if (!in_a_row && run->text != NULL)
        for (size_t i = 0; i < all.n; i++)
            all.items[i].tf = 0;
    if (want->together.n == 0)
        return all;
    enum words_need need = want->open ? WORDS_PREFIX : WORDS_EXACT;
    struct words_part together = {want->together, need, false};
    return either(run->arena, words_match_part(run, together), all);
}

float words_check_phrase(const struct words_run *run, const struct words_want *want,
                         uint32_t slot)
{
    uint32_t tf[WORDS_FIELDS];
    for (unsigned f = 0; f < WORDS_FIELDS; f++)
        tf[f] = words_count_phrase(want, run->text(run->arg, run->words->ids[slot], f));
    return weigh(run, slot, tf);
}
