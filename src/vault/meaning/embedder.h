/*
 * embedder - embeds texts: the model inside this program (model.h), or a server
 * that the operator named (fetch/embeddings.h).
 *
 * Safe for several threads. Vectors have the length 1.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

enum embed_side { EMBED_QUERY, EMBED_CHUNK };

struct embedder {
    str id; /* of the model and of how it is asked: vectors of different ids are never
                  compared */
    str about; /* for people: "MiniLM, inside vaultd", "nomic-embed-text at 127.0.0.1:11434" */
    /* What it was made for, for people ("English"), and as codes of ISO 639-1 with spaces
     * between them; empty: not known. */
    str reads_names, reads_codes;
    size_t texts_max, bytes_max; /* of one embed() */
    size_t chunk_bytes;          /* of a text; what is longer is cut by the caller */
    float weak; /* a best cosine below this says little; 0: the caller finds it out */

    /* Whether it can read the language of the text; NULL: any. */
    bool (*reads)(void *arg, str text);

    /* Whether a folded word is one that it learnt as a whole, so not a misspelled one;
     * NULL: it cannot tell. */
    bool (*knows)(void *arg, str word);

    /*
     * out: n vectors of *numbers each, in the arena. Fails with E_TIMEOUT after the
     * deadline (by clock_ns()), with ERR_INVALID if it refuses one of the texts (ask for
     * fewer to find out which), with ERR_DENIED if it will refuse everything until the
     * settings change, with ERR_BUSY if it is worth asking again, but not before
     * rest_ms().
     */
    bool (*embed)(void *arg, struct arena *a, enum embed_side side, const str *texts,
                  size_t n, uint64_t deadline_ns, float **out, unsigned *numbers,
                  struct err *err);

    /* How long it wants to be left alone (Retry-After, or it did not answer a question);
     * 0: not at all. NULL: never. */
    unsigned (*rest_ms)(void *arg);
    void *arg;
};
