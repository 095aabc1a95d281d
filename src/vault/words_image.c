/*
 * An index as bytes: a header, then the sections below, each padded to eight bytes. Lists
 * are used where they lie; all other things are small and copied. The table is in it with
 * its key, so an image is as secret as the texts it was made of.
 *
 * Whatever an image says is checked when it is loaded, except what lists hold: who reads
 * one stops at its end, and at a slot that there is not.
 */
#include "vault/image.h"
#include "vault/words_index.h"

static const char magic[8] = "VWORDS2";

struct image_header {
    char magic[8];
    uint32_t n_terms, n_names, n_slots, n_ids;
    uint64_t n_lists; /* bytes of the lists */
    uint64_t key[2];
    uint64_t table_size;
};

/* In the order of names. Longer lists lie one behind the other in that order. */
struct image_term {
    uint32_t used;
    uint32_t last;
    union {
        uint8_t few[WORDS_FEW];
        uint32_t df;
    };
};

enum section { IDS, SLOTS, LENGTHS, TITLES, NAMES, TERMS, TABLE, LISTS, SECTIONS };

static uint64_t padded(uint64_t n)
{
    return (n + 7) / 8 * 8;
}

/* Where each section begins; the last is the end of all. */
static void lay_out(const struct image_header *h, uint64_t at[SECTIONS + 1])
{
    const uint64_t sizes[SECTIONS] = {
        [IDS] = (uint64_t)h->n_slots * sizeof(uint32_t),
        [SLOTS] = (uint64_t)h->n_ids * sizeof(uint32_t),
        [LENGTHS] = h->n_slots,
        [TITLES] = h->n_slots,
        [NAMES] = h->n_names,
        [TERMS] = (uint64_t)h->n_terms * sizeof(struct image_term),
        [TABLE] = h->table_size * sizeof(struct words_place),
        [LISTS] = h->n_lists,
    };
    at[0] = sizeof(*h);
    for (unsigned s = 0; s < SECTIONS; s++)
        at[s + 1] = at[s] + padded(sizes[s]);
}

/* The terms as they are written: those that have postings, with today's slots. */
struct packing {
    struct image_term *terms;
    uint32_t n_terms;
    char *names;
    uint32_t n_names;
    uint8_t *lists;
    uint64_t n_lists;
    const struct words_place *table; /* of these terms; NULL: not made yet */
    uint32_t table_size;
};

static void pack_name(struct packing *p, str name)
{
    p->names[p->n_names] = (char)name.n;
    memcpy(p->names + p->n_names + 1, name.p, name.n);
    p->n_names += (uint32_t)name.n + 1;
}

static void pack_list(struct packing *p, const uint8_t *bytes, uint32_t used,
                      struct words_end end)
{
    struct image_term *t = &p->terms[p->n_terms++];
    *t = (struct image_term){.used = used, .last = end.last};
    if (used <= WORDS_FEW) {
        memcpy(t->few, bytes, used);
        return;
    }
    t->df = end.df;
    memcpy(p->lists + p->n_lists, bytes, used);
    p->n_lists += used;
}

static void pack_term(struct packing *p, const struct words *w,
                      const struct words_term *t, uint8_t *buffer)
{
    struct words_end end = {.last = t->last};
    const uint8_t *bytes = words_bytes(t);
    uint32_t used = t->used;
    if (words_is_old(w, t)) {
        used = words_rewrite(w, t, buffer, &end);
        bytes = buffer;
    } else if (used > WORDS_FEW) {
        end.df = t->df;
    }
    if (used == 0)
        return;
    pack_name(p, words_name(w, t));
    pack_list(p, bytes, used, end);
}

static void pack(struct packing *p, const struct words *w)
{
    uint64_t lists = 0;
    uint32_t longest = 0;
    for (uint32_t t = 0; t < w->n_terms; t++) {
        uint32_t used = w->terms[t].used;
        lists += used > WORDS_FEW ? used : 0;
        longest = used > longest ? used : longest;
    }
    *p = (struct packing){
        .terms = mem_alloc(size_mul(w->n_terms, sizeof(*p->terms)) + 1),
        .names = mem_alloc(size_add(w->n_names, WORDS_HEAD)),
        .lists = mem_alloc(size_add(lists, 1)),
    };
    uint8_t *buffer = mem_alloc(size_add(longest, 1));
    for (uint32_t t = 0; t < w->n_terms; t++)
        pack_term(p, w, &w->terms[t], buffer);
    free(buffer);
    if (p->n_terms == w->n_terms) { /* and so each is where it was */
        p->table = w->table;
        p->table_size = w->table_size;
    }
}

/* Every place is free or has a term, and there are free ones: so who looks for a word
 * finds an end. */
static bool is_table(const struct packing *p)
{
    uint32_t used = 0;
    for (uint32_t i = 0; i < p->table_size; i++) {
        if (p->table[i].term > p->n_terms)
            return false;
        used += p->table[i].term != 0;
    }
    return used == p->n_terms && (used < p->table_size || p->table_size == 0);
}

static bool unpack_table(struct words *w, const struct packing *p)
{
    if (p->table == NULL) {
        words_make_table(w, words_table_size(p->n_terms));
        return true;
    }
    if (!is_table(p))
        return false;
    size_t bytes = size_mul(p->table_size, sizeof(*w->table));
    w->table = mem_alloc(bytes + 1);
    memcpy(w->table, p->table, bytes);
    w->table_size = p->table_size;
    return true;
}

/*
 * Give w the terms, which must have none. False if they cannot be: then w is to be freed.
 * Names are copied, lists stay where they are.
 */
static bool unpack(struct words *w, const struct packing *p)
{
    w->terms = mem_alloc(size_mul(p->n_terms, sizeof(*w->terms)) + 1);
    w->cap_terms = p->n_terms;
    w->names = mem_zero(size_add(p->n_names, WORDS_HEAD));
    w->cap_names = p->n_names + WORDS_HEAD;
    w->n_names = p->n_names;
    w->packed = p->lists;
    w->n_packed = p->n_lists;
    memcpy(w->names, p->names, p->n_names);
    uint32_t name = 0;
    uint64_t list = 0;
    for (uint32_t i = 0; i < p->n_terms; i++) {
        const struct image_term *from = &p->terms[i];
        struct words_term *t = &w->terms[i];
        uint32_t length = name < p->n_names ? (unsigned char)w->names[name] : 0;
        uint32_t size = from->used > WORDS_FEW ? from->used : 0;
        if (length == 0 || length > WORDS_TOKEN_MAX || length >= p->n_names - name ||
            from->used == 0 || from->used > INT32_MAX || size > p->n_lists - list)
            return false;
        *t = (struct words_term){.name = name, .used = from->used, .last = from->last};
        memcpy(t->few, from->few, WORDS_FEW);
        if (size > 0) {
            t->list = p->lists + list;
            t->df = from->df;
        }
        w->n_terms++;
        name += length + 1;
        list += size;
    }
    return name == p->n_names && unpack_table(w, p);
}

void words_trim(struct words *w)
{
    struct packing p;
    pack(&p, w);
    struct words_place *table = w->table;
    w->table = NULL;
    words_release_terms(w);
    words_reader_release(&w->reader);
    words_sweep_release(&w->sweep);
    if (!unpack(w, &p))
        BUG("the index does not fit itself");
    w->own_packed = p.lists;
    free(table);
    free(p.terms);
    free(p.names);
}

/* An index of these terms only, whose table p then has. */
static struct words *make_table_of(const struct words *w, struct packing *p)
{
    struct words *packed = words_create();
    memcpy(packed->key, w->key, sizeof(packed->key));
    if (!unpack(packed, p))
        BUG("the index does not fit itself");
    p->table = packed->table;
    p->table_size = packed->table_size;
    return packed;
}

void words_save(const struct words *w,
                void (*write)(void *arg, const void *bytes, size_t n), void *arg)
{
    static const uint8_t none[sizeof(uint32_t)]; /* slot 0, if there is no other */
    const struct image_out out = {write, arg};
    struct packing p;
    pack(&p, w);
    struct words *packed = p.table == NULL ? make_table_of(w, &p) : NULL;
    struct image_header h = {.n_terms = p.n_terms,
                             .n_names = p.n_names,
                             .n_slots = w->n_slots,
                             .n_ids = w->n_ids,
                             .n_lists = p.n_lists,
                             .key = {w->key[0], w->key[1]},
                             .table_size = p.table_size};
    memcpy(h.magic, magic, sizeof(magic));
    bool empty = w->cap_slots == 0;
    image_put(&out, &h, sizeof(h));
    image_put(&out, empty ? (const void *)none : w->ids, h.n_slots * sizeof(*w->ids));
    image_put(&out, w->slots, h.n_ids * sizeof(*w->slots));
    image_put(&out, empty ? none : w->lengths, h.n_slots);
    image_put(&out, empty ? none : w->titles, h.n_slots);
    image_put(&out, p.names, p.n_names);
    image_put(&out, p.terms, p.n_terms * sizeof(*p.terms));
    image_put(&out, p.table, p.table_size * sizeof(*p.table));
    image_put(&out, p.lists, p.n_lists);
    words_free(packed);
    free(p.terms);
    free(p.names);
    free(p.lists);
}

static void *copy(const char *from, size_t n)
{
    char *p = mem_alloc(size_add(n, 1));
    memcpy(p, from, n);
    return p;
}

/* The documents; false if slots and ids do not belong together. */
static bool load_slots(struct words *w, const struct image_header *h, const char *image,
                       const uint64_t at[SECTIONS])
{
    w->n_slots = w->cap_slots = h->n_slots;
    w->n_ids = h->n_ids;
    w->ids = copy(image + at[IDS], h->n_slots * sizeof(*w->ids));
    w->slots = copy(image + at[SLOTS], h->n_ids * sizeof(*w->slots));
    w->lengths = copy(image + at[LENGTHS], h->n_slots);
    w->titles = copy(image + at[TITLES], h->n_slots);
    w->lengths[0] = 0;
    for (uint32_t slot = 1; slot < h->n_slots; slot++) {
        if (w->lengths[slot] == 0)
            continue;
        if (w->ids[slot] >= h->n_ids || w->slots[w->ids[slot]] != slot)
            return false;
        w->live++;
        w->length += words_length_of(w->lengths[slot]);
    }
    uint32_t with_slot = 0;
    for (uint32_t id = 0; id < h->n_ids; id++)
        with_slot += w->slots[id] != 0;
    return with_slot == w->live;
}

static bool load_terms(struct words *w, const struct image_header *h, const char *image,
                       const uint64_t at[SECTIONS])
{
    /* Nothing is written there: lists in an image are never changed. */
    struct packing p = {.terms = (struct image_term *)(void *)(image + at[TERMS]),
                        .n_terms = h->n_terms,
                        .names = (char *)(image + at[NAMES]),
                        .n_names = h->n_names,
                        .lists = (uint8_t *)(image + at[LISTS]),
                        .n_lists = h->n_lists,
                        .table = (const void *)(image + at[TABLE]),
                        .table_size = (uint32_t)h->table_size};
    memcpy(w->key, h->key, sizeof(w->key));
    return unpack(w, &p);
}

static bool is_image(str image, struct image_header *h, uint64_t at[SECTIONS + 1])
{
    if (image.n < sizeof(*h) || (uintptr_t)image.p % 8 != 0)
        return false;
    memcpy(h, image.p, sizeof(*h));
    if (memcmp(h->magic, magic, sizeof(magic)) != 0 || h->n_lists > image.n ||
        h->n_slots == 0 || h->n_slots > WORDS_SLOTS_MAX || h->table_size > UINT32_MAX ||
        h->n_names > UINT32_MAX - WORDS_HEAD)
        return false;
    lay_out(h, at);
    return at[SECTIONS] == image.n;
}

bool words_load(str image, struct words **out, struct err *err)
{
    struct image_header h;
    uint64_t at[SECTIONS + 1];
    if (!is_image(image, &h, at))
        return err_set(err, ERR_INVALID, "this is no image of an index");
    struct words *w = words_create();
    if (!load_slots(w, &h, image.p, at) || !load_terms(w, &h, image.p, at)) {
        words_free(w);
        return err_set(err, ERR_INVALID, "the image of the index is damaged");
    }
    *out = w;
    return true;
}
