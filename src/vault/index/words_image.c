/*
 * An index as bytes: a header, then the sections below, each padded to eight bytes.
 * Terms, names, table and lists are used in place; everything else is small and copied.
 * The table is included with its key, so an image is as secret as the texts it was made
 * from.
 *
 * Everything in an image is checked when it is loaded, except the contents of lists: the
 * code that reads a list stops at its end and at an invalid slot.
 */
#include "vault/index/image.h"
#include "vault/index/words_index.h"

static const char magic[8] = "VWORDS4";

struct image_header {
    char magic[8];
    uint32_t n_terms, n_names, n_slots, n_ids;
    uint64_t n_lists; /* size of the lists */
    uint64_t key[2];
    uint64_t table_size;
};

/*
 * Other sections follow NAMES, so WORDS_HEAD bytes can be read at the start of any name.
 */
enum words_image_section {
    IDS,
    SLOTS,
    LENGTHS,
    TITLES,
    SPOKEN,
    NAMES,
    TERMS,
    TABLE,
    LISTS,
    SECTIONS
};

static uint64_t words_image_padded(uint64_t n)
{
    return (n + 7) / 8 * 8;
}

/* The offset of each section; the last is the total size. */
static void lay_out(const struct image_header *h, uint64_t at[SECTIONS + 1])
{
    const uint64_t sizes[SECTIONS] = {
        [IDS] = (uint64_t)h->n_slots * sizeof(uint32_t),
        [SLOTS] = (uint64_t)h->n_ids * sizeof(uint32_t),
        [LENGTHS] = h->n_slots,
        [TITLES] = h->n_slots,
        [SPOKEN] = h->n_slots,
        [NAMES] = h->n_names,
        [TERMS] = (uint64_t)h->n_terms * sizeof(struct words_term),
        [TABLE] = h->table_size * sizeof(struct words_place),
        [LISTS] = h->n_lists,
    };
    at[0] = sizeof(*h);
    for (unsigned s = 0; s < SECTIONS; s++)
        at[s + 1] = at[s] + words_image_padded(sizes[s]);
}

/*
 * The terms as they are written: those with postings, in the order of their names, with
 * current slots. Longer lists follow each other in that order.
 */
struct packing {
    struct words_term *terms;
    uint32_t n_terms;
    char *names;
    uint32_t n_names;
    uint8_t *lists;
    uint64_t n_lists;
    struct words_place *table;
    uint32_t table_size;
    bool own_table; /* not the table of the index */
};

static uint32_t pack_name(struct packing *p, str name)
{
    uint32_t at = p->n_names;
    p->names[at] = (char)name.n;
    memcpy(p->names + at + 1, name.p, name.n);
    p->n_names += (uint32_t)name.n + 1;
    return at;
}

static void pack_term(struct packing *p, const struct words *w,
                      const struct words_term *t, uint8_t *buffer)
{
    struct words_end end = {.last = t->last};
    const uint8_t *bytes = words_bytes(w, t);
    uint32_t used = t->used;
    if (words_is_old(w, t)) {
        used = words_rewrite(w, t, buffer, &end);
        bytes = buffer;
    } else if (used > WORDS_FEW) {
        end.df = t->df;
    }
    if (used == 0)
        return;
    struct words_term *to = &p->terms[p->n_terms++];
    *to = (struct words_term){.name = pack_name(p, words_name(w, t)), .used = used};
    if (used <= WORDS_FEW) {
        memcpy(to->few, bytes, used);
    } else {
        to->list = WORDS_PACKED | p->n_lists;
        to->df = end.df;
        memcpy(p->lists + p->n_lists, bytes, used);
        p->n_lists += used;
    }
    to->last = end.last;
}

/* The table of the index can be used if no term has moved. */
static void pack_table(struct packing *p, const struct words *w)
{
    struct words packed = {.terms = p->terms,
                           .n_terms = p->n_terms,
                           .names = p->names,
                           .key = {w->key[0], w->key[1]},
                           .table = w->table,
                           .table_size = w->table_size};
    p->own_table = p->n_terms != w->n_terms;
    if (p->own_table) {
        packed.table = NULL;
        words_make_table(&packed, words_table_size(p->n_terms));
    }
    p->table = packed.table;
    p->table_size = packed.table_size;
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
    pack_table(p, w);
}

/* Every place is free or has a term, and some are free, so that every lookup ends. */
static bool is_table(const struct words *w)
{
    uint32_t used = 0;
    for (uint32_t i = 0; i < w->table_size; i++) {
        if (w->table[i].term > w->n_terms)
            return false;
        used += w->table[i].term != 0;
    }
    return used == w->n_terms && (used < w->table_size || w->table_size == 0);
}

/*
 * Whether names and lists follow each other without gaps up to the end of their section.
 */
static bool are_terms(const struct words *w)
{
    uint32_t name = 0;
    uint64_t list = 0;
    for (uint32_t i = 0; i < w->n_terms; i++) {
        const struct words_term *t = &w->terms[i];
        uint32_t length = name < w->n_names ? (unsigned char)w->names[name] : 0;
        bool is_long = t->used > WORDS_FEW;
        if (length == 0 || length > WORDS_TOKEN_MAX || length >= w->n_names - name ||
            t->name != name || t->used == 0 || t->used > INT32_MAX ||
            (is_long &&
             (t->list != (WORDS_PACKED | list) || t->used > w->n_packed - list)))
            return false;
        name += length + 1;
        list += is_long ? t->used : 0;
    }
    return name == w->n_names;
}

void words_save(const struct words *w,
                void (*write)(void *arg, const void *bytes, size_t n), void *arg)
{
    static const uint8_t none[sizeof(uint32_t)]; /* slot 0, if there are no others */
    const struct image_out out = {write, arg};
    struct packing p;
    pack(&p, w);
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
    image_put(&out, empty ? none : w->languages, h.n_slots);
    image_put(&out, p.names, p.n_names);
    image_put(&out, p.terms, p.n_terms * sizeof(*p.terms));
    image_put(&out, p.table, p.table_size * sizeof(*p.table));
    image_put(&out, p.lists, p.n_lists);
    if (p.own_table)
        free(p.table);
    free(p.terms);
    free(p.names);
    free(p.lists);
}

static void *copy(const void *from, size_t n)
{
    char *p = mem_alloc(size_add(n, 1));
    memcpy(p, from, n);
    return p;
}

/* Load the documents; false if slots and ids do not match. */
static bool load_slots(struct words *w, const struct image_header *h, const char *image,
                       const uint64_t at[SECTIONS])
{
    w->n_slots = w->cap_slots = h->n_slots;
    w->n_ids = h->n_ids;
    w->ids = copy(image + at[IDS], h->n_slots * sizeof(*w->ids));
    w->slots = copy(image + at[SLOTS], h->n_ids * sizeof(*w->slots));
    w->lengths = copy(image + at[LENGTHS], h->n_slots);
    w->titles = copy(image + at[TITLES], h->n_slots);
    w->languages = copy(image + at[SPOKEN], h->n_slots);
    w->lengths[0] = 0;
    for (uint32_t slot = 1; slot < h->n_slots; slot++) {
        if (w->lengths[slot] == 0)
            continue;
        if (w->ids[slot] >= h->n_ids || w->slots[w->ids[slot]] != slot ||
            w->languages[slot] >= LANGUAGES)
            return false;
        w->live++;
        w->spoken[w->languages[slot]]++;
        w->length += words_length_of(w->lengths[slot]);
    }
    uint32_t with_slot = 0;
    for (uint32_t id = 0; id < h->n_ids; id++)
        with_slot += w->slots[id] != 0;
    return with_slot == w->live;
}

/*
 * Nothing is written to the image: words_own() copies terms, names and table first, and
 * lists are never changed in place.
 */
static bool load_terms(struct words *w, const struct image_header *h, const char *image,
                       const uint64_t at[SECTIONS])
{
    w->borrowed = true;
    w->terms = (struct words_term *)(void *)(image + at[TERMS]);
    w->n_terms = w->cap_terms = h->n_terms;
    w->names = (char *)(image + at[NAMES]);
    w->n_names = w->cap_names = h->n_names;
    w->table = (struct words_place *)(void *)(image + at[TABLE]);
    w->table_size = (uint32_t)h->table_size;
    w->packed = (const uint8_t *)(image + at[LISTS]);
    w->n_packed = h->n_lists;
    memcpy(w->key, h->key, sizeof(w->key));
    return are_terms(w) && is_table(w);
}

void words_own(struct words *w)
{
    if (!w->borrowed)
        return;
    char *names = mem_zero(size_add(w->n_names, WORDS_HEAD));
    memcpy(names, w->names, w->n_names);
    w->names = names;
    w->cap_names = w->n_names + WORDS_HEAD;
    w->terms = copy(w->terms, size_mul(w->n_terms, sizeof(*w->terms)));
    w->table = copy(w->table, size_mul(w->table_size, sizeof(*w->table)));
    w->borrowed = false;
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
        return err_set(err, ERR_INVALID, "this is not an image of an index");
    struct words *w = words_create();
    if (!load_slots(w, &h, image.p, at) || !load_terms(w, &h, image.p, at)) {
        words_free(w);
        return err_set(err, ERR_INVALID, "the image of the index is damaged");
    }
    *out = w;
    return true;
}
