#include "vault/index/words.h"

#include "base/os/rand.h"
#include "vault/index/words_index.h"

static void init(struct words *w)
{
    *w = (struct words){
        .n_slots = 1, .sweep.at = UINT32_MAX, .sieve = words_sieve_create()};
    rand_bytes(w->key, sizeof(w->key));
}

struct words *words_create(void)
{
    struct words *w = mem_alloc(sizeof(*w));
    init(w);
    return w;
}

void words_release_terms(struct words *w)
{
    for (uint32_t i = 0; i < w->n_terms && !w->borrowed; i++)
        if (w->terms[i].used > WORDS_FEW && !words_is_packed(&w->terms[i]))
            free(words_allocated(&w->terms[i]));
    free(w->own_packed);
    if (!w->borrowed) {
        free(w->terms);
        free(w->names);
        free(w->table);
    }
    w->own_packed = w->terms = NULL;
    w->names = NULL;
    w->table = NULL;
    w->packed = NULL;
    w->borrowed = false;
    w->n_terms = w->cap_terms = w->n_names = w->cap_names = w->table_size = 0;
    w->n_packed = w->list_bytes = 0;
    memset(w->unused, 0, sizeof(w->unused));
    words_sieve_clear(w->sieve);
}

static void words_release(struct words *w)
{
    words_release_terms(w);
    words_sieve_free(w->sieve);
    free(w->ids);
    free(w->lengths);
    free(w->titles);
    free(w->slots);
    words_reader_release(&w->reader);
    words_sweep_release(&w->sweep);
}

void words_clear(struct words *w)
{
    words_release(w);
    init(w);
}

void words_free(struct words *w)
{
    if (w == NULL)
        return;
    words_release(w);
    free(w);
}

size_t words_count(const struct words *w)
{
    return w->live;
}

size_t words_memory(const struct words *w)
{
    return sizeof(*w) + w->cap_terms * sizeof(*w->terms) + w->cap_names +
           w->table_size * sizeof(*w->table) + w->cap_slots * (sizeof(*w->ids) + 2) +
           w->n_ids * sizeof(*w->slots) + w->reader.cap * sizeof(*w->reader.pending) +
           w->reader.cap_names + w->reader.cap_table * sizeof(*w->reader.table) +
           w->sweep.cap * sizeof(*w->sweep.moved) + w->sweep.buffer_size + w->list_bytes +
           (w->own_packed != NULL ? w->n_packed : 0) + words_sieve_memory(w->sieve);
}

/*
 * Lengths are stored in a byte: exact below 16, then with three bits after the leading
 * one, that is within 6 %. Classes begin at 1.
 */
static uint8_t class_of(size_t length)
{
    uint32_t n = length < UINT32_MAX ? (uint32_t)length : UINT32_MAX;
    if (n < 16)
        return (uint8_t)(n + 1);
    unsigned shift = 28 - (unsigned)__builtin_clz(n);
    return (uint8_t)(1 + 8 * shift + (n >> shift));
}

uint32_t words_length_of(uint8_t length_class)
{
    unsigned c = length_class - 1u;
    if (c < 16)
        return c;
    unsigned shift = c / 8 - 1;
    return (8 + c % 8) << shift;
}

static void grow_slots(struct words *w)
{
    if (w->n_slots < w->cap_slots)
        return;
    if (w->n_slots >= WORDS_SLOTS_MAX)
        BUG("too many documents");
    bool first = w->cap_slots == 0;
    w->cap_slots = w->n_slots + w->n_slots / 2 + 64;
    w->ids = mem_grow(w->ids, w->cap_slots * sizeof(*w->ids));
    w->lengths = mem_grow(w->lengths, w->cap_slots);
    w->titles = mem_grow(w->titles, w->cap_slots);
    if (first) /* slot 0 is never used */
        w->ids[0] = w->lengths[0] = w->titles[0] = 0;
}

static void grow_ids(struct words *w, uint32_t id)
{
    if (id < w->n_ids)
        return;
    if (id >= WORDS_SLOTS_MAX)
        BUG("document id %u is not small", id);
    uint32_t n = id + id / 2 + 64;
    w->slots = mem_grow(w->slots, n * sizeof(*w->slots));
    memset(w->slots + w->n_ids, 0, (n - w->n_ids) * sizeof(*w->slots));
    w->n_ids = n;
}

uint32_t words_take_slot(struct words *w, uint32_t id, uint8_t length, uint8_t title)
{
    grow_slots(w);
    uint32_t slot = w->n_slots++;
    w->ids[slot] = id;
    w->lengths[slot] = length;
    w->titles[slot] = title;
    if (length == 0)
        return slot;
    grow_ids(w, id);
    w->slots[id] = slot;
    w->live++;
    w->length += words_length_of(length);
    struct words_sweep *s = &w->sweep;
    if (s->moved != NULL) {
        s->moved = words_room(s->moved, s->n, 1, &s->cap, sizeof(*s->moved));
        s->moved[s->n++] = slot;
    }
    return slot;
}

/* Whether there was such a document. */
static bool words_drop(struct words *w, uint32_t id)
{
    uint32_t slot = id < w->n_ids ? w->slots[id] : 0;
    if (slot == 0)
        return false;
    w->length -= words_length_of(w->lengths[slot]);
    w->lengths[slot] = 0;
    w->slots[id] = 0;
    w->live--;
    return true;
}

void words_remove(struct words *w, uint32_t id)
{
    if (words_drop(w, id))
        words_sweep_some(w);
}

void words_add(struct words *w, const struct words_doc *doc)
{
    size_t atoms[WORDS_FIELDS];
    words_own(w);
    words_drop(w, doc->id);
    words_sweep_some(w);
    for (unsigned f = 0; f < WORDS_FIELDS; f++)
        atoms[f] = words_read_field(w, f, doc->fields[f]);
    uint8_t title = (uint8_t)(atoms[WORDS_TITLE] < 255 ? atoms[WORDS_TITLE] : 255);
    words_flush(w, words_take_slot(w, doc->id, class_of(atoms[WORDS_BODY]), title));
}
