/*
 * vectors - rows of int8 numbers by the hash of what was embedded, in memory, with a copy
 * in a file.
 *
 * Rows are only added; which of them are in use is up to others (note_vectors.h), who
 * also have the lock: adding needs it for writing, reading for reading, and all else is
 * done by the one thread that adds.
 *
 * The file has a header and then one row after the other: hash, scale, checksum, numbers.
 * It is only appended to, so that an interruption loses at most what was not synced.
 * Another process may read it at any time. A damaged row is treated as missing,
 * and a part of a row at the end is cut off before more is written. If the file cannot be
 * written, rows are kept in memory only.
 */
#pragma once

#include "base/err.h"
#include "base/hash.h"
#include "base/lock.h"
#include "base/map.h"

enum {
    VECTORS_NUMBERS_MAX = 4096,
    VECTORS_CHUNK = 1024, /* rows */
    VECTORS_SYNC = 256,   /* rows, at most, that are not synced */
};
static const size_t VECTORS_BYTES_MAX = (size_t)1 << 30;

#define VECTORS_NONE UINT32_MAX

/* What a row says about a text, by its scale: a vector, or why there is none. */
enum vectors_kind { VECTORS_MADE, VECTORS_UNREAD, VECTORS_REFUSED, VECTORS_DAMAGED };

/* Of which model rows are, and how long the texts were. */
struct vectors_model {
    struct hash_content id;
    uint32_t chunk_bytes;
};

struct vectors_chunk;

struct vectors {
    struct vectors_model model;
    uint32_t numbers; /* of a vector; 0: not known yet */
    uint32_t stride;  /* bytes of one in memory */
    uint32_t n;       /* rows */
    struct vectors_chunk **chunks;
    size_t n_chunks;
    struct map_index table;
    char *path;             /* or NULL: only in memory */
    int fd;                 /* or -1 */
    uint32_t saved, synced; /* rows in the file */
    bool failed;            /* the file cannot be written: */
    struct err why;
};

void vectors_init(struct vectors *v, const struct vectors_model *model, const char *path);
void vectors_release(struct vectors *v);

/* --- in memory --- */

/* The row of that hash, or VECTORS_NONE. */
uint32_t vectors_find(const struct vectors *v, struct hash_content hash);

enum vectors_kind vectors_kind(const struct vectors *v, uint32_t row);
struct hash_content vectors_hash(const struct vectors *v, uint32_t row);

/* Add a vector of v->numbers numbers (VECTORS_MADE), or the reason why there is none.
 * Fails with ERR_LIMIT. */
MUST_CHECK bool vectors_add(struct vectors *v, struct hash_content hash,
                            enum vectors_kind kind, const float *vector, struct err *err);

/* Say how many numbers vectors have, before the first is added. Fails with ERR_INVALID if
 * that is too many, or they have others. */
MUST_CHECK bool vectors_set_numbers(struct vectors *v, unsigned numbers, struct err *err);

/* What to say if a model returns vectors of another length than the stored ones; false. */
bool vectors_say_other_length(unsigned numbers, unsigned stored, struct err *err);

/* The cosine of the query and each row; VECTORS_NO_COSINE where there is no vector. In
 * the arena. */
#define VECTORS_NO_COSINE (-2.0F)
float *vectors_cosines(const struct vectors *v, struct arena *a, const float *query);

/* The cosine of two rows with vectors. */
float vectors_cosine(const struct vectors *v, uint32_t x, uint32_t y);

/* Add the vector of a row to sum. */
void vectors_sum(const struct vectors *v, uint32_t row, float *sum);

/* --- the file --- */

/* Read what is in the file, after v->saved rows. If there is none, or it is not one of
 * this model, nothing. The file is read without the lock, which is taken to add the rows;
 * NULL: no other thread has v. */
void vectors_load(struct vectors *v, struct lock_shared *lock);

/* The model of a file. Fails with ERR_NOT_FOUND, or ERR_INVALID if it is not one. */
MUST_CHECK bool vectors_peek(const char *path, struct vectors_model *out,
                             struct err *err);

/* Whether the file at the path is another one than the one that was read. */
bool vectors_replaced(const struct vectors *v);

/* Append the rows that are not in the file; sync: also if there are few. Without the
 * lock. After a failure nothing is written any more: v->why. */
void vectors_save(struct vectors *v, bool sync);

/* Replace the file by one with the rows for which keep is set; the caller makes a new
 * struct of it. Fails like other writing. */
MUST_CHECK bool vectors_rewrite(const struct vectors *v, const bool *keep,
                                struct err *err);
