/* Which words say most about a document, and which other documents have them. */
#include <math.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/sort.h"
#include "vault/index/names.h"
#include "vault/index/words_match.h"
#include "vault/text/language.h"

/* How often each different word occurs in a document. */
struct tally {
    struct arena *arena;
    struct map_index index; /* of counted, by hash */
    struct counted {
        str word;
        float tf;
    } * counted;
    size_t n;
    str text;    /* the current field */
    float field; /* its weight */
};

/* Not the most frequent words of a language, numbers with a unit, or "here's" as "heres". */
static bool words_alike_says_something(str folded, str written)
{
    bool number = folded.n > 0 && folded.p[0] >= '0' && folded.p[0] <= '9';
    bool mixed = number && folded.p[folded.n - 1] > '9';
    return !mixed && !language_has_common(folded) &&
           str_find_char(written, '\'') == STR_NONE &&
           str_find(written, STR("\u2019")) == STR_NONE;
}

static bool tally_word(void *arg, str folded, size_t start, size_t end)
{
    struct tally *t = arg;
    if (!words_alike_says_something(folded, str_slice(t->text, start, end)))
        return true;
    uint64_t hash = hash_table(folded);
    size_t at = 0;
    for (uint32_t i; (i = map_next(&t->index, hash, &at)) != MAP_NONE;)
        if (str_eq(t->counted[i].word, folded)) {
            t->counted[i].tf += t->field;
            return true;
        }
    map_put(&t->index, t->arena, hash, (uint32_t)t->n);
    *ARRAY_ADD(t->arena, t->counted, t->n) =
        (struct counted){arena_str(t->arena, folded), t->field};
    return true;
}

static float rarity(const struct words *w, size_t df)
{
    return logf((float)(w->live + 1) / (float)df);
}

static int heaviest_first(const void *a, const void *b)
{
    const struct words_weight *x = a, *y = b;
    if (x->weight != y->weight)
        return x->weight > y->weight ? -1 : 1;
    return str_cmp(x->word, y->word);
}

size_t words_heavy(const struct words *w, struct arena *a, const struct words_doc *doc,
                   size_t max, struct words_weight **out)
{
    static const float weights[WORDS_FIELDS] = {
        [WORDS_TITLE] = 3, [WORDS_ALIASES] = 2, [WORDS_HEADINGS] = 2, [WORDS_BODY] = 1};
    struct tally t = {.arena = a};
    for (int f = 0; f < WORDS_FIELDS; f++) { /* tags are compared as such */
        t.field = weights[f];
        if (t.field > 0)
            words_split(a, t.text = doc->fields[f], tally_word, &t);
    }
    struct words_weight *all = ARENA_ARRAY(a, struct words_weight, t.n);
    size_t n = 0;
    for (size_t i = 0; i < t.n; i++) {
        const struct words_term *term = words_find(w, t.counted[i].word);
        size_t df = term != NULL ? words_live_df(w, term) : 0;
        if (df > 1)
            all[n++] = (struct words_weight){t.counted[i].word,
                                             (1 + logf(t.counted[i].tf)) * rarity(w, df)};
    }
    if (n > 1)
        sort_items(all, n, sizeof(*all), heaviest_first);
    *out = all;
    max = max < WORDS_HEAVY_MAX ? max : WORDS_HEAVY_MAX;
    return n < max ? n : max;
}

static int best_first(const void *a, const void *b)
{
    const struct words_alike *x = a, *y = b;
    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    int order = str_cmp(x->path, y->path);
    return order != 0 ? order : x->id < y->id ? -1 : x->id > y->id;
}

/* A long document has more words of everything. The power was found by measuring how high
 * related notes are ranked; tf takes length into account, too, but too little for this. */
static float shortness(const struct words *w, uint32_t slot)
{
    return sqrtf(sqrtf((float)words_length_of(w->lengths[slot]) + 20));
}

size_t words_alike(const struct words *w, struct arena *a,
                   const struct words_weight *words, size_t n, size_t max,
                   struct words_alike **out)
{
    static const float saturation = 1.2F; /* as in words_search.c */
    struct words_run run;
    words_run_init(&run, w, a, NULL, NULL);
    struct words_alike *by_slot = ARENA_ARRAY(a, struct words_alike, w->n_slots);
    for (size_t i = 0; i < n; i++) {
        struct words_matches m = words_match_part(
            &run, (struct words_part){words[i].word, WORDS_EXACT, false});
        float worth = words[i].weight * rarity(w, m.n); /* it is rare in both */
        for (size_t k = 0; k < m.n; k++) {
            struct words_alike *d = &by_slot[m.items[k].slot];
            float tf = m.items[k].tf;
            d->score += worth * tf / (saturation + tf);
            d->has |= UINT64_C(1) << i;
        }
    }
    size_t found = 0;
    for (uint32_t slot = 1; slot < w->n_slots; slot++)
        if (by_slot[slot].has != 0) {
            by_slot[found] = by_slot[slot];
            by_slot[found].score /= shortness(w, slot);
            by_slot[found].id = w->ids[slot];
            if (w->paths != NULL)
                by_slot[found].path = names_path(w->paths, w->ids[slot]);
            found++;
        }
    if (found > 1)
        sort_items(by_slot, found, sizeof(*by_slot), best_first);
    *out = by_slot;
    return found < max ? found : max;
}
