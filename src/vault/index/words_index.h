/* words_index - the term table and the postings. Private to words*.c. */
#pragma once

#include "vault/index/words.h"
#include "vault/index/words_split.h"
#include "vault/index/words_term_filter.h"

enum {
    WORDS_FEW = 12, /* bytes of a short list, stored in the term */
    WORDS_WAITING =
        32,          /* tokens that are looked up together, for the sake of the cache */
    WORDS_HEAD = 16, /* bytes of a word that are compared and hashed as two numbers */
    WORDS_SLOTS_MAX = 1 << 28,             /* a step between slots has at most 29 bits */
    WORDS_CUT_LEAST = WORDS_TOKEN_MAX - 3, /* bytes of a word that may have been cut */
};

/* No address has this bit. */
#define WORDS_PACKED ((uint64_t)1 << 63)

/* Most words of a vault occur once or twice, so a term is small. */
struct words_term {
    uint32_t name; /* in names: a length byte, then the word */
    uint32_t used; /* bytes of the list */
    union {
        struct {
            uint8_t few[WORDS_FEW];
            uint32_t last; /* slot of the last posting */
        };
        struct {           /* if used > WORDS_FEW */
            uint64_t list; /* an address, or WORDS_PACKED | offset in words.packed */
            uint32_t df;   /* postings, including dead documents */
            uint32_t last_too;
        };
        uint32_t next_unused; /* of an unused term: the next one, or 0 */
    };
};
_Static_assert(offsetof(struct words_term, last) == offsetof(struct words_term, last_too),
               "long and short lists have it in the same place");

struct words_place {
    uint32_t hash; /* the upper half */
    uint32_t term; /* + 1; 0 is free */
};

/* A word to look up. */
struct words_key {
    uint64_t head[2];
    uint32_t hash;
    const char *name;
    uint32_t length;
};

/* A different token that was read: a place of words_reader.table. */
struct words_seen {
    uint64_t head[2];
    uint32_t hash;
    uint32_t length;
    uint32_t token; /* its number + 1; 0: the place is free */
    uint32_t count; /* its place in counts, if it is that of the same token */
};

/* How often the current document has a token, in each field. */
struct words_count {
    uint32_t token; /* as above */
    uint32_t tf[WORDS_FIELDS];
};

/* The different tokens of one document, or of many, and the counts of the last one. */
struct words_reader {
    uint64_t key[2]; /* of the hash */
    struct words_seen *table;
    unsigned table_bits;
    uint32_t *starts; /* in names, by number of the token */
    uint32_t n_tokens, cap_tokens;
    char *names; /* as in struct words */
    uint32_t n_names, cap_names;
    struct words_count *counts;
    uint32_t n, cap;
    struct words_key waiting[WORDS_WAITING]; /* tokens that are counted soon */
    unsigned n_waiting;
};

/* A document's length and language, as in words.lengths, .titles and .languages. */
struct words_size {
    uint8_t length, title, language;
};

/*
 * The removal of dead slots in progress: documents have their new slots already; the
 * lists of terms from at are still written with old slots, and so are additions to them.
 */
struct words_sweep {
    uint32_t at;     /* UINT32_MAX: not running */
    uint32_t *moved; /* by old slot: the new one; 0: dead */
    uint32_t n, cap;
    uint8_t *buffer;
    uint32_t buffer_size;
};

/*
 * Documents get slots in ascending order from 1, so lists only grow at their end. A
 * removed document leaves a dead slot; see words_sweep.c.
 */
struct words {
    const struct names *paths; /* of the documents, for ties; or NULL */
    struct words_term *terms;
    uint32_t n_terms, cap_terms;
    uint32_t unused[WORDS_TOKEN_MAX + 1]; /* unused terms + 1, by length of the word */
    char *names; /* of the terms, in the same order, then WORDS_HEAD bytes of padding */
    uint32_t n_names, cap_names;
    struct words_place *table; /* by hash */
    uint32_t table_size;

    uint32_t *ids;      /* by slot */
    uint8_t *lengths;   /* by slot: class of the body's length; 0: dead */
    uint8_t *titles;    /* by slot: words of the title, at most 255 */
    uint8_t *languages; /* by slot: enum language */
    uint32_t n_slots;   /* in use, including slot 0 */
    uint32_t cap_slots;
    uint32_t *slots; /* by id; 0: none */
    uint32_t n_ids;
    uint32_t live;
    uint32_t spoken[LANGUAGES]; /* live documents in each */
    uint64_t length;            /* of all live bodies, rounded to classes */

    struct words_sweep sweep;
    struct term_filter *term_filter; /* of the names */
    uint64_t key[2];                 /* of the hash, secret */
    size_t list_bytes;

    /* Lists in here are not allocated separately, and never changed. */
    const uint8_t *packed;
    size_t n_packed;
    void *own_packed; /* the same if owned; NULL if it is a borrowed image */
    bool borrowed;    /* so are terms, names and table: call words_own() first */
};

static inline str words_name(const struct words *w, const struct words_term *t)
{
    return (str){w->names + t->name + 1, (unsigned char)w->names[t->name]};
}

/*
 * The first bytes of a word, followed by zeros. WORDS_HEAD bytes at p must be readable.
 */
static inline void words_head(const char *p, size_t n, uint64_t head[2])
{
    static const unsigned char ones_then_zeros[2 * WORDS_HEAD] = {
        255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255};
    uint64_t mask[2];
    n = n < WORDS_HEAD ? n : WORDS_HEAD;
    memcpy(head, p, WORDS_HEAD);
    memcpy(mask, ones_then_zeros + WORDS_HEAD - n, WORDS_HEAD);
    head[0] &= mask[0];
    head[1] &= mask[1];
}

static inline uint64_t words_mix(uint64_t a, uint64_t b)
{
    unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Like hash_table(), but for short texts: it is computed for every word of the vault. */
static inline uint64_t words_hash_head(const uint64_t key[2], const uint64_t head[2])
{
    return words_mix(head[0] ^ key[0], head[1] ^ key[1]);
}

/* Tables are in the order of these. */
static inline uint32_t words_half(uint64_t hash)
{
    return (uint32_t)(hash >> 32);
}

void words_make_key(const uint64_t key[2], str name, struct words_key *out);

/* For lists longer than WORDS_FEW. */
static inline bool words_is_packed(const struct words_term *t)
{
    return (t->list & WORDS_PACKED) != 0;
}

/* The list of t, if it is allocated. */
static inline uint8_t *words_allocated(const struct words_term *t)
{
    return (uint8_t *)(uintptr_t)t->list;
}

static inline const uint8_t *words_bytes(const struct words *w,
                                         const struct words_term *t)
{
    if (t->used <= WORDS_FEW)
        return t->few;
    return words_is_packed(t) ? w->packed + (t->list & ~WORDS_PACKED)
                              : words_allocated(t);
}

/* Whether the list still has the slots from before the sweep. */
static inline bool words_is_old(const struct words *w, const struct words_term *t)
{
    return (size_t)(t - w->terms) >= w->sweep.at;
}

/* NULL if there is none. */
const struct words_term *words_find(const struct words *w, str name);

/*
 * An upper bound of the number of documents with the term; the exact number of live ones.
 */
size_t words_df(const struct words_term *t);
size_t words_live_df(const struct words *w, const struct words_term *t);

/* The class of words.lengths for a length, and the length for a class. */
uint8_t words_length_class(size_t length);
uint32_t words_length_of(uint8_t length_class);

/* Take the next slot, for a document with that id. */
uint32_t words_take_slot(struct words *w, uint32_t id, struct words_size size);

/* One posting. */
struct words_posting {
    uint32_t slot; /* on input the slot before */
    uint32_t tf[WORDS_FIELDS];
};

/*
 * A list is a sequence of numbers with 7 bits per byte. Each posting begins with (slot -
 * slot before) * 8 + form. Forms 0 to 5: form + 1 occurrences, in the body only; 6: the
 * number of occurrences in the body follows; 7: a byte with a bit per field follows, then
 * the number of occurrences in each of them. Lists may come from a damaged image, so the
 * reader must stop at the end and at an invalid slot.
 */
enum { WORDS_IN_BODY = 6, WORDS_IN_FIELDS = 7 };
enum { WORDS_NUMBER_MAX = 5, WORDS_POSTING_MAX = 5 + 1 + 5 * WORDS_FIELDS };

/* Write a number. Returns its end. */
static inline uint8_t *words_put_number(uint8_t *p, uint32_t value)
{
    for (; value >= 0x80; value >>= 7)
        *p++ = (uint8_t)(value | 0x80);
    *p++ = (uint8_t)value;
    return p;
}

/* Read the number at p, which is before end. Returns its end. */
static inline const uint8_t *words_number(const uint8_t *p, const uint8_t *end,
                                          uint32_t *out)
{
    uint32_t value = *p & 0x7Fu;
    for (unsigned shift = 7; *p++ & 0x80; shift += 7) {
        if (p == end || shift >= 7 * WORDS_NUMBER_MAX)
            break;
        value |= (uint32_t)(*p & 0x7F) << shift;
    }
    *out = value;
    return p;
}

/* Read the posting at list; p->slot is that of the posting before. Returns its end. */
const uint8_t *words_read_posting(const uint8_t *list, const uint8_t *end,
                                  struct words_posting *p);

/* Append a posting to those of t, whose slots are smaller. */
void words_append(struct words *w, struct words_term *t, uint32_t slot,
                  const uint32_t tf[WORDS_FIELDS]);

/* Number of postings and last slot of a list. */
struct words_end {
    uint32_t df, last;
};

/*
 * Write the list of t with current slots and without dead ones to out, which has room for
 * the current length of the list. Returns the new length.
 */
uint32_t words_rewrite(const struct words *w, const struct words_term *t, uint8_t *out,
                       struct words_end *end);

/* Replace the list of t. */
void words_replace(struct words *w, struct words_term *t, const uint8_t *bytes,
                   uint32_t used, struct words_end end);

/*
 * Find the terms of some different words, as indices; missing ones are created. Nearly
 * all of the time goes into waiting for memory, so several are handled at a time.
 */
enum { WORDS_AT_A_TIME = 64 };
void words_intern(struct words *w, const struct words_key *keys, size_t n,
                  uint32_t terms[WORDS_AT_A_TIME]);

/* Release a term whose list is empty, for reuse by another word. */
void words_disuse(struct words *w, struct words_term *t);

/* Make a table of that size with all terms that have postings. */
void words_make_table(struct words *w, uint32_t size);
uint32_t words_table_size(uint32_t terms); /* suitable for that number */

/* words_reader.c: forget all tokens; count those of a document; a token + 1. */
void words_reader_begin(struct words_reader *r, const uint64_t key[2]);
struct words_size words_read(struct words_reader *r, const struct words_doc *doc);
uint32_t words_reader_token(struct words_reader *r, str name);
str words_reader_name(const struct words_reader *r, uint32_t token);
void words_reader_release(struct words_reader *r);

/* words_sweep.c: begin if it is worth it, and do a part of the work. */
enum {
    WORDS_SWEEP_BYTES = 64 * 1024, /* of lists per call, or one list */
    WORDS_SWEEP_TERM = 16, /* cost of a term besides its list, in bytes of lists */
};
void words_sweep_some(struct words *w);
void words_sweep_release(struct words_sweep *s);

/* words_image.c: copy borrowed terms, names and table before a change. */
void words_own(struct words *w);

/* Grow p to hold more items of that size; it grows by a quarter. */
void *words_room(void *p, uint32_t used, uint32_t more, uint32_t *cap, size_t size);
