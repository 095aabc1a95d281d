#include "vault/meaning/meaning.h"

#include <math.h>

#include "base/clock.h"
#include "base/os/file.h"
#include "base/sort.h"
#include "vault/index/index.h"
#include "vault/meaning/boilerplate.h"
#include "vault/meaning/meaning_parts.h"
#include "vault/meaning/note_vectors.h"
#include "vault/meaning/vectors.h"

struct meaning *meaning_open(const struct embedder *e, const struct embedder *former,
                             const char *file)
{
    struct meaning *m = mem_zero(sizeof(*m));
    m->embedder = e;
    m->other = former;
    m->path = file != NULL ? mem_str(str_c(file)) : NULL;
    m->turn = -1;
    lock_shared_init(&m->lock, LOCK_MEANING);
    vectors_init(&m->now.vectors, &(struct vectors_model){0}, NULL);
    vectors_init(&m->former.vectors, &(struct vectors_model){0}, NULL);
    return m;
}

void meaning_close(struct meaning *m)
{
    if (m == NULL)
        return;
    if (m->filling)
        vectors_save(&m->now.vectors, true);
    note_vectors_release(&m->now);
    note_vectors_release(&m->former);
    boilerplate_release(&m->boilerplate);
    if (m->turn >= 0)
        file_close(m->turn);
    lock_shared_release(&m->lock);
    free(m->path);
    free(m);
}

struct vectors_model meaning_model(const struct embedder *e)
{
    return (struct vectors_model){hash_content(e->id), (uint32_t)e->chunk_bytes};
}

static bool is_of(const struct embedder *e, const struct note_vectors *s)
{
    return e != NULL && hash_same(s->vectors.model.id, hash_content(e->id));
}

const struct embedder *meaning_former(const struct meaning *m)
{
    return m->has_former && is_of(m->other, &m->former) ? m->other : NULL;
}

/* --- questions --- */

static uint64_t model_number(const struct note_vectors *s)
{
    return s->vectors.model.id.low;
}

/* Which vectors answer: the former ones as long as they are there and can be asked. */
static const struct embedder *serving(struct meaning *m, size_t *made, unsigned *numbers,
                                      uint64_t *model)
{
    lock_shared_read(&m->lock);
    const struct embedder *former = meaning_former(m);
    const struct note_vectors *s = former != NULL ? &m->former : &m->now;
    *made = s->made;
    *numbers = s->vectors.numbers;
    *model = model_number(s);
    lock_shared_drop(&m->lock);
    return former != NULL ? former : m->embedder;
}

static void ask(const struct embedder *e, struct arena *a, str question,
                uint64_t deadline_ns, struct meaning_query *out)
{
    struct err err = {0};
    float *vector;
    if (e->reads != NULL && !e->reads(e->arg, question)) {
        out->why = arena_printf(
            a, "the model (" STR_FMT ") does not support the language of the question",
            STR_ARG(e->about));
        return;
    }
    if (e->embed(e->arg, a, EMBED_QUERY, &question, 1, deadline_ns, &vector,
                 &out->numbers, &err)) {
        out->vector = vector;
        return;
    }
    out->numbers = 0;
    out->why = arena_str(a, err_text(a, &err));
}

bool meaning_has_word(const struct meaning *m, str word)
{
    const struct embedder *e = m != NULL ? m->embedder : NULL;
    return e != NULL && e->knows != NULL && e->knows(e->arg, word);
}

void meaning_ask(struct meaning *m, struct arena *a, str question, uint64_t deadline_ns,
                 struct meaning_query *out)
{
    *out = (struct meaning_query){.why = STR("search by meaning is off")};
    if (m == NULL)
        return;
    size_t made;
    unsigned stored;
    const struct embedder *e = serving(m, &made, &stored, &out->model);
    out->why = STR("the meaning index is not built yet");
    if (made == 0)
        return;
    out->why = STR("the question is empty");
    if (str_trim_line(question).n == 0)
        return;
    out->why = STR("");
    ask(e, a, question, deadline_ns, out);
    if (out->numbers != 0 && out->numbers != stored) {
        struct err err = {0};
        vectors_say_other_length(out->numbers, stored, &err);
        out->numbers = 0;
        out->why = arena_str(a, str_c(err.msg));
    }
}

static const struct note_vectors *note_vectors_of(const struct meaning *m,
                                                  const struct meaning_query *q)
{
    if (m->has_former && model_number(&m->former) == q->model)
        return &m->former;
    return model_number(&m->now) == q->model ? &m->now : NULL;
}

/* --- the nearest --- */

struct meaning_nearest {
    struct meaning_near *best; /* max + 1 places */
    size_t n, max;
};

static bool is_nearer(const struct meaning_near *x, const struct meaning_near *y)
{
    return x->cosine != y->cosine ? x->cosine > y->cosine
                                  : str_cmp(x->file->path, y->file->path) < 0;
}

static void nearest_add(struct meaning_nearest *all, struct meaning_near it)
{
    size_t at = all->n;
    for (; at > 0 && is_nearer(&it, &all->best[at - 1]); at--)
        all->best[at] = all->best[at - 1];
    all->best[at] = it;
    all->n = all->n < all->max ? all->n + 1 : all->max;
}

/* The chunk of a note with the best cosine; NULL if it has no vectors. */
static const struct chunk_row *best_chunk(const struct note_vectors *s,
                                          const struct note_vector_rows *note,
                                          const float *cosines)
{
    const struct chunk_row *best = NULL;
    for (size_t i = 0; i < note->n; i++) {
        const struct chunk_row *p = &s->chunks[note->first + i];
        if (p->row != VECTORS_NONE &&
            (best == NULL || cosines[p->row] > cosines[best->row]))
            best = p;
    }
    return best;
}

static str heading_of(const struct file *f, uint32_t heading)
{
    return heading < f->note.n_headings
               ? span_of(f->text, f->note.headings[heading].title)
               : STR("");
}

/* Files are looked at only if they could be among the best: there may be many. */
static void nearest_find(const struct note_vectors *s, const struct index *x,
                         const float *cosines,
                         bool (*takes)(void *arg, const struct file *f), void *arg,
                         struct meaning_nearest *all)
{
    for (file_id id = 0; id < x->n && id < s->n_notes; id++) {
        if (x->files[id] == NULL || s->notes[id].made == 0)
            continue;
        const struct chunk_row *p = best_chunk(s, &s->notes[id], cosines);
        if (p == NULL ||
            (all->n == all->max && cosines[p->row] < all->best[all->max - 1].cosine))
            continue;
        const struct file *f = x->files[id];
        if (note_vectors_find(s, f) != NULL && (takes == NULL || takes(arg, f)))
            nearest_add(all, (struct meaning_near){f, cosines[p->row], p->line,
                                                   heading_of(f, p->heading)});
    }
}

size_t meaning_near(struct meaning *m, const struct index *x, struct arena *a,
                    const struct meaning_query *q,
                    bool (*takes)(void *arg, const struct file *f), void *arg, size_t max,
                    struct meaning_near **out)
{
    max = max < x->n ? max : x->n;
    struct meaning_nearest all = {.best = ARENA_ARRAY(a, struct meaning_near, max + 1),
                                  .max = max};
    *out = all.best;
    if (m == NULL || q->numbers == 0 || max == 0)
        return 0;
    lock_shared_read(&m->lock);
    const struct note_vectors *s = note_vectors_of(m, q);
    if (s != NULL && s->vectors.numbers == q->numbers)
        nearest_find(s, x, vectors_cosines(&s->vectors, a, q->vector), takes, arg, &all);
    lock_shared_drop(&m->lock);
    return all.n;
}

/* --- of notes --- */

/* The mean of the vectors of a note, with the length 1; false if it has none. */
static bool mean_of(const struct note_vectors *s, const struct note_vector_rows *note,
                    float *out)
{
    float length = 0;
    memset(out, 0, s->vectors.numbers * sizeof(*out));
    for (size_t i = 0; i < note->n; i++) {
        uint32_t row = note_vectors_vector(s, &s->chunks[note->first + i]);
        if (row != VECTORS_NONE)
            vectors_sum(&s->vectors, row, out);
    }
    for (size_t i = 0; i < s->vectors.numbers; i++)
        length += out[i] * out[i];
    if (length <= 0)
        return false;
    for (size_t i = 0; i < s->vectors.numbers; i++)
        out[i] /= sqrtf(length);
    return true;
}

static float mean_cosine(const struct note_vectors *s, const struct file *f,
                         const float *mean, float *room)
{
    const struct note_vector_rows *note = f != NULL ? note_vectors_find(s, f) : NULL;
    float cosine = 0;
    if (note == NULL || note->made == 0 || !mean_of(s, note, room))
        return MEANING_FAR;
    for (size_t i = 0; i < s->vectors.numbers; i++)
        cosine += mean[i] * room[i];
    return cosine;
}

const float *meaning_alike(struct meaning *m, const struct index *x, struct arena *a,
                           const struct file *f)
{
    float *near = NULL;
    if (m == NULL || index_file(x, f->id) != f)
        return NULL;
    lock_shared_read(&m->lock);
    const struct note_vectors *s = m->has_former ? &m->former : &m->now;
    const struct note_vector_rows *note = note_vectors_find(s, f);
    float *mean = ARENA_ARRAY(a, float, s->vectors.numbers);
    float *room = ARENA_ARRAY(a, float, s->vectors.numbers);
    if (note != NULL && note->made > 0 && mean_of(s, note, mean)) {
        near = ARENA_ARRAY(a, float, x->n);
        for (file_id id = 0; id < x->n; id++)
            near[id] = mean_cosine(s, x->files[id], mean, room);
    }
    lock_shared_drop(&m->lock);
    return near;
}

bool meaning_is_unread(struct meaning *m, const struct file *f)
{
    if (m == NULL)
        return false;
    lock_shared_read(&m->lock);
    const struct note_vectors *s = meaning_former(m) != NULL ? &m->former : &m->now;
    const struct note_vector_rows *note = note_vectors_find(s, f);
    bool unread = note != NULL && note->unread > note->made;
    lock_shared_drop(&m->lock);
    return unread;
}

/* --- the state --- */

/* Which cosines say little: what all but one in 200 pairs of chunks reach, of a sample
 * that depends on nothing but the texts. */
enum { SAMPLE = 64, SAMPLE_RARE = 200 };

struct sample {
    struct hash_content hashes[SAMPLE + 1]; /* the lowest ones, in order */
    uint32_t rows[SAMPLE + 1];
    size_t n;
};

static void sample_add(struct sample *s, struct hash_content hash, uint32_t row)
{
    size_t at = s->n;
    while (at > 0 && s->hashes[at - 1].low > hash.low)
        at--;
    if (at == SAMPLE || (at > 0 && hash_same(s->hashes[at - 1], hash)))
        return;
    memmove(s->hashes + at + 1, s->hashes + at, (s->n - at) * sizeof(*s->hashes));
    memmove(s->rows + at + 1, s->rows + at, (s->n - at) * sizeof(*s->rows));
    s->hashes[at] = hash;
    s->rows[at] = row;
    s->n = s->n < SAMPLE ? s->n + 1 : SAMPLE;
}

static int by_size(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x < y) - (x > y);
}

static float sample_weak(const struct vectors *v, const struct sample *s)
{
    float cosines[SAMPLE * (SAMPLE - 1) / 2];
    size_t n = 0;
    for (size_t i = 0; i < s->n; i++)
        for (size_t k = 0; k < i; k++)
            cosines[n++] = vectors_cosine(v, s->rows[i], s->rows[k]);
    sort_items(cosines, n, sizeof(*cosines), by_size);
    return cosines[n / SAMPLE_RARE];
}

static float find_weak(const struct note_vectors *s, const struct index *x)
{
    struct sample sample = {.n = 0};
    for (file_id id = 0; id < x->n && id < s->n_notes; id++)
        for (size_t i = 0; x->files[id] != NULL && i < s->notes[id].n; i++) {
            uint32_t row = note_vectors_vector(s, &s->chunks[s->notes[id].first + i]);
            if (row != VECTORS_NONE)
                sample_add(&sample, vectors_hash(&s->vectors, row), row);
        }
    return sample.n == SAMPLE ? sample_weak(&s->vectors, &sample) : 0;
}

struct meaning_state meaning_state(struct meaning *m, const struct index *x,
                                   struct arena *a)
{
    struct meaning_state out = {0};
    if (m == NULL)
        return out;
    lock_shared_read(&m->lock);
    const struct embedder *former = meaning_former(m);
    const struct embedder *e = former != NULL ? former : m->embedder;
    const struct note_vectors *s = former != NULL ? &m->former : &m->now;
    for (file_id id = 0; id < x->n && id < s->n_notes; id++)
        if (x->files[id] != NULL) {
            out.chunks += s->notes[id].n;
            out.embedded += s->notes[id].made;
            out.unread += s->notes[id].unread;
        }
    out.about = e->about;
    out.reads_names = e->reads_names;
    out.reads_codes = e->reads_codes;
    out.weak = e->weak > 0 ? e->weak : find_weak(s, x);
    bool saved = m->unsaved.msg[0] == '\0';
    if (m->problem.msg[0] != '\0' || !saved)
        out.problem = arena_str(
            a, str_c(m->problem.msg[0] != '\0' ? m->problem.msg : m->unsaved.msg));
    lock_shared_drop(&m->lock);
    return out;
}
