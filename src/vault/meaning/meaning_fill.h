/*
 * meaning_fill - how vectors get into a struct meaning: the steps of the one thread that
 * fills it (vault/vault_meaning.c), and of tests.
 *
 * Several processes may have the same vault and file. One of them has the turn and fills;
 * the others read what it adds.
 */
#pragma once

#include "vault/meaning/boilerplate.h"
#include "vault/meaning/meaning.h"
#include "vault/meaning/vectors.h"

/* --- the file --- */

/* Read the file. fill: take the lock for writing if it is free, now or later. */
void meaning_begin(struct meaning *m, bool fill);

/*
 * Now and then, if another process has the turn: read what it has added, and take the
 * turn if it has ended. True if there is anything new: then notes that are not settled
 * are placed again.
 */
bool meaning_follow(struct meaning *m);

/* Whether it is up to this process to fill. */
bool meaning_has_turn(const struct meaning *m);

/* When nothing is left to embed: sync the file, and clean it up if much of it is unused.
 * True if it was: then all notes are placed again. */
MUST_CHECK bool meaning_settle(struct meaning *m);

/* Remove the files of a struct meaning that is not open anywhere. Fails with ERR_BUSY if
 * another process uses them. *found: whether there was one. */
MUST_CHECK bool meaning_remove(const char *file, bool *found, struct err *err);

/* --- notes: f is a file of an index that is held --- */

/* These paragraphs are common: takes ownership. If they are not the same as before, all
 * notes are forgotten. */
void meaning_set_boilerplate(struct meaning *m, struct boilerplate *boilerplate);

/* Whether f was placed, and has not changed since; settled: all of its chunks have
 * vectors, or cannot have one. */
bool meaning_knows(struct meaning *m, const struct file *f, bool *settled);

/* Cut f into chunks and find their vectors. True if some are still to be embedded. */
bool meaning_place(struct meaning *m, const struct file *f);

/* There is no file with that id any more. */
void meaning_forget(struct meaning *m, file_id id);

/* --- embedding, without the index --- */

struct meaning_batch {
    str *texts;
    struct hash_content *hashes;
    size_t n, bytes;
};

/* Add the chunks of f that are still to be embedded, copied to the arena. False if the
 * batch is full. */
bool meaning_collect(struct meaning *m, struct arena *a, const struct file *f,
                     struct meaning_batch *b);

/*
 * Embed a batch. A text that is refused alone is remembered as such. Fails like embed()
 * with what concerns all texts (ERR_DENIED, ERR_BUSY, ...), and with ERR_LIMIT if there
 * are too many vectors. What was embedded until then is kept.
 */
MUST_CHECK bool meaning_embed(struct meaning *m, struct arena *a,
                              const struct meaning_batch *b, uint64_t deadline_ns,
                              struct err *err);

/* Why nothing more is embedded now; NULL: there is no such reason. */
void meaning_say(struct meaning *m, const struct err *problem);

/* How many chunks of all notes there are, and of how many it is known whether they can
 * have a vector. */
void meaning_count(struct meaning *m, size_t *chunks, size_t *settled);
