#include "vault/ask/related.h"

#include <math.h>

#include "base/array.h"
#include "base/sort.h"
#include "base/text.h"
#include "base/utf8.h"
#include "vault/index/file.h"
#include "vault/index/graph.h"
#include "vault/index/index.h"
#include "vault/index/names.h"
#include "vault/index/tags.h"
#include "vault/index/titles.h"
#include "vault/index/words.h"
#include "vault/meaning/meaning.h"

/* A note that may be related. */
struct candidate {
    struct related_note note;
    double links, words, meaning, tags, named;
    uint64_t has; /* of the note's words */
};

struct related {
    const struct index *index;
    struct meaning *meaning; /* may be NULL */
    struct arena *arena;
    const struct file *file;
    const struct stop *stop;
    bool *beside; /* by id: links to the note, or the other way round */
    uint32_t *at; /* by id: its candidate + 1; 0: none */
    struct candidate *all;
    size_t n;
    struct words_weight *words;
    size_t n_words;
};

/* --- links --- */

/* A neighbour of the note, and how many it has itself. */
struct hop {
    file_id by;
    str path;
    size_t n;
};

static int fewest_links_first(const void *a, const void *b)
{
    const struct hop *x = a, *y = b;
    if (x->n != y->n)
        return x->n < y->n ? -1 : 1;
    return str_cmp(x->path, y->path);
}

static bool may_be_related(const struct related *r, const struct file *f)
{
    return f != NULL && f != r->file && f->kind == FILE_NOTE && !f->excluded &&
           !r->beside[f->id];
}

static struct candidate *candidate_of(struct related *r, file_id id)
{
    const struct file *f = index_file(r->index, id);
    if (!may_be_related(r, f))
        return NULL;
    if (r->at[id] == 0) {
        *ARRAY_ADD(r->arena, r->all, r->n) = (struct candidate){.note.file = f};
        r->at[id] = (uint32_t)r->n;
    }
    return &r->all[r->at[id] - 1];
}

/* The neighbours of the note that are followed, those with few links first. */
static size_t hops_of(struct related *r, struct graph_beside *beside, bool linked,
                      struct hop **out)
{
    const file_id *near;
    size_t n = graph_beside(beside, r->file->id, &near), steps = 0, kept = 0;
    struct hop *hops = *out = ARENA_ARRAY(r->arena, struct hop, n);
    for (size_t i = 0; i < n; i++) {
        hops[i].by = near[i];
        hops[i].path = names_path(r->index->names, near[i]);
        r->beside[near[i]] = !linked;
    }
    for (size_t i = 0; i < n && !stop_now(r->stop); i++)
        hops[i].n = graph_beside(beside, hops[i].by, &near);
    if (n > 1)
        sort_items(hops, n, sizeof(*hops), fewest_links_first);
    while (kept < n && (steps += hops[kept].n) <= RELATED_STEPS_MAX)
        kept++;
    return kept;
}

/* What each file is worth by the neighbours that it shares with the note. */
static double *worth_of(struct related *r, struct graph_beside *beside,
                        const struct hop *hops, size_t n)
{
    double *worth = ARENA_ARRAY(r->arena, double, r->index->n);
    const file_id *to;
    for (size_t i = 0; i < n && !stop_now(r->stop); i++) {
        size_t n_to = graph_beside(beside, hops[i].by, &to);
        for (size_t k = 0; k < n_to; k++)
            worth[to[k]] += 1 / log(2 + (double)hops[i].n);
    }
    return worth;
}

/* A file and what it is worth. */
struct rated {
    const struct file *file;
    double worth;
};

static int most_worth_first(const void *a, const void *b)
{
    const struct rated *x = a, *y = b;
    if (x->worth != y->worth)
        return x->worth > y->worth ? -1 : 1;
    return str_cmp(x->file->path, y->file->path);
}

static void keep_best_by_links(struct related *r, const double *worth)
{
    struct rated *all = NULL;
    size_t n = 0;
    const struct file *f;
    for (file_id id = 0; (f = index_next(r->index, &id, r->stop)) != NULL;)
        if (worth[f->id] > 0 && may_be_related(r, f))
            *ARRAY_ADD(r->arena, all, n) = (struct rated){f, worth[f->id]};
    if (n > 1)
        sort_items(all, n, sizeof(*all), most_worth_first);
    for (size_t i = 0; i < n && i < RELATED_CANDIDATES; i++)
        candidate_of(r, all[i].file->id)->links = all[i].worth;
}

/* Which neighbours the candidates share with the note. */
static void name_shared(struct related *r, struct graph_beside *beside,
                        const struct hop *hops, size_t n)
{
    const file_id *to;
    for (size_t i = 0; i < n && !stop_now(r->stop); i++) {
        size_t n_to = graph_beside(beside, hops[i].by, &to);
        for (size_t k = 0; k < n_to; k++) {
            uint32_t at = r->at[to[k]];
            struct related_note *note = at > 0 ? &r->all[at - 1].note : NULL;
            if (note == NULL)
                continue;
            if (note->n_shared < RELATED_REASONS)
                note->shared[note->n_shared++] = hops[i].by;
            note->all_shared++;
        }
    }
}

static void by_links(struct related *r, bool linked)
{
    struct graph_beside beside = graph_beside_of(r->index->graph, r->arena);
    struct hop *hops;
    size_t n = hops_of(r, &beside, linked, &hops);
    keep_best_by_links(r, worth_of(r, &beside, hops, n));
    name_shared(r, &beside, hops, n);
}

/* --- words --- */

static void by_words(struct related *r)
{
    struct words_doc doc;
    struct words_alike *alike;
    file_words(r->arena, r->file, &doc);
    r->n_words = words_heavy(r->index->words, r->arena, &doc, RELATED_WORDS, &r->words);
    size_t n =
        words_alike(r->index->words, r->arena, r->words, r->n_words, SIZE_MAX, &alike);
    for (size_t i = 0, new_ones = 0; i < n; i++) {
        bool known = alike[i].id < r->index->n && r->at[alike[i].id] > 0;
        if (!known && new_ones == RELATED_CANDIDATES)
            continue;
        struct candidate *c = candidate_of(r, alike[i].id);
        if (c == NULL)
            continue;
        c->words = (double)alike[i].score;
        c->has = alike[i].has;
        new_ones += !known;
    }
}

/* How often the words of the note are parts of what people do not read as words: \frac of
 * math, %20log of an address. */
struct odd_words {
    const struct related *related;
    size_t seen[WORDS_HEAVY_MAX], odd[WORDS_HEAVY_MAX];
};

static bool count_odd(void *arg, str folded, size_t start, size_t end)
{
    struct odd_words *o = arg;
    str text = o->related->file->text;
    bool odd = start > 0 && (text.p[start - 1] == '\\' || text.p[start - 1] == '%');
    for (size_t i = 0; i < o->related->n_words; i++)
        if (str_eq(o->related->words[i].word, folded)) {
            o->seen[i]++;
            o->odd[i] += odd;
        }
    return true;
}

/* Short words and numbers count, but explain nothing; nor do those that are odd everywhere. */
static bool explains(const struct odd_words *o, size_t i)
{
    enum { SHORT = 4 };
    str word = o->related->words[i].word;
    bool number = text_skip_digits(word, 0) == word.n;
    return !number && (word.n >= SHORT || (unsigned char)word.p[0] >= 0x80) &&
           (o->seen[i] == 0 || o->odd[i] < o->seen[i]);
}

static void name_words(const struct related *r, const struct odd_words *odd,
                       struct candidate *c)
{
    struct related_note *note = &c->note;
    for (size_t i = 0; i < r->n_words && note->n_words < RELATED_REASONS; i++)
        if ((c->has >> i & 1) != 0 && explains(odd, i))
            note->words[note->n_words++] = r->words[i].word;
}

/* --- meaning --- */

/* The nearest ones become candidates, best first in ids. */
static size_t nearest(const struct related *r, const float *near, file_id *ids)
{
    size_t n = 0;
    const struct file *f;
    for (file_id id = 0; (f = index_next(r->index, &id, r->stop)) != NULL;) {
        bool full = n == RELATED_CANDIDATES;
        float own = near[f->id];
        if (own <= 0 || (full && own <= near[ids[n - 1]]) || !may_be_related(r, f))
            continue;
        size_t at = full ? n - 1 : n++;
        for (; at > 0 && near[ids[at - 1]] < own; at--)
            ids[at] = ids[at - 1];
        ids[at] = f->id;
    }
    return n;
}

static void by_meaning(struct related *r)
{
    file_id ids[RELATED_CANDIDATES];
    const float *near = meaning_alike(r->meaning, r->index, r->arena, r->file);
    if (near == NULL)
        return;
    float weak = meaning_state(r->meaning, r->index, r->arena).weak;
    size_t n = nearest(r, near, ids);
    for (size_t i = 0; i < n; i++)
        (void)candidate_of(r, ids[i]);
    for (size_t i = 0; i < r->n; i++) {
        struct candidate *c = &r->all[i];
        float cosine = near[c->note.file->id];
        c->meaning = cosine > 0 ? (double)cosine : 0;
        c->note.meaning = cosine >= weak && cosine > 0 ? cosine : 0;
    }
}

/* --- tags --- */

static void by_tags(struct related *r)
{
    static const double worth = 0.3;
    const struct str_list *own = &r->file->tags;
    double most = log((double)r->index->listed + 1);
    for (size_t i = 0; i < own->n; i++) {
        struct tag tag;
        if (!tags_find(r->index->tags, own->items[i], &tag))
            continue;
        double rarity = log((double)(r->index->listed + 1) / (double)tag.all) / most;
        for (size_t k = 0; k < tag.all; k++) {
            uint32_t at = r->at[tag.files[k]];
            struct candidate *c = at > 0 ? &r->all[at - 1] : NULL;
            if (c == NULL)
                continue;
            c->tags = fmin(1, c->tags + worth * rarity);
            if (c->note.n_tags < RELATED_REASONS)
                c->note.tags[c->note.n_tags++] = tag.name;
        }
    }
}

/* --- names --- */

/* The names of notes in the text of the note, as numbers (titles_find()). */
static size_t names_in(const struct related *r, const struct titles *t, uint32_t **out)
{
    uint32_t ignored, *all = NULL;
    size_t n = 0;
    str text = str_slice(file_searched(r->file, &ignored), 0, RELATED_NAMED_BYTES);
    str folded = utf8_fold(r->arena, utf8_cut(text, text.n));
    for (struct titles_match m = {0};
         n < RELATED_NAMES && titles_next(t, NO_FILE, folded, &m);)
        *ARRAY_ADD(r->arena, all, n) = m.name;
    *out = all;
    return n;
}

/* A note that is named, but not linked: surely if the name has several words. */
static void by_names(struct related *r)
{
    static const double one_word = 1.5, several = 2;
    const struct titles *t = index_titles(r->index);
    uint32_t *named;
    size_t n = names_in(r, t, &named);
    for (size_t i = 0; i < r->n && n > 0 && !stop_now(r->stop); i++) {
        struct candidate *c = &r->all[i];
        str title = utf8_fold(r->arena, file_title(c->note.file->path));
        uint32_t number = titles_is_name(title) ? titles_find(t, title) : 0;
        for (size_t k = 0; k < n && number != 0; k++)
            if (named[k] == number)
                c->named = str_find_char(title, ' ') != STR_NONE ? several : one_word;
    }
}

/* --- together --- */

/* Add how far a value is from the mean, in deviations. */
static void add_standard(struct related *r, size_t member)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < r->n; i++) {
        double v = *(double *)((char *)&r->all[i] + member);
        sum += v;
        squares += v * v;
    }
    double mean = sum / (double)r->n;
    double deviation = sqrt(fmax(0, squares / (double)r->n - mean * mean));
    for (size_t i = 0; i < r->n && deviation > 0; i++)
        r->all[i].note.score +=
            (*(double *)((char *)&r->all[i] + member) - mean) / deviation;
}

static int best_score_first(const void *a, const void *b)
{
    const struct related_note *x = a, *y = b;
    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    return str_cmp(x->file->path, y->file->path);
}

/* The best of the candidates, with what they have in common with the note. */
static size_t related_list(struct related *r, struct related_note **out)
{
    struct odd_words odd = {.related = r};
    *out = ARENA_ARRAY(r->arena, struct related_note, r->n);
    words_split(r->arena, r->file->text, count_odd, &odd);
    for (size_t i = 0; i < r->n; i++) {
        name_words(r, &odd, &r->all[i]);
        (*out)[i] = r->all[i].note;
        (*out)[i].score += r->all[i].tags + r->all[i].named;
    }
    if (r->n > 1)
        sort_items(*out, r->n, sizeof(**out), best_score_first);
    size_t n = r->n;
    while (n > RELATED_FEW && (*out)[n - 1].score < 0)
        n--;
    return n;
}

bool related_find(const struct index *x, struct meaning *m, struct arena *a,
                  const struct file *f, bool linked, const struct stop *stop,
                  struct related_notes *out, struct err *err)
{
    struct related r = {.index = x,
                        .meaning = m,
                        .arena = a,
                        .file = f,
                        .stop = stop,
                        .beside = ARENA_ARRAY(a, bool, x->n),
                        .at = ARENA_ARRAY(a, uint32_t, x->n)};
    by_links(&r, linked);
    by_words(&r);
    by_meaning(&r);
    by_tags(&r);
    by_names(&r);
    if (stop_now(stop))
        return stop_fail(stop, "finding related notes", "try again later", err);
    add_standard(&r, offsetof(struct candidate, links));
    add_standard(&r, offsetof(struct candidate, words));
    add_standard(&r, offsetof(struct candidate, meaning));
    out->n = related_list(&r, &out->items);
    return true;
}
