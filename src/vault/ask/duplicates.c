#include "vault/ask/duplicates.h"

#include "base/array.h"
#include "base/hash.h"
#include "base/sort.h"
#include "base/utf8.h"
#include "vault/index/file.h"
#include "vault/index/index.h"

enum { LOOKED_UP = 4 }; /* the smallest hashes, by which notes are found */

/* The smallest hashes of a note's runs, in order. */
struct sketch {
    file_id file;
    uint32_t n;
    uint64_t kept[DUPLICATES_KEPT];
};

/* --- sketches --- */

struct runs {
    struct arena *arena;
    uint64_t last[DUPLICATES_RUN]; /* hashes of the words so far, as a ring */
    size_t words;
    uint64_t *hashes;
    size_t n;
};

static uint64_t mix(uint64_t h)
{
    h ^= h >> 33;
    h *= 0xFF51AFD7ED558CCDULL;
    h ^= h >> 33;
    h *= 0xC4CEB9FE1A85EC53ULL;
    return h ^ h >> 33;
}

static void add_word(struct runs *r, uint64_t word)
{
    uint64_t run = 0;
    r->last[r->words++ % DUPLICATES_RUN] = word;
    if (r->words < DUPLICATES_RUN)
        return;
    for (size_t i = 0; i < DUPLICATES_RUN; i++)
        run = mix(run + r->last[(r->words + i) % DUPLICATES_RUN]);
    *ARRAY_ADD(r->arena, r->hashes, r->n) = run;
}

static void duplicates_add_words(struct runs *r, str text)
{
    uint64_t word = 0;
    for (size_t n; text.n > 0; text = str_skip(text, n)) {
        uint32_t c = utf8_decode(text, &n);
        if (utf8_is_word(c)) {
            word = mix(word + utf8_fold_char(c) + 1);
        } else if (word != 0) {
            add_word(r, word);
            word = 0;
        }
    }
    if (word != 0)
        add_word(r, word);
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* False if the note has too few runs. */
static bool make_sketch(struct arena *scratch, const struct file *f, struct sketch *out)
{
    struct runs r = {.arena = scratch};
    arena_reset(scratch);
    duplicates_add_words(&r, str_skip(f->text, f->note.body));
    if (r.n < DUPLICATES_RUNS_MIN)
        return false;
    sort_items(r.hashes, r.n, sizeof(*r.hashes), by_value);
    out->file = f->id;
    out->n = 0;
    for (size_t i = 0; i < r.n && out->n < DUPLICATES_KEPT; i++)
        if (i == 0 || r.hashes[i] != r.hashes[i - 1])
            out->kept[out->n++] = r.hashes[i];
    return true;
}

/* --- comparing --- */

/* The share of the smallest hashes of both together that are in both. */
static unsigned similarity(const struct sketch *x, const struct sketch *y)
{
    uint32_t i = 0, k = 0, all = 0, both = 0;
    for (; all < DUPLICATES_KEPT && i < x->n && k < y->n; all++) {
        bool same = x->kept[i] == y->kept[k];
        bool first = x->kept[i] <= y->kept[k], second = y->kept[k] <= x->kept[i];
        both += same;
        i += first;
        k += second;
    }
    uint32_t rest = (x->n - i) + (y->n - k); /* only one of the two has any left */
    all = all + rest < DUPLICATES_KEPT ? all + rest : DUPLICATES_KEPT;
    return all > 0 ? 100 * both / all : 0;
}

static void offer(const struct index *x, struct duplicate *d, file_id other,
                  unsigned percent)
{
    bool better = d->other == NO_FILE || percent > d->percent ||
                  (percent == d->percent &&
                   str_cmp(x->files[other]->path, x->files[d->other]->path) < 0);
    if (percent >= DUPLICATES_PERCENT && better)
        *d = (struct duplicate){other, percent};
}

static void compare(const struct index *x, const struct sketch *one,
                    const struct sketch *two, struct duplicate *out)
{
    if (one->file == two->file)
        return;
    unsigned percent = similarity(one, two);
    offer(x, &out[one->file], two->file, percent);
    offer(x, &out[two->file], one->file, percent);
}

/* --- finding --- */

struct duplicates_lookup {
    uint64_t value;
    uint32_t sketch;
};

static int lookup_by_value(const void *a, const void *b)
{
    const struct duplicates_lookup *x = a, *y = b;
    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    return (x->sketch > y->sketch) - (x->sketch < y->sketch);
}

/* Compare all that share a value; of very many each with those next to it. */
static bool compare_all(const struct index *x, const struct sketch *sketches, size_t n,
                        struct arena *a, const struct stop *stop, struct duplicate *out)
{
    struct duplicates_lookup *all =
        ARENA_ARRAY(a, struct duplicates_lookup, n * LOOKED_UP);
    size_t n_all = 0;
    for (size_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < LOOKED_UP && k < sketches[i].n; k++)
            all[n_all++] = (struct duplicates_lookup){sketches[i].kept[k], (uint32_t)i};
    if (n_all > 1)
        sort_items(all, n_all, sizeof(*all), lookup_by_value);
    for (size_t i = 0; i < n_all; i++) {
        if (i % INDEX_ASKS == 0 && stop_now(stop))
            return false;
        for (size_t k = i + 1;
             k < n_all && k <= i + DUPLICATES_TOGETHER && all[k].value == all[i].value;
             k++)
            compare(x, &sketches[all[i].sketch], &sketches[all[k].sketch], out);
    }
    return true;
}

/* False if it was stopped. */
static bool make_sketches(const struct index *x, struct arena *a, const struct stop *stop,
                          struct sketch **out, size_t *n)
{
    struct arena scratch = {0};
    struct sketch made;
    const struct file *f;
    for (file_id id = 0; (f = index_next(x, &id, stop)) != NULL;)
        if (f->kind == FILE_NOTE && !f->excluded && !f->unread &&
            make_sketch(&scratch, f, &made))
            *ARRAY_ADD(a, *out, *n) = made;
    arena_release(&scratch);
    return !stop_now(stop);
}

bool duplicates_find(const struct index *x, struct arena *a, const struct stop *stop,
                     struct duplicate **out)
{
    struct sketch *sketches = NULL;
    size_t n = 0;
    *out = ARENA_ARRAY(a, struct duplicate, x->n);
    for (size_t i = 0; i < x->n; i++)
        (*out)[i].other = NO_FILE;
    return make_sketches(x, a, stop, &sketches, &n) &&
           compare_all(x, sketches, n, a, stop, *out);
}
