/*
 * words_index - the term table and the postings. Private to vault/words*.c.
 */
#pragma once

#include "vault/words.h"
#include "vault/words_split.h"

enum { WORDS_FEW = 8 }; /* bytes of a short list, kept in the term */

/* A longer list. Of a short one, both numbers are found by reading it. */
struct words_list {
    uint32_t df;   /* postings, those of dead documents included */
    uint32_t last; /* slot of the last one */
    uint8_t bytes[];
};

/* Most words of a vault occur once or twice, so a term is small. */
struct words_term {
    uint32_t name; /* in names: a length byte, then the word */
    uint32_t used; /* bytes of the list */
    union {
        uint8_t few[WORDS_FEW];
        struct words_list *list; /* when used is more than WORDS_FEW */
    };
};

/* A token of the document that is being read. */
struct words_pending {
    uint64_t hash;
    uint32_t name; /* in words_reader.names; as in words.names */
    uint32_t tf[WORDS_FIELDS];
};

/* The document that is being read: its tokens, each once. */
struct words_reader {
    struct words_pending *pending;
    uint32_t n, cap;
    char *names;
    uint32_t n_names, cap_names;
    uint32_t *table; /* pending + 1 by hash; 0 is free */
    uint32_t table_size;
};

/*
 * Documents have slots, from 1, always the next one: so lists only grow at their end. A
 * removed document leaves a dead slot behind.
 */
struct words {
    struct words_term *terms;
    uint32_t n_terms, cap_terms;
    char *names; /* of the terms, in the same order */
    uint32_t n_names, cap_names;
    uint32_t *table; /* term + 1 by hash; 0 is free */
    uint8_t *tags;   /* of the hash, to look at fewer terms */
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
    uint64_t key[2]; /* of the hash, secret */
    size_t list_bytes;
};

static inline str words_name(const struct words *w, const struct words_term *t)
{
    return (str){w->names + t->name + 1, (unsigned char)w->names[t->name]};
}

static inline uint64_t words_load(const char *p)
{
    uint64_t bytes;
    memcpy(&bytes, p, sizeof(bytes));
    return bytes;
}

/* Up to eight bytes as a number. */
static inline uint64_t words_load_few(str s)
{
    uint32_t low, high;
    if (s.n >= 8)
        return words_load(s.p);
    if (s.n < 4)
        return s.n == 0 ? 0
                        : (uint64_t)(unsigned char)s.p[0] << 16 |
                              (uint64_t)(unsigned char)s.p[s.n / 2] << 8 |
                              (unsigned char)s.p[s.n - 1];
    memcpy(&low, s.p, sizeof(low));
    memcpy(&high, s.p + s.n - sizeof(high), sizeof(high));
    return (uint64_t)high << 32 | low;
}

/* Equality of short texts. */
static inline bool words_same(str a, str b)
{
    if (a.n != b.n)
        return false;
    if (a.n <= 8)
        return words_load_few(a) == words_load_few(b);
    for (size_t i = 0; i + 8 < a.n; i += 8)
        if (words_load(a.p + i) != words_load(b.p + i))
            return false;
    return words_load(a.p + a.n - 8) == words_load(b.p + b.n - 8);
}

/* As hash_table(), for short texts: there is one for every word of the vault. */
static inline uint64_t words_hash(const uint64_t key[2], str s)
{
    uint64_t h = key[0] ^ s.n;
    for (size_t i = 0; i + 8 < s.n; i += 8) {
        unsigned __int128 product = (unsigned __int128)(words_load(s.p + i) ^ key[1]) * h;
        h = (uint64_t)product ^ (uint64_t)(product >> 64) ^ key[0];
    }
    uint64_t last = s.n > 8 ? words_load(s.p + s.n - 8) : words_load_few(s);
    unsigned __int128 product = (unsigned __int128)(last ^ key[1]) * (h | 1);
    h = (uint64_t)product ^ (uint64_t)(product >> 64);
    return h * 0x9E3779B97F4A7C15u;
}

static inline const uint8_t *words_bytes(const struct words_term *t)
{
    return t->used > WORDS_FEW ? t->list->bytes : t->few;
}

/* NULL if there is none. */
const struct words_term *words_find(const struct words *w, str name);

/* How many documents have the term; the live ones of them. */
size_t words_df(const struct words_term *t);
size_t words_live_df(const struct words *w, const struct words_term *t);

/* The length that a class of words.lengths stands for. */
uint32_t words_length_of(uint8_t class);

/* One posting. */
struct words_posting {
    uint32_t slot; /* in: the one before */
    uint32_t tf[WORDS_FIELDS];
};

/*
 * A list is a run of numbers of 7 bits per byte. Each posting begins with
 * (slot - slot before) * 8 + form. Forms up to 5: so often and once more, in the body
 * only; 6: how often in the body follows; 7: a byte with a bit per field follows, then
 * how often in each of them.
 */
enum { WORDS_IN_BODY = 6, WORDS_IN_FIELDS = 7 };
enum { WORDS_POSTING_MAX = 5 + 1 + 5 * WORDS_FIELDS };

static inline const uint8_t *words_number(const uint8_t *p, uint32_t *out)
{
    uint32_t value = *p & 0x7Fu;
    for (unsigned shift = 7; *p++ & 0x80; shift += 7)
        value |= (uint32_t)(*p & 0x7F) << shift;
    *out = value;
    return p;
}

/* The posting at list, p->slot being that of the one before. Gives where it ends. */
const uint8_t *words_read_posting(const uint8_t *list, struct words_posting *p);

/* Behind the others of t; p->slot is larger than theirs. */
void words_append(struct words *w, struct words_term *t, const struct words_posting *p);

/* The term of that name, which is made if there is none. Moves terms. */
struct words_term *words_intern(struct words *w, str name);

/* words_reader.c: count a token of a document; then append all, for its slot. */
void words_pend(struct words *w, str name, enum words_field field);
void words_flush(struct words *w, uint32_t slot);
void words_reader_release(struct words_reader *r);

struct words_term *words_intern_hash(struct words *w, str name, uint64_t hash);

/*
 * Ask for the memory where a hash is looked up; and the term that is most likely found
 * there, or NULL, for asking for what lies behind it.
 */
void words_fetch_place(const struct words *w, uint64_t hash);
const struct words_term *words_guess(const struct words *w, uint64_t hash);

/* Room for more of what p holds, of that size each; it grows by a quarter. */
void *words_room(void *p, uint32_t used, uint32_t more, uint32_t *cap, size_t size);
