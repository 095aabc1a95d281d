/*
 * Documents that have some words of a query, by BM25.
 *
 * All words count, but a document that has only words which are nearly everywhere is not
 * found, if others are: a question is about its rare words.
 */
#include <math.h>

#include "vault/index/words_match.h"

static const float saturation = 1.2F; /* BM25's k1 */

enum {
    COMMON_PART = 3, /* a word is common in more than this part of all documents, */
    COMMON_MIN = 8,  /* and in more than these */
};

float words_idf(const struct words *w, size_t df)
{
    float n = (float)w->live, d = (float)df;
    return logf(1 + (n - d + 0.5F) / (d + 0.5F));
}

float words_points(float rarity, float tf)
{
    return rarity * tf / (saturation + tf);
}

float words_tf_for(float part)
{
    static const float most = 0.99F;
    part = part < most ? part : most;
    return saturation * part / (1 - part);
}

/* A word of the query, for which a document may lack others. */
struct words_any_some {
    struct words_part part;
    struct words_matches matches;
    bool common;
};

struct some_words {
    struct words_any_some *items;
    size_t n;
};

static void add_some(struct words_run *run, struct some_words *words,
                     struct words_part part)
{
    for (size_t i = 0; i < words->n; i++)
        if (words->items[i].part.need == part.need &&
            str_eq(words->items[i].part.text, part.text))
            return;
    words->items[words->n++] =
        (struct words_any_some){part, words_match_part(run, part), false};
}

/* The different words of all wants that asks() accepts, phrases being split. */
static struct some_words some_words(struct words_run *run, const struct words_query *q,
                                    bool (*asks)(const struct words_want *want))
{
    size_t max = 0;
    for (size_t i = 0; i < q->n; i++)
        max += q->wants[i].n_parts + 1;
    struct some_words words = {ARENA_ARRAY(run->arena, struct words_any_some, max), 0};
    for (size_t i = 0; i < q->n; i++) {
        const struct words_want *want = &q->wants[i];
        if (!asks(want))
            continue;
        for (size_t k = 0; k < want->n_parts; k++)
            add_some(run, &words, want->parts[k]);
        if (want->together.n > 0)
            add_some(run, &words,
                     (struct words_part){want->together, WORDS_EXACT, false});
    }
    return words;
}

static bool is_common(const struct words_run *run, const struct words_any_some *word)
{
    return word->matches.n > COMMON_MIN &&
           word->matches.n > run->words->live / COMMON_PART;
}

/* Only if other words are in a document. */
static void mark_common(struct words_run *run, struct some_words *words,
                        struct words_result *out)
{
    bool rare = false;
    for (size_t i = 0; i < words->n; i++)
        rare |= words->items[i].matches.n > 0 && !is_common(run, &words->items[i]);
    out->common = ARENA_ARRAY(run->arena, str, words->n);
    for (size_t i = 0; i < words->n && rare; i++)
        if (is_common(run, &words->items[i])) {
            words->items[i].common = true;
            out->common[out->n_common++] = words->items[i].part.text;
        }
}

struct words_pile words_match_any(struct words_run *run, const struct words_query *q,
                                  bool (*asks)(const struct words_want *want),
                                  struct words_result *out)
{
    uint32_t n_slots = run->words->n_slots;
    struct some_words words = some_words(run, q, asks);
    struct words_pile p = {ARENA_ARRAY(run->arena, struct words_found, n_slots), 0};
    bool *found = ARENA_ARRAY(run->arena, bool, n_slots);
    mark_common(run, &words, out);
    for (size_t i = 0; i < words.n; i++) {
        const struct words_any_some *word = &words.items[i];
        float rarity = words_rarity(run->words, &word->matches);
        out->ideal += rarity;
        for (size_t k = 0; k < word->matches.n; k++) {
            struct words_match m = word->matches.items[k];
            p.items[m.slot].score += words_points(rarity, m.tf);
            p.items[m.slot].words++;
            found[m.slot] |= !word->common;
        }
    }
    for (uint32_t slot = 1; slot < n_slots; slot++)
        if (found[slot]) {
            struct words_found f = p.items[slot];
            p.items[p.n++] = (struct words_found){slot, f.score, f.words};
        }
    out->words = (uint32_t)words.n;
    return p;
}
