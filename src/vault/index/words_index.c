/*
 * The table of terms: open addressing with linear probing. A place holds half of the
 * hash, and places are in the order of hashes as far as collisions allow, so that the
 * table grows by copying it from front to back.
 */
#include "vault/index/words_index.h"

enum { TABLE_LEAST = 1024 };

static uint64_t words_hash_long(const uint64_t key[2], const uint64_t head[2], str name)
{
    uint64_t h = words_hash_head(key, head), more[2];
    for (size_t i = WORDS_HEAD; i < name.n; i += WORDS_HEAD) {
        size_t n = name.n - i < WORDS_HEAD ? name.n - i : WORDS_HEAD;
        memset(more, 0, sizeof(more));
        memcpy(more, name.p + i, n);
        h = words_mix(more[0] ^ h, more[1] ^ key[1] ^ n);
    }
    return h;
}

static uint32_t hash_of(const uint64_t key[2], const uint64_t head[2], str name)
{
    return words_half(name.n > WORDS_HEAD ? words_hash_long(key, head, name)
                                          : words_hash_head(key, head));
}

void words_make_key(const uint64_t key[2], str name, struct words_key *out)
{
    memset(out->head, 0, sizeof(out->head));
    memcpy(out->head, name.p, name.n < WORDS_HEAD ? name.n : WORDS_HEAD);
    out->hash = hash_of(key, out->head, name);
    out->name = name.p;
    out->length = (uint32_t)name.n;
}

/* The first place of a hash; the size of the table need not be a power of two. */
static uint32_t home_of(const struct words *w, uint32_t hash)
{
    return (uint32_t)((uint64_t)hash * w->table_size >> 32);
}

static uint32_t next_place(const struct words *w, uint32_t i)
{
    return i + 1 < w->table_size ? i + 1 : 0;
}

static bool words_index_is_named(const struct words *w, const struct words_term *t,
                                 const struct words_key *key)
{
    uint64_t head[2];
    str name = words_name(w, t);
    if (name.n != key->length)
        return false;
    words_head(name.p, name.n, head);
    return head[0] == key->head[0] && head[1] == key->head[1] &&
           (name.n <= WORDS_HEAD || memcmp(name.p + WORDS_HEAD, key->name + WORDS_HEAD,
                                           name.n - WORDS_HEAD) == 0);
}

/* The place of key in the table, or the free place where it belongs. */
static uint32_t words_index_place_of(const struct words *w, const struct words_key *key)
{
    uint32_t i = home_of(w, key->hash);
    for (; w->table[i].term != 0; i = next_place(w, i))
        if (w->table[i].hash == key->hash &&
            words_index_is_named(w, &w->terms[w->table[i].term - 1], key))
            break;
    return i;
}

const struct words_term *words_find(const struct words *w, str name)
{
    struct words_key key;
    if (w->table_size == 0)
        return NULL;
    words_make_key(w->key, name, &key);
    uint32_t term = w->table[words_index_place_of(w, &key)].term;
    return term != 0 ? &w->terms[term - 1] : NULL;
}

/* Put entry into its first free place. */
static void words_index_place(struct words *w, struct words_place entry)
{
    uint32_t i = home_of(w, entry.hash);
    while (w->table[i].term != 0)
        i = next_place(w, i);
    w->table[i] = entry;
}

uint32_t words_table_size(uint32_t terms)
{
    size_t size = size_add(terms, terms / 4 + TABLE_LEAST);
    if (size > UINT32_MAX)
        BUG("the index has too many words");
    return (uint32_t)size;
}

/* Not mem_zero(): pages that are read before they are written are faulted in twice. */
static struct words_place *empty_table(uint32_t size)
{
    size_t bytes = size_mul(size, sizeof(struct words_place));
    return memset(mem_alloc(bytes), 0, bytes);
}

void words_make_table(struct words *w, uint32_t size)
{
    free(w->table);
    w->table_size = size;
    w->table = empty_table(size);
    for (uint32_t t = 0; t < w->n_terms; t++) {
        uint64_t head[2];
        str name = words_name(w, &w->terms[t]);
        if (w->terms[t].used == 0)
            continue;
        words_head(name.p, name.n, head);
        words_index_place(w, (struct words_place){hash_of(w->key, head, name), t + 1});
    }
}

static void grow_table(struct words *w)
{
    struct words_place *old = w->table;
    uint32_t n = w->table_size;
    w->table_size = words_table_size(w->n_terms + w->n_terms / 4);
    w->table = empty_table(w->table_size);
    for (uint32_t i = 0; i < n; i++)
        if (old[i].term != 0)
            words_index_place(w, old[i]);
    free(old);
}

void *words_room(void *p, uint32_t used, uint32_t more, uint32_t *cap, size_t size)
{
    if (more <= *cap - used)
        return p;
    size_t want = size_add(size_add(used, more), used / 4 + 64);
    if (want > UINT32_MAX)
        BUG("the index is too large");
    *cap = (uint32_t)want;
    return mem_grow(p, size_mul(want, size));
}

/* An unused or new term for a word of that length. */
static uint32_t take_term(struct words *w, uint32_t length)
{
    uint32_t unused = w->unused[length];
    if (unused != 0) {
        w->unused[length] = w->terms[unused - 1].next_unused;
        return unused - 1;
    }
    w->terms = words_room(w->terms, w->n_terms, 1, &w->cap_terms, sizeof(*w->terms));
    w->names =
        words_room(w->names, w->n_names, length + 1 + WORDS_HEAD, &w->cap_names, 1);
    w->terms[w->n_terms].name = w->n_names;
    w->n_names += length + 1;
    return w->n_terms++;
}

static uint32_t add_term(struct words *w, str name)
{
    uint32_t i = take_term(w, (uint32_t)name.n);
    struct words_term *t = &w->terms[i];
    *t = (struct words_term){.name = t->name};
    w->names[t->name] = (char)name.n;
    memcpy(w->names + t->name + 1, name.p, name.n);
    term_filter_put(w, i);
    return i;
}

static uint32_t intern(struct words *w, const struct words_key *key)
{
    if (w->n_terms >= w->table_size / 5 * 4)
        grow_table(w);
    struct words_place *at = &w->table[words_index_place_of(w, key)];
    if (at->term == 0)
        *at = (struct words_place){key->hash,
                                   add_term(w, (str){key->name, key->length}) + 1};
    return at->term - 1;
}

/* The term + 1 that most likely has that hash; 0: there is none. */
static uint32_t guess(const struct words *w, uint32_t hash)
{
    uint32_t i = home_of(w, hash);
    while (w->table[i].term != 0 && w->table[i].hash != hash)
        i = next_place(w, i);
    return w->table[i].term;
}

/* Prefetch the terms, then what they point to. */
static void fetch_terms(const struct words *w, const uint32_t *guesses, size_t n)
{
    for (size_t i = 0; i < n; i++)
        __builtin_prefetch(w->terms + guesses[i] - 1);
    for (size_t i = 0; i < n; i++) {
        if (guesses[i] == 0)
            continue;
        const struct words_term *t = &w->terms[guesses[i] - 1];
        __builtin_prefetch(w->names + t->name);
        if (t->used > WORDS_FEW)
            __builtin_prefetch(words_bytes(w, t) + t->used);
    }
}

void words_intern(struct words *w, const struct words_key *keys, size_t n,
                  uint32_t terms[WORDS_AT_A_TIME])
{
    uint32_t guesses[WORDS_AT_A_TIME] = {0};
    if (w->table_size > 0) {
        for (size_t i = 0; i < n; i++)
            __builtin_prefetch(&w->table[home_of(w, keys[i].hash)]);
        for (size_t i = 0; i < n; i++)
            guesses[i] = guess(w, keys[i].hash);
        fetch_terms(w, guesses, n);
    }
    for (size_t i = 0; i < n; i++) {
        bool right = guesses[i] != 0 &&
                     words_index_is_named(w, &w->terms[guesses[i] - 1], &keys[i]);
        terms[i] = right ? guesses[i] - 1 : intern(w, &keys[i]);
    }
}

/* Free a place, and move entries that would no longer be found. */
static void clear_place(struct words *w, uint32_t hole)
{
    for (uint32_t i = next_place(w, hole); w->table[i].term != 0; i = next_place(w, i)) {
        uint32_t home = home_of(w, w->table[i].hash);
        /* It stays if its home is between the hole and i, with wrap-around. */
        if (hole <= i ? hole < home && home <= i : hole < home || home <= i)
            continue;
        w->table[hole] = w->table[i];
        hole = i;
    }
    w->table[hole] = (struct words_place){0};
}

void words_disuse(struct words *w, struct words_term *t)
{
    struct words_key key;
    uint32_t term = (uint32_t)(t - w->terms) + 1;
    words_make_key(w->key, words_name(w, t), &key);
    uint32_t i = home_of(w, key.hash);
    while (w->table[i].term != 0 && w->table[i].term != term)
        i = next_place(w, i);
    if (w->table[i].term == term)
        clear_place(w, i);
    t->next_unused = w->unused[key.length];
    w->unused[key.length] = term;
}
