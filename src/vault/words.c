#include "vault/words.h"

#include "base/rand.h"
#include "vault/words_index.h"

enum {
    SLOTS_MAX = 1 << 28, /* a step in a list has 29 bits */
    DEAD_LEAST = 256,    /* so many are never worth rewriting the lists */
};

struct words *words_create(void)
{
    struct words *w = mem_zero(sizeof(*w));
    w->n_slots = 1;
    rand_bytes(w->key, sizeof(w->key));
    return w;
}

static void release(struct words *w)
{
    for (uint32_t i = 0; i < w->n_terms; i++)
        if (w->terms[i].used > WORDS_FEW)
            free(w->terms[i].list);
    free(w->terms);
    free(w->names);
    free(w->table);
    free(w->tags);
    free(w->ids);
    free(w->lengths);
    free(w->titles);
    free(w->slots);
    words_reader_release(&w->reader);
}

void words_free(struct words *w)
{
    if (w == NULL)
        return;
    release(w);
    free(w);
}

size_t words_count(const struct words *w)
{
    return w->live;
}

size_t words_memory(const struct words *w)
{
    return sizeof(*w) + w->cap_terms * sizeof(*w->terms) + w->cap_names +
           w->table_size * (sizeof(*w->table) + 1) +
           w->cap_slots * (sizeof(*w->ids) + 2) + w->n_ids * sizeof(*w->slots) +
           w->reader.cap * sizeof(*w->reader.pending) + w->reader.cap_names +
           w->reader.table_size * sizeof(*w->reader.table) + w->list_bytes;
}

/*
 * Lengths are kept in a byte: exact below 16, then with three bits behind the first one,
 * that is within 6 %. Classes are from 1 on.
 */
static uint8_t class_of(size_t length)
{
    uint32_t n = length < UINT32_MAX ? (uint32_t)length : UINT32_MAX;
    if (n < 16)
        return (uint8_t)(n + 1);
    unsigned shift = 28 - (unsigned)__builtin_clz(n);
    return (uint8_t)(1 + 8 * shift + (n >> shift));
}

uint32_t words_length_of(uint8_t class)
{
    unsigned c = class - 1u;
    if (c < 16)
        return c;
    unsigned shift = c / 8 - 1;
    return (8 + c % 8) << shift;
}

static void grow_slots(struct words *w)
{
    if (w->n_slots < w->cap_slots)
        return;
    if (w->n_slots >= SLOTS_MAX)
        BUG("too many documents");
    w->cap_slots = w->n_slots + w->n_slots / 2 + 64;
    w->ids = mem_grow(w->ids, w->cap_slots * sizeof(*w->ids));
    w->lengths = mem_grow(w->lengths, w->cap_slots);
    w->titles = mem_grow(w->titles, w->cap_slots);
}

static void grow_ids(struct words *w, uint32_t id)
{
    if (id < w->n_ids)
        return;
    if (id >= SLOTS_MAX)
        BUG("document id %u is not small", id);
    uint32_t n = id + id / 2 + 64;
    w->slots = mem_grow(w->slots, n * sizeof(*w->slots));
    memset(w->slots + w->n_ids, 0, (n - w->n_ids) * sizeof(*w->slots));
    w->n_ids = n;
}

/* The next slot, for a document of that id. */
static uint32_t take_slot(struct words *w, uint32_t id, uint8_t length, uint8_t title)
{
    grow_slots(w);
    grow_ids(w, id);
    uint32_t slot = w->n_slots++;
    w->ids[slot] = id;
    w->lengths[slot] = length;
    w->titles[slot] = title;
    w->slots[id] = slot;
    w->live++;
    w->length += words_length_of(length);
    return slot;
}

/* A copy of the term in to, without its dead postings; its list is freed. */
static void move_term(struct words *to, const struct words *from, struct words_term *t,
                      const uint32_t *new_slots)
{
    struct words_posting p = {0};
    struct words_term *moved = NULL;
    const uint8_t *at = words_bytes(t), *end = at + t->used;
    while (at < end) {
        at = words_read_posting(at, &p);
        if (new_slots[p.slot] == 0)
            continue;
        if (moved == NULL)
            moved = words_intern(to, words_name(from, t));
        struct words_posting same = p;
        same.slot = new_slots[p.slot];
        words_append(to, moved, &same);
    }
    if (t->used > WORDS_FEW)
        free(t->list);
    t->used = 0;
}

/* Rewrite everything without the dead. */
static void compact(struct words *w)
{
    struct words to = {.n_slots = 1, .key = {w->key[0], w->key[1]}};
    uint32_t *new_slots = mem_zero(w->n_slots * sizeof(*new_slots));
    for (uint32_t s = 1; s < w->n_slots; s++)
        if (w->lengths[s] != 0)
            new_slots[s] = take_slot(&to, w->ids[s], w->lengths[s], w->titles[s]);
    for (uint32_t t = 0; t < w->n_terms; t++)
        move_term(&to, w, &w->terms[t], new_slots);
    free(new_slots);
    release(w);
    *w = to;
}

void words_remove(struct words *w, uint32_t id)
{
    uint32_t slot = id < w->n_ids ? w->slots[id] : 0;
    if (slot == 0)
        return;
    w->length -= words_length_of(w->lengths[slot]);
    w->lengths[slot] = 0;
    w->slots[id] = 0;
    w->live--;
    uint32_t dead = w->n_slots - 1 - w->live;
    if (dead >= DEAD_LEAST && dead > w->live / 4)
        compact(w);
}

struct reading {
    struct words *words;
    enum words_field field;
};

static bool read_token(void *arg, const struct words_token *t)
{
    struct reading *r = arg;
    words_pend(r->words, t->text, r->field);
    return true;
}

void words_add(struct words *w, const struct words_doc *doc)
{
    size_t atoms[WORDS_FIELDS];
    words_remove(w, doc->id);
    for (unsigned f = 0; f < WORDS_FIELDS; f++) {
        struct reading r = {w, f};
        struct words_tokens to = {.fn = read_token, .arg = &r};
        words_tokenize(doc->fields[f], &to);
        atoms[f] = to.atoms;
    }
    uint8_t title = (uint8_t)(atoms[WORDS_TITLE] < 255 ? atoms[WORDS_TITLE] : 255);
    words_flush(w, take_slot(w, doc->id, class_of(atoms[WORDS_BODY]), title));
}
