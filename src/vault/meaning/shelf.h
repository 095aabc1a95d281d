/*
 * shelf - the pieces of all notes and where their vectors are, for one model.
 *
 * Notes are found by their id in the index, which views share, and are valid only for the
 * same path and content. Changing it needs the lock of struct meaning for writing.
 */
#pragma once

#include "vault/index/file.h"
#include "vault/meaning/pieces.h"
#include "vault/meaning/vectors.h"

struct shelf_piece {
    uint32_t row; /* that says something about it, or VECTORS_NONE */
    uint32_t line, heading;
};

struct shelf_note {
    uint64_t key;                      /* of its path and content; 0: there is none */
    uint32_t first;                    /* of its pieces */
    uint16_t n, made, unread, settled; /* pieces; of them those with a vector, those in a
                                          language the model cannot read, and all about
                                          which is known whether they can have one */
};

struct shelf {
    struct vectors vectors;
    struct shelf_note *notes; /* by id */
    file_id n_notes;
    struct shelf_piece *pieces;
    size_t n_pieces, cap_pieces, unused; /* unused: pieces of notes that changed */
    size_t total, made, settled;         /* of all notes */
};

void shelf_release(struct shelf *s);

/* What is known about f; NULL if it is new, or has changed. */
const struct shelf_note *shelf_find(const struct shelf *s, const struct file *f);

/* These are the pieces of f. */
void shelf_put(struct shelf *s, const struct file *f, const struct piece *pieces,
               size_t n);

/* There is no file with that id any more. */
void shelf_drop(struct shelf *s, file_id id);

/* Forget all notes. */
void shelf_clear(struct shelf *s);

/* The row of a piece if it has a vector, or VECTORS_NONE. */
uint32_t shelf_vector(const struct shelf *s, const struct shelf_piece *p);

/* Whether every row is one of a note, in keep, which has a place for each; returns how many
 * are. */
size_t shelf_used(const struct shelf *s, bool *keep);
