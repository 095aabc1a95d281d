#include "vault/meaning/note_vectors.h"

#include "base/array.h"
#include "base/hash.h"
#include "vault/index/file.h"
#include "vault/meaning/vectors.h"

enum { NOTE_VECTORS_UNUSED_MIN = 4096 }; /* chunks; fewer are never worth a clean-up */

void note_vectors_clear(struct note_vectors *s)
{
    free(s->notes);
    free(s->chunks);
    *s = (struct note_vectors){.vectors = s->vectors};
}

void note_vectors_release(struct note_vectors *s)
{
    note_vectors_clear(s);
    vectors_release(&s->vectors);
}

static uint64_t note_vectors_key(const struct file *f)
{
    uint64_t key = hash_table(f->path) ^ f->hash.low ^ (f->hash.high << 1) ^ f->excluded;
    return key != 0 ? key : 1;
}

const struct note_vector_rows *note_vectors_find(const struct note_vectors *s,
                                                 const struct file *f)
{
    const struct note_vector_rows *n = f->id < s->n_notes ? &s->notes[f->id] : NULL;
    return n != NULL && n->key == note_vectors_key(f) ? n : NULL;
}

/* --- changes --- */

void note_vectors_drop(struct note_vectors *s, file_id id)
{
    if (id >= s->n_notes || s->notes[id].key == 0)
        return;
    struct note_vector_rows *n = &s->notes[id];
    s->unused += n->n;
    s->total -= n->n;
    s->made -= n->made;
    s->settled -= n->settled;
    *n = (struct note_vector_rows){0};
}

static void note_vectors_compact(struct note_vectors *s)
{
    size_t n = 0;
    struct chunk_row *chunks = mem_alloc((s->total + 1) * sizeof(*chunks));
    for (file_id id = 0; id < s->n_notes; id++) {
        struct note_vector_rows *note = &s->notes[id];
        if (note->n > 0)
            memcpy(chunks + n, s->chunks + note->first, note->n * sizeof(*chunks));
        note->first = (uint32_t)n;
        n += note->n;
    }
    free(s->chunks);
    s->chunks = chunks;
    s->n_chunks = n;
    s->cap_chunks = s->total + 1;
    s->unused = 0;
}

static void note_vectors_grow(struct note_vectors *s, file_id id)
{
    if (id < s->n_notes)
        return;
    file_id cap = id + id / 2 + 1024;
    s->notes = mem_grow(s->notes, size_mul(cap, sizeof(*s->notes)));
    memset(s->notes + s->n_notes, 0, (cap - s->n_notes) * sizeof(*s->notes));
    s->n_notes = cap;
}

static struct chunk_row note_vectors_place(const struct note_vectors *s,
                                           struct note_vector_rows *note,
                                           const struct note_chunk *p)
{
    uint32_t row = vectors_find(&s->vectors, p->hash);
    if (row != VECTORS_NONE) {
        enum vectors_kind kind = vectors_kind(&s->vectors, row);
        note->settled++;
        if (kind == VECTORS_MADE)
            note->made++;
        if (kind == VECTORS_UNREAD)
            note->unread++;
    }
    return (struct chunk_row){row, p->line, p->heading};
}

void note_vectors_put(struct note_vectors *s, const struct file *f,
                      const struct note_chunk *chunks, size_t n)
{
    note_vectors_drop(s, f->id);
    if (s->unused > NOTE_VECTORS_UNUSED_MIN && s->unused > s->n_chunks / 2)
        note_vectors_compact(s);
    note_vectors_grow(s, f->id);
    struct note_vector_rows note = {
        .key = note_vectors_key(f), .first = (uint32_t)s->n_chunks, .n = (uint16_t)n};
    for (size_t i = 0; i < n; i++)
        *ARRAY_ADD_CAP(NULL, s->chunks, s->n_chunks, s->cap_chunks) =
            note_vectors_place(s, &note, &chunks[i]);
    s->total += note.n;
    s->made += note.made;
    s->settled += note.settled;
    s->notes[f->id] = note;
}

uint32_t note_vectors_vector(const struct note_vectors *s, const struct chunk_row *p)
{
    bool made =
        p->row != VECTORS_NONE && vectors_kind(&s->vectors, p->row) == VECTORS_MADE;
    return made ? p->row : VECTORS_NONE;
}

size_t note_vectors_used(const struct note_vectors *s, bool *keep)
{
    size_t used = 0;
    for (file_id id = 0; id < s->n_notes; id++)
        for (size_t i = 0; i < s->notes[id].n; i++) {
            uint32_t row = s->chunks[s->notes[id].first + i].row;
            if (row == VECTORS_NONE || keep[row])
                continue;
            keep[row] = true;
            used++;
        }
    return used;
}
