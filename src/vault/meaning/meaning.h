/*
 * meaning - semantic search: how near notes are to a question or to another note, by
 * embeddings of their chunks (chunks.h, vectors.h).
 *
 * One struct meaning serves a vault and all views of it: vectors are found by the hash of
 * what was embedded, and a query looks only at the files of the index it is given, so
 * that nothing outside of a view has any influence. Reading is safe for any number of
 * threads, while the index is held; the thread that fills it (meaning_fill.h) is the only
 * writer.
 */
#pragma once

#include "vault/index/index.h"
#include "vault/meaning/embedder.h"

enum { MEANING_NOTES = 200 }; /* that are ranked by vectors */

struct meaning;

/*
 * file is where vectors are kept (vectors.h), without its ending; NULL: only in memory.
 * former, or NULL, is another embedder that can still be asked: if the file has vectors
 * of it, they serve until those of e cover the vault. Both embedders must outlive it.
 */
struct meaning *meaning_open(const struct embedder *e, const struct embedder *former,
                             const char *file);
void meaning_close(struct meaning *m);

/* A question as a vector, in the arena of the call that embedded it; numbers 0: there is
 * none, and why says so in one sentence for the user. */
struct meaning_query {
    const float *vector;
    unsigned numbers;
    uint64_t model; /* of which embedder: nearness to chunks of others means nothing */
    str why;
};

/* Embed a question; not while the index is held. Always fills out. m may be NULL. */
void meaning_ask(struct meaning *m, struct arena *a, str question, uint64_t deadline_ns,
                 struct meaning_query *out);

/* Whether the embedder learnt the folded word as a whole; false if it cannot tell. m may
 * be NULL. */
bool meaning_has_word(const struct meaning *m, str word);

struct meaning_near {
    const struct file *file;
    float cosine;  /* of its best chunk */
    uint32_t line; /* where that chunk begins, from 1 */
    str heading;   /* of that chunk, or empty */
};

/* The best max files of x that takes() accepts (NULL: all), best first, then by path.
 * m may be NULL, as below. */
size_t meaning_near(struct meaning *m, const struct index *x, struct arena *a,
                    const struct meaning_query *q,
                    bool (*takes)(void *arg, const struct file *f), void *arg, size_t max,
                    struct meaning_near **out);

/* How near the notes of x are to one of them, on the whole: by id, the cosines of the
 * means of their chunks, MEANING_FAR for files without vectors. In the arena; NULL if
 * f has none. */
#define MEANING_FAR (-2.0F)
const float *meaning_alike(struct meaning *m, const struct index *x, struct arena *a,
                           const struct file *f);

/* Whether a file is in a language that the embedder cannot read, as far as is known. m may
 * be NULL. */
bool meaning_is_unread(struct meaning *m, const struct file *f);

struct meaning_state {
    str about;                    /* the embedder; empty if there is none */
    str reads_names, reads_codes; /* see embedder.h */
    size_t chunks;                /* of the files of the index */
    size_t embedded, unread; /* of them: unread ones are in a language it cannot read */
    float weak;              /* see embedder.h */
    str problem;             /* why nothing more is embedded now, or empty */
};
struct meaning_state meaning_state(struct meaning *m, const struct index *x,
                                   struct arena *a);
