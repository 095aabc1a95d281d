#include "vault/meaning/meaning_fill.h"

#include "base/array.h"
#include "base/clock.h"
#include "vault/index/index.h"
#include "vault/meaning/boilerplate.h"
#include "vault/meaning/chunks.h"
#include "vault/meaning/meaning.h"
#include "vault/meaning/meaning_parts.h"
#include "vault/meaning/note_vectors.h"
#include "vault/meaning/vectors.h"

/* A server that needs longer than this for a batch gets smaller ones: questions wait for
 * it, too. */
enum { FILL_SLOW_MS = 1000, FILL_FAST_MS = 250 };

/* --- notes --- */

void meaning_set_boilerplate(struct meaning *m, struct boilerplate *boilerplate)
{
    if (!boilerplate_same(&m->boilerplate, boilerplate)) {
        lock_shared_write(&m->lock);
        note_vectors_clear(&m->now);
        note_vectors_clear(&m->former);
        lock_shared_drop(&m->lock);
    }
    boilerplate_release(&m->boilerplate);
    m->boilerplate = *boilerplate;
    *boilerplate = (struct boilerplate){0};
}

bool meaning_knows(struct meaning *m, const struct file *f, bool *settled)
{
    const struct note_vector_rows *note = note_vectors_find(&m->now, f);
    *settled = note != NULL && note->settled == note->n;
    return note != NULL;
}

static size_t cut(const struct meaning *m, const struct note_vectors *s, struct arena *a,
                  const struct file *f, struct note_chunk **out)
{
    const struct vectors_model *model = &s->vectors.model;
    struct chunks_how how = {
        .id = {(const char *)&model->id, sizeof(model->id)},
        .bytes =
            model->chunk_bytes < CHUNK_BYTES_MIN ? CHUNK_BYTES_MIN : model->chunk_bytes,
        .boilerplate = &m->boilerplate,
    };
    *out = NULL;
    return chunks_has(f) ? chunks_cut(a, f, &how, out) : 0;
}

bool meaning_place(struct meaning *m, const struct file *f)
{
    struct arena a = {0};
    struct note_chunk *chunks, *former = NULL;
    size_t n = cut(m, &m->now, &a, f, &chunks);
    size_t n_former = m->has_former ? cut(m, &m->former, &a, f, &former) : 0;
    lock_shared_write(&m->lock);
    note_vectors_put(&m->now, f, chunks, n);
    if (m->has_former)
        note_vectors_put(&m->former, f, former, n_former);
    lock_shared_drop(&m->lock);
    arena_release(&a);
    bool settled;
    return meaning_knows(m, f, &settled) && !settled;
}

void meaning_forget(struct meaning *m, file_id id)
{
    if (id >= m->now.n_notes || m->now.notes[id].key == 0)
        return;
    lock_shared_write(&m->lock);
    note_vectors_drop(&m->now, id);
    note_vectors_drop(&m->former, id);
    lock_shared_drop(&m->lock);
}

void meaning_count(struct meaning *m, size_t *chunks, size_t *settled)
{
    lock_shared_read(&m->lock);
    *chunks = m->now.total;
    *settled = m->now.settled;
    lock_shared_drop(&m->lock);
}

/* --- batches --- */

static bool batch_has(const struct meaning_batch *b, struct hash_content hash)
{
    for (size_t i = 0; i < b->n; i++)
        if (hash_same(b->hashes[i], hash))
            return true;
    return false;
}

static bool batch_add(struct meaning *m, struct arena *a, struct meaning_batch *b,
                      const struct note_chunk *p)
{
    if (m->texts == 0)
        m->texts = m->embedder->texts_max;
    if (b->n >= m->texts || (b->n > 0 && b->bytes + p->text.n > m->embedder->bytes_max))
        return false;
    if (b->texts == NULL) {
        b->texts = ARENA_ARRAY(a, str, m->texts);
        b->hashes = ARENA_ARRAY(a, struct hash_content, m->texts);
    }
    b->texts[b->n] = arena_str(a, p->text);
    b->hashes[b->n++] = p->hash;
    b->bytes += p->text.n;
    return true;
}

bool meaning_collect(struct meaning *m, struct arena *a, const struct file *f,
                     struct meaning_batch *b)
{
    struct arena scratch = {0};
    struct note_chunk *chunks;
    size_t n = cut(m, &m->now, &scratch, f, &chunks);
    bool room = true;
    for (size_t i = 0; i < n && room; i++)
        if (vectors_find(&m->now.vectors, chunks[i].hash) == VECTORS_NONE &&
            !batch_has(b, chunks[i].hash))
            room = batch_add(m, a, b, &chunks[i]);
    arena_release(&scratch);
    return room;
}

/* --- embedding --- */

static bool keep(struct meaning *m, const struct hash_content *hashes, size_t n,
                 enum vectors_kind kind, const float *vectors, struct err *err)
{
    struct vectors *v = &m->now.vectors;
    bool ok = true;
    lock_shared_write(&m->lock);
    for (size_t i = 0; i < n && ok; i++)
        ok = vectors_add(v, hashes[i], kind,
                         vectors != NULL ? vectors + i * v->numbers : NULL, err);
    lock_shared_drop(&m->lock);
    return ok;
}

static bool set_numbers(struct meaning *m, unsigned numbers, struct err *err)
{
    lock_shared_write(&m->lock);
    bool ok = vectors_set_numbers(&m->now.vectors, numbers, err);
    lock_shared_drop(&m->lock);
    if (!ok) /* until the settings change */
        err->code = ERR_DENIED;
    return ok;
}

/* The length of vectors is known after the first one, even if that is of no note. */
static bool learn_length(struct meaning *m, struct arena *a, uint64_t deadline_ns,
                         struct err *err)
{
    const struct embedder *e = m->embedder;
    str text = STR("vault");
    float *vector;
    unsigned numbers;
    return m->now.vectors.numbers != 0 ||
           (e->embed(e->arg, a, EMBED_CHUNK, &text, 1, deadline_ns, &vector, &numbers,
                     err) &&
            set_numbers(m, numbers, err));
}

static bool refuse(struct meaning *m, struct arena *a, const struct hash_content *hash,
                   enum vectors_kind kind, uint64_t deadline_ns, struct err *err)
{
    return learn_length(m, a, deadline_ns, err) && keep(m, hash, 1, kind, NULL, err);
}

/* Half of the texts at a time, until the one that is refused is alone. */
static bool embed_some(struct meaning *m, struct arena *a, const struct meaning_batch *b,
                       size_t from, size_t to, uint64_t deadline_ns, struct err *err)
{
    const struct embedder *e = m->embedder;
    float *vectors;
    unsigned numbers;
    size_t middle = from + (to - from) / 2;
    if (e->embed(e->arg, a, EMBED_CHUNK, b->texts + from, to - from, deadline_ns,
                 &vectors, &numbers, err))
        return set_numbers(m, numbers, err) &&
               keep(m, b->hashes + from, to - from, VECTORS_MADE, vectors, err);
    if (err->code != ERR_INVALID)
        return false;
    if (to - from == 1)
        return refuse(m, a, b->hashes + from, VECTORS_REFUSED, deadline_ns, err);
    return embed_some(m, a, b, from, middle, deadline_ns, err) &&
           embed_some(m, a, b, middle, to, deadline_ns, err);
}

/* Without the texts in a language that the model cannot read, which are kept as such. */
static bool sort_out(struct meaning *m, struct arena *a, const struct meaning_batch *b,
                     uint64_t deadline_ns, struct meaning_batch *out, struct err *err)
{
    const struct embedder *e = m->embedder;
    *out = (struct meaning_batch){.texts = ARENA_ARRAY(a, str, b->n),
                                  .hashes = ARENA_ARRAY(a, struct hash_content, b->n)};
    for (size_t i = 0; i < b->n; i++) {
        if (e->reads == NULL || e->reads(e->arg, b->texts[i])) {
            out->texts[out->n] = b->texts[i];
            out->hashes[out->n++] = b->hashes[i];
        } else if (!refuse(m, a, &b->hashes[i], VECTORS_UNREAD, deadline_ns, err)) {
            return false;
        }
    }
    return true;
}

static void adapt(struct meaning *m, uint64_t ms)
{
    if (ms > FILL_SLOW_MS && m->texts > 1)
        m->texts /= 2;
    else if (ms < FILL_FAST_MS && m->texts < m->embedder->texts_max)
        m->texts =
            m->texts * 2 < m->embedder->texts_max ? m->texts * 2 : m->embedder->texts_max;
}

bool meaning_embed(struct meaning *m, struct arena *a, const struct meaning_batch *b,
                   uint64_t deadline_ns, struct err *err)
{
    struct meaning_batch readable;
    uint64_t began = clock_ms();
    bool ok =
        sort_out(m, a, b, deadline_ns, &readable, err) &&
        (readable.n == 0 || embed_some(m, a, &readable, 0, readable.n, deadline_ns, err));
    adapt(m, clock_ms() - began);
    meaning_save(m, false);
    return ok;
}

void meaning_say(struct meaning *m, const struct err *problem)
{
    lock_shared_write(&m->lock);
    m->problem = problem != NULL ? *problem : (struct err){0};
    lock_shared_drop(&m->lock);
}
