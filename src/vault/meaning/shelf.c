#include "vault/meaning/shelf.h"

#include "base/array.h"
#include "base/hash.h"
#include "vault/index/file.h"
#include "vault/meaning/vectors.h"

enum { SHELF_UNUSED_MIN = 4096 }; /* pieces; fewer are never worth a clean-up */

void shelf_clear(struct shelf *s)
{
    free(s->notes);
    free(s->pieces);
    *s = (struct shelf){.vectors = s->vectors};
}

void shelf_release(struct shelf *s)
{
    shelf_clear(s);
    vectors_release(&s->vectors);
}

static uint64_t shelf_key(const struct file *f)
{
    uint64_t key = hash_table(f->path) ^ f->hash.low ^ (f->hash.high << 1) ^ f->excluded;
    return key != 0 ? key : 1;
}

const struct shelf_note *shelf_find(const struct shelf *s, const struct file *f)
{
    const struct shelf_note *n = f->id < s->n_notes ? &s->notes[f->id] : NULL;
    return n != NULL && n->key == shelf_key(f) ? n : NULL;
}

/* --- changes --- */

void shelf_drop(struct shelf *s, file_id id)
{
    if (id >= s->n_notes || s->notes[id].key == 0)
        return;
    struct shelf_note *n = &s->notes[id];
    s->unused += n->n;
    s->total -= n->n;
    s->made -= n->made;
    s->settled -= n->settled;
    *n = (struct shelf_note){0};
}

static void shelf_compact(struct shelf *s)
{
    size_t n = 0;
    struct shelf_piece *pieces = mem_alloc((s->total + 1) * sizeof(*pieces));
    for (file_id id = 0; id < s->n_notes; id++) {
        struct shelf_note *note = &s->notes[id];
        if (note->n > 0)
            memcpy(pieces + n, s->pieces + note->first, note->n * sizeof(*pieces));
        note->first = (uint32_t)n;
        n += note->n;
    }
    free(s->pieces);
    s->pieces = pieces;
    s->n_pieces = n;
    s->cap_pieces = s->total + 1;
    s->unused = 0;
}

static void shelf_grow(struct shelf *s, file_id id)
{
    if (id < s->n_notes)
        return;
    file_id cap = id + id / 2 + 1024;
    s->notes = mem_grow(s->notes, size_mul(cap, sizeof(*s->notes)));
    memset(s->notes + s->n_notes, 0, (cap - s->n_notes) * sizeof(*s->notes));
    s->n_notes = cap;
}

static struct shelf_piece shelf_place(const struct shelf *s, struct shelf_note *note,
                                      const struct piece *p)
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
    return (struct shelf_piece){row, p->line, p->heading};
}

void shelf_put(struct shelf *s, const struct file *f, const struct piece *pieces,
               size_t n)
{
    shelf_drop(s, f->id);
    if (s->unused > SHELF_UNUSED_MIN && s->unused > s->n_pieces / 2)
        shelf_compact(s);
    shelf_grow(s, f->id);
    struct shelf_note note = {
        .key = shelf_key(f), .first = (uint32_t)s->n_pieces, .n = (uint16_t)n};
    for (size_t i = 0; i < n; i++)
        *ARRAY_ADD_CAP(NULL, s->pieces, s->n_pieces, s->cap_pieces) =
            shelf_place(s, &note, &pieces[i]);
    s->total += note.n;
    s->made += note.made;
    s->settled += note.settled;
    s->notes[f->id] = note;
}

uint32_t shelf_vector(const struct shelf *s, const struct shelf_piece *p)
{
    bool made =
        p->row != VECTORS_NONE && vectors_kind(&s->vectors, p->row) == VECTORS_MADE;
    return made ? p->row : VECTORS_NONE;
}

size_t shelf_used(const struct shelf *s, bool *keep)
{
    size_t used = 0;
    for (file_id id = 0; id < s->n_notes; id++)
        for (size_t i = 0; i < s->notes[id].n; i++) {
            uint32_t row = s->pieces[s->notes[id].first + i].row;
            if (row == VECTORS_NONE || keep[row])
                continue;
            keep[row] = true;
            used++;
        }
    return used;
}
