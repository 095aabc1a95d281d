/*
 * words_index - the term table and the postings. Private to vault/words*.c.
 */
#pragma once

#include "vault/index/words.h"
#include "vault/index/words_split.h"

enum {
    WORDS_FEW = 12,  /* bytes of a short list, kept in the term */
    WORDS_HEAD = 16, /* bytes of a word that are compared and hashed as two numbers */
    WORDS_SLOTS_MAX = 1 << 28, /* a step in a list has 29 bits */
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
        struct {           /* when used is more than WORDS_FEW */
            uint64_t list; /* an address; or WORDS_PACKED and where in words.packed */
            uint32_t df;   /* postings, those of dead documents included */
            uint32_t last_too;
        };
        uint32_t next_unused; /* of a term without a word: the next one, or 0 */
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
    uint64_t hash;
    const char *name;
    uint32_t length;
};

/* A token of the document that is being read. */
struct words_pending {
    struct words_key key; /* without its name: that moves while the document is read */
    uint32_t name;        /* in words_reader.names, if it is longer than its head */
    uint32_t tf[WORDS_FIELDS];
};

/* The document that is being read: its tokens, each once. */
struct words_reader {
    struct words_pending *pending;
    uint32_t n, cap;
    char *names;
    uint32_t n_names, cap_names;
    uint32_t *table; /* pending + 1 by hash; 0 is free */
    uint32_t table_size, cap_table;
};

/*
 * The removal of dead slots, while it runs: documents have their new slots already, lists
 * from term at on are still written with the old ones, and so are additions to them.
 */
struct words_sweep {
    uint32_t at;     /* UINT32_MAX: none runs */
    uint32_t *moved; /* by old slot: the new one; 0: dead */
    uint32_t n, cap;
    uint8_t *buffer;
    uint32_t buffer_size;
};

/*
 * Documents have slots, from 1, always the next one: so lists only grow at their end. A
 * removed document leaves a dead slot behind; see words_sweep.c.
 */
struct words {
    struct words_term *terms;
    uint32_t n_terms, cap_terms;
    uint32_t unused[WORDS_TOKEN_MAX + 1]; /* terms + 1 that may be had again, by length */
    char *names; /* of the terms, in the same order; WORDS_HEAD bytes of room behind */
    uint32_t n_names, cap_names;
    struct words_place *table; /* by hash */
    uint32_t table_size;

    uint32_t *ids;    /* by slot */
    uint8_t *lengths; /* by slot: class of the body's length; 0: dead */
    uint8_t *titles;  /* by slot: words of the title, at most 255 */
    uint32_t n_slots; /* in use, slot 0 included */
    uint32_t cap_slots;
    uint32_t *slots; /* by id; 0: none */
    uint32_t n_ids;
    uint32_t live;
    uint64_t length; /* of all live bodies, as their classes say */

    struct words_reader reader;
    struct words_sweep sweep;
    uint64_t key[2]; /* of the hash, secret */
    size_t list_bytes;

    /* Lists in here are not allocated one by one, and never changed. */
    const uint8_t *packed;
    size_t n_packed;
    void *own_packed; /* the same, or NULL when it is a borrowed image */
    bool borrowed;    /* terms, names and table are in it, too: words_own() them first */
};

static inline str words_name(const struct words *w, const struct words_term *t)
{
    return (str){w->names + t->name + 1, (unsigned char)w->names[t->name]};
}

/* The first bytes of a word, zeros behind its end. p has WORDS_HEAD bytes to read. */
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

/* As hash_table(), for short texts: there is one for every word of the vault. */
static inline uint64_t words_hash_head(const uint64_t key[2], const uint64_t head[2])
{
    return words_mix(head[0] ^ key[0], head[1] ^ key[1]);
}

uint64_t words_hash_long(const uint64_t key[2], const uint64_t head[2], str name);

void words_make_key(const struct words *w, str name, struct words_key *out);

/* Of a list that is longer than WORDS_FEW. */
static inline bool words_is_packed(const struct words_term *t)
{
    return (t->list & WORDS_PACKED) != 0;
}

/* The list of t if it is allocated. */
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

/* Whether the slots of the list are those of before the sweep. */
static inline bool words_is_old(const struct words *w, const struct words_term *t)
{
    return (size_t)(t - w->terms) >= w->sweep.at;
}

/* NULL if there is none. */
const struct words_term *words_find(const struct words *w, str name);

/* How many documents have the term, at least; the live ones of them, exactly. */
size_t words_df(const struct words_term *t);
size_t words_live_df(const struct words *w, const struct words_term *t);

/* The length that a class of words.lengths stands for. */
uint32_t words_length_of(uint8_t class);

/* The next slot, for a document of that id; length 0: which is dead. */
uint32_t words_take_slot(struct words *w, uint32_t id, uint8_t length, uint8_t title);

/* One posting. */
struct words_posting {
    uint32_t slot; /* in: the one before */
    uint32_t tf[WORDS_FIELDS];
};

/*
 * A list is a run of numbers of 7 bits per byte. Each posting begins with
 * (slot - slot before) * 8 + form. Forms up to 5: so often and once more, in the body
 * only; 6: how often in the body follows; 7: a byte with a bit per field follows, then
 * how often in each of them. Lists may come from a damaged image, so whoever reads one
 * stops at its end, and at a slot that there is not.
 */
enum { WORDS_IN_BODY = 6, WORDS_IN_FIELDS = 7 };
enum { WORDS_NUMBER_MAX = 5, WORDS_POSTING_MAX = 5 + 1 + 5 * WORDS_FIELDS };

/* The number at p, which is before end. Gives where it ends. */
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

/* The posting at list, p->slot being that of the one before. Gives where it ends. */
const uint8_t *words_read_posting(const uint8_t *list, const uint8_t *end,
                                  struct words_posting *p);

/* A posting behind the others of t, whose slots are smaller. */
void words_append(struct words *w, struct words_term *t, uint32_t slot,
                  const uint32_t tf[WORDS_FIELDS]);

/* Behind the others of t, all of the term's, whose slots are larger by shift here. */
void words_append_list(struct words *w, struct words_term *t, const struct words *from,
                       const struct words_term *term, uint32_t shift);

/* What is known of a list. */
struct words_end {
    uint32_t df, last;
};

/*
 * The list of t as it should be, with today's slots and without the dead, into out, which
 * has room for as many bytes as it is long now. Gives its length.
 */
uint32_t words_rewrite(const struct words *w, const struct words_term *t, uint8_t *out,
                       struct words_end *end);

/* Put that list in place of the one t has. */
void words_replace(struct words *w, struct words_term *t, const uint8_t *bytes,
                   uint32_t used, struct words_end end);

/*
 * The terms of some words, all different, as indices; those that there are not are made.
 * Nearly all of it is waiting for memory, so it is done for a few at a time.
 */
enum { WORDS_AT_A_TIME = 64 };
void words_intern(struct words *w, const struct words_key *const *keys, size_t n,
                  uint32_t terms[WORDS_AT_A_TIME]);

/* A term whose list is empty: its place may be had by another word. */
void words_disuse(struct words *w, struct words_term *t);

/* A table of that size with all terms that have postings. */
void words_make_table(struct words *w, uint32_t size);
uint32_t words_table_size(uint32_t terms); /* that fits so many */

/* words_reader.c: count the tokens of a field, giving how many atoms it has; then append
   all, for a slot. */
size_t words_read_field(struct words *w, enum words_field field, str text);
void words_flush(struct words *w, uint32_t slot);
void words_reader_release(struct words_reader *r);

/* words_sweep.c: begin if there is reason to, and do a part of the work; or all. */
enum {
    WORDS_SWEEP_BYTES = 64 * 1024, /* of lists at a time, or one list */
    WORDS_SWEEP_TERM = 16, /* what a term costs besides its list, as bytes of lists */
};
void words_sweep_some(struct words *w);
void words_sweep_all(struct words *w);
void words_sweep_release(struct words_sweep *s);

/* Forget everything; forget terms and lists. */
void words_clear(struct words *w);
void words_release_terms(struct words *w);

/* words_image.c: copy what is borrowed and about to change: terms, names and table. */
void words_own(struct words *w);

/* Room for more of what p holds, of that size each; it grows by a quarter. */
void *words_room(void *p, uint32_t used, uint32_t more, uint32_t *cap, size_t size);
