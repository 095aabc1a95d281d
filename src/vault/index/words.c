#include "vault/index/words.h"

#include "base/os/rand.h"
#include "vault/index/words_index.h"

void words_set_paths(struct words *w, const struct names *names)
{
    w->paths = names;
}

struct words *words_create(void)
{
    struct words *w = mem_alloc(sizeof(*w));
    *w = (struct words){
        .n_slots = 1, .sweep.at = UINT32_MAX, .term_filter = term_filter_create()};
    rand_bytes(w->key, sizeof(w->key));
    return w;
}

static void free_terms(struct words *w)
{
    for (uint32_t i = 0; i < w->n_terms; i++)
        if (w->terms[i].used > WORDS_FEW && !words_is_packed(&w->terms[i]))
            free(words_allocated(&w->terms[i]));
    free(w->terms);
    free(w->names);
    free(w->table);
}

void words_free(struct words *w)
{
    if (w == NULL)
        return;
    if (!w->borrowed)
        free_terms(w);
    free(w->own_packed);
    term_filter_free(w->term_filter);
    free(w->ids);
    free(w->lengths);
    free(w->titles);
    free(w->languages);
    free(w->slots);
    words_sweep_release(&w->sweep);
    free(w);
}

size_t words_count(const struct words *w)
{
    return w->live;
}

size_t words_languages(const struct words *w, struct words_language out[LANGUAGES])
{
    size_t n = 0;
    for (unsigned l = LANGUAGE_UNKNOWN + 1; l < LANGUAGES; l++) {
        if (w->spoken[l] == 0)
            continue;
        size_t at = n++;
        for (; at > 0 && out[at - 1].documents < w->spoken[l]; at--)
            out[at] = out[at - 1];
        out[at] = (struct words_language){l, w->spoken[l]};
    }
    return n;
}

size_t words_memory(const struct words *w)
{
    return sizeof(*w) + w->cap_terms * sizeof(*w->terms) + w->cap_names +
           w->table_size * sizeof(*w->table) + w->cap_slots * (sizeof(*w->ids) + 3) +
           w->n_ids * sizeof(*w->slots) + w->sweep.cap * sizeof(*w->sweep.moved) +
           w->sweep.buffer_size + w->list_bytes +
           (w->own_packed != NULL ? w->n_packed : 0) + term_filter_memory(w->term_filter);
}

/*
 * Lengths are stored in a byte: exact below 16, then with three bits after the leading
 * one, that is within 6 %. Classes begin at 1.
 */
uint8_t words_length_class(size_t length)
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
    w->languages = mem_grow(w->languages, w->cap_slots);
    if (first) /* slot 0 is never used */
        w->ids[0] = w->lengths[0] = w->titles[0] = w->languages[0] = 0;
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

uint32_t words_take_slot(struct words *w, uint32_t id, struct words_size size)
{
    grow_slots(w);
    uint32_t slot = w->n_slots++;
    w->ids[slot] = id;
    w->lengths[slot] = size.length;
    w->titles[slot] = size.title;
    w->languages[slot] = size.language;
    w->spoken[size.language]++;
    grow_ids(w, id);
    w->slots[id] = slot;
    w->live++;
    w->length += words_length_of(size.length);
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
    w->spoken[w->languages[slot]]--;
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

static void flush_some(struct words *w, const struct words_reader *r, uint32_t first,
                       size_t n, uint32_t slot)
{
    struct words_key keys[WORDS_AT_A_TIME];
    uint32_t terms[WORDS_AT_A_TIME];
    for (size_t i = 0; i < n; i++)
        words_make_key(w->key, words_reader_name(r, r->counts[first + i].token),
                       &keys[i]);
    words_intern(w, keys, n, terms);
    for (size_t i = 0; i < n; i++) {
        struct words_term *t = &w->terms[terms[i]];
        words_append(w, t, words_is_old(w, t) ? w->sweep.n - 1 : slot,
                     r->counts[first + i].tf);
    }
}

void words_add(struct words *w, const struct words_doc *doc)
{
    struct words_reader r = {0};
    words_own(w);
    words_drop(w, doc->id);
    words_sweep_some(w);
    words_reader_begin(&r, w->key);
    uint32_t slot = words_take_slot(w, doc->id, words_read(&r, doc));
    for (uint32_t i = 0; i < r.n; i += WORDS_AT_A_TIME)
        flush_some(w, &r, i, r.n - i < WORDS_AT_A_TIME ? r.n - i : WORDS_AT_A_TIME, slot);
    words_reader_release(&r);
}
