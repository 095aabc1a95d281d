/*
 * note_vectors - the chunks of all notes and where their vectors are, for one model.
 *
 * Notes are found by their id in the index, which views share, and are valid only for the
 * same path and content. Changing it needs the lock of struct meaning for writing.
 */
#pragma once

#include "vault/index/file.h"
#include "vault/meaning/chunks.h"
#include "vault/meaning/vectors.h"

struct chunk_row {
    uint32_t row; /* that says something about it, or VECTORS_NONE */
    uint32_t line, heading;
};

struct note_vector_rows {
    uint64_t key;                      /* of its path and content; 0: there is none */
    uint32_t first;                    /* of its chunks */
    uint16_t n, made, unread, settled; /* chunks; of them those with a vector, those in a
                                          language the model cannot read, and all about
                                          which is known whether they can have one */
};

struct note_vectors {
    struct vectors vectors;
    struct note_vector_rows *notes; /* by id */
    file_id n_notes;
    struct chunk_row *chunks;
    size_t n_chunks, cap_chunks, unused; /* unused: chunks of notes that changed */
    size_t total, made, settled;         /* of all notes */
};

void note_vectors_release(struct note_vectors *s);

/* What is known about f; NULL if it is new, or has changed. */
const struct note_vector_rows *note_vectors_find(const struct note_vectors *s,
                                                 const struct file *f);

/* These are the chunks of f. */
void note_vectors_put(struct note_vectors *s, const struct file *f,
                      const struct note_chunk *chunks, size_t n);

/* There is no file with that id any more. */
void note_vectors_drop(struct note_vectors *s, file_id id);

/* Forget all notes. */
void note_vectors_clear(struct note_vectors *s);

/* The row of a chunk if it has a vector, or VECTORS_NONE. */
uint32_t note_vectors_vector(const struct note_vectors *s, const struct chunk_row *p);

/* Whether every row is one of a note, in keep, which has a place for each; returns how
 * many are. */
size_t note_vectors_used(const struct note_vectors *s, bool *keep);
