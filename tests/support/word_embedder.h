/*
 * word_embedder - an embedder for tests: each word of a text is one of 512 numbers, so
 * texts with the same words are near. It counts what it is asked for, and can refuse.
 */
#pragma once

#include <math.h>
#include <stdatomic.h>
#include <time.h>

#include "base/chars.h"
#include "base/hash.h"
#include "vault/meaning/embedder.h"

enum { WORD_NUMBERS = 512 };

struct word_embedder {
    struct embedder embedder;
    atomic_size_t texts, calls, queries; /* texts: chunks that were embedded */
    atomic_int fails;    /* an enum err_code: every call fails so; 0: none */
    const char *refused; /* texts with this are refused; or NULL */
    const char *unread;  /* texts with this are in a language it cannot read; or NULL */
    const char *watched; /* calls with this are counted in seen; or NULL */
    atomic_size_t seen;
    atomic_uint slow_ms;
    size_t hold_at; /* after so many texts, it answers no more; 0: always */
    atomic_bool held;
};

static inline bool word_has(str text, const char *part)
{
    return part != NULL && str_find(text, str_c(part)) != STR_NONE;
}

static inline void word_vector(str text, float *out)
{
    float length = 0;
    for (size_t at = 0; at < text.n;) {
        size_t end = at;
        while (end < text.n && !is_space(text.p[end]))
            end++;
        if (end > at)
            out[hash_content(str_slice(text, at, end)).low % WORD_NUMBERS] += 1;
        at = end + 1;
    }
    for (size_t i = 0; i < WORD_NUMBERS; i++)
        length += out[i] * out[i];
    for (size_t i = 0; i < WORD_NUMBERS && length > 0; i++)
        out[i] /= sqrtf(length);
}

static inline bool word_embed(void *arg, struct arena *a, enum embed_side side,
                              const str *texts, size_t n, uint64_t deadline_ns,
                              float **out, unsigned *numbers, struct err *err)
{
    struct word_embedder *w = arg;
    (void)deadline_ns;
    atomic_fetch_add(&w->calls, 1);
    while (w->hold_at > 0 && atomic_load(&w->texts) >= w->hold_at) {
        atomic_store(&w->held, true);
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
    for (unsigned ms = atomic_load(&w->slow_ms); ms > 0; ms--)
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    for (size_t i = 0; i < n; i++)
        if (word_has(texts[i], w->watched))
            atomic_fetch_add(&w->seen, 1);
    if (atomic_load(&w->fails) != 0)
        return err_set(err, (enum err_code)atomic_load(&w->fails), "it does not work");
    for (size_t i = 0; i < n; i++)
        if (texts[i].n == 0 || word_has(texts[i], w->refused))
            return err_set(err, ERR_INVALID, "a text is refused");
    *out = ARENA_ARRAY(a, float, n *WORD_NUMBERS);
    *numbers = WORD_NUMBERS;
    for (size_t i = 0; i < n; i++)
        word_vector(texts[i], *out + i * WORD_NUMBERS);
    atomic_fetch_add(side == EMBED_QUERY ? &w->queries : &w->texts, n);
    return true;
}

static inline bool word_reads(void *arg, str text)
{
    return !word_has(text, ((struct word_embedder *)arg)->unread);
}

static inline void word_embedder_init(struct word_embedder *w, const char *id)
{
    *w = (struct word_embedder){.embedder = {.id = str_c(id),
                                             .about = str_c(id),
                                             .texts_max = 8,
                                             .bytes_max = 64 << 10,
                                             .chunk_bytes = 1500,
                                             .reads = word_reads,
                                             .embed = word_embed,
                                             .arg = w}};
}
