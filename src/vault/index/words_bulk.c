/*
 * Many documents at a time. While they are read, the counts of each are only appended to
 * a log, in the order of its tokens; the lists of all words are made at the end, when
 * their lengths are known. So nothing grows but the log, and memory is mostly accessed in
 * order.
 *
 * An item of the log is token * 8 + form, with the forms of a list (words_index.h) and
 * the same numbers after it. The tokens of the first bulk become the terms of the index;
 * those of the others are renumbered.
 */
#include "base/os/rand.h"
#include "vault/index/words_index.h"

enum { AHEAD = 16 }; /* how far in the log lists are prefetched */

struct bulk_doc {
    uint32_t id;
    struct words_size size;
    uint32_t end; /* of its items in the log */
};

struct words_bulk {
    struct words_reader reader;
    struct bulk_doc *docs;
    uint32_t n, cap;
    uint32_t *log;
    uint32_t n_log, cap_log;
};

struct words_bulk *words_bulk_create(void)
{
    uint64_t key[2];
    struct words_bulk *b = mem_zero(sizeof(*b));
    rand_bytes(key, sizeof(key));
    words_reader_begin(&b->reader, key);
    return b;
}

void words_bulk_free(struct words_bulk *b)
{
    if (b == NULL)
        return;
    words_reader_release(&b->reader);
    free(b->docs);
    free(b->log);
    free(b);
}

/* --- the log --- */

static uint32_t *log_count(uint32_t *out, const struct words_count *c)
{
    uint32_t fields = 0, item = (c->token - 1) << 3, body = c->tf[WORDS_BODY];
    for (unsigned f = 0; f < WORDS_FIELDS; f++)
        fields |= (uint32_t)(c->tf[f] > 0) << f;
    if (fields == 1u << WORDS_BODY && body <= WORDS_IN_BODY) {
        *out++ = item | (body - 1);
        return out;
    }
    if (fields == 1u << WORDS_BODY) {
        *out++ = item | WORDS_IN_BODY;
    } else {
        *out++ = item | WORDS_IN_FIELDS;
        *out++ = fields;
    }
    for (unsigned f = 0; f < WORDS_FIELDS; f++)
        if (c->tf[f] > 0)
            *out++ = c->tf[f];
    return out;
}

void words_bulk_add(struct words_bulk *b, const struct words_doc *doc)
{
    enum { ITEM_MAX = 2 + WORDS_FIELDS };
    const struct words_reader *r = &b->reader;
    struct words_size size = words_read(&b->reader, doc);
    if (r->n_tokens >= WORDS_SLOTS_MAX)
        BUG("the index has too many words");
    b->log = words_room(b->log, b->n_log, r->n * ITEM_MAX + AHEAD, &b->cap_log,
                        sizeof(*b->log));
    uint32_t *out = b->log + b->n_log;
    for (uint32_t i = 0; i < r->n; i++)
        out = log_count(out, &r->counts[i]);
    b->n_log = (uint32_t)(out - b->log);
    b->docs = words_room(b->docs, b->n, 1, &b->cap, sizeof(*b->docs));
    b->docs[b->n++] = (struct bulk_doc){doc->id, size, b->n_log};
}

/* The numbers after an item. */
static inline unsigned more_of(const uint32_t *item)
{
    unsigned form = item[0] & 7;
    if (form < WORDS_IN_BODY)
        return 0;
    return form == WORDS_IN_BODY ? 1 : 1 + (unsigned)__builtin_popcount(item[1]);
}

/* Give the tokens of b the numbers that they have in first. */
static void renumber(struct words_bulk *b, struct words_reader *first)
{
    uint32_t *to = mem_alloc(size_mul(b->reader.n_tokens, sizeof(*to)) + 1);
    for (uint32_t t = 0; t < b->reader.n_tokens; t++)
        to[t] = words_reader_token(first, words_reader_name(&b->reader, t + 1)) - 1;
    words_reader_release(&b->reader);
    for (uint32_t i = 0; i < b->n_log; i += 1 + more_of(&b->log[i]))
        b->log[i] = to[b->log[i] >> 3] << 3 | (b->log[i] & 7);
    free(to);
}

/* --- the documents of several bulks, by id --- */

struct bulk_part {
    const struct words_bulk *bulk;
    uint32_t next; /* document */
};

static const struct bulk_doc *next_doc(const struct bulk_part *p)
{
    return p->next < p->bulk->n ? &p->bulk->docs[p->next] : NULL;
}

/* The part with the smallest id; NULL at the end. */
static struct bulk_part *next_part(struct bulk_part *parts, size_t n)
{
    struct bulk_part *least = NULL;
    for (size_t i = 0; i < n; i++)
        if (next_doc(&parts[i]) != NULL &&
            (least == NULL || next_doc(&parts[i])->id < next_doc(least)->id))
            least = &parts[i];
    return least;
}

/* --- the lists --- */

/* A list that is measured first, then written. */
struct bulk_list {
    uint64_t at; /* bytes so far; then where to write */
    uint32_t df, last;
};

struct joining {
    struct words *words;
    struct words_bulk **bulks;
    size_t n;
    struct bulk_list *lists; /* by term */
};

static inline uint32_t size_of(uint32_t number)
{
    return number == 0 ? 1 : (38 - (uint32_t)__builtin_clz(number)) / 7;
}

static inline void measure(struct bulk_list *list, uint32_t first, const uint32_t *more,
                           unsigned n)
{
    list->at += size_of(first);
    for (unsigned i = 0; i < n; i++)
        list->at += size_of(more[i]);
    list->df++;
}

static inline void put(struct bulk_list *list, uint32_t first, const uint32_t *more,
                       unsigned n)
{
    uint8_t *out = words_put_number((uint8_t *)(uintptr_t)list->at, first);
    for (unsigned i = 0; i < n; i++)
        out = words_put_number(out, more[i]);
    list->at = (uintptr_t)out;
}

/* Measure or write the items of one document. */
static inline void go_through(struct bulk_list *lists, const uint32_t *at,
                              const uint32_t *end, uint32_t slot, bool write)
{
    while (at < end) {
        struct bulk_list *list = &lists[at[0] >> 3];
        unsigned more = more_of(at);
        uint32_t first = (slot - list->last) << 3 | (at[0] & 7);
        __builtin_prefetch(&lists[at[AHEAD] >> 3]);
        if (write)
            put(list, first, at + 1, more);
        else
            measure(list, first, at + 1, more);
        list->last = slot;
        at += 1 + more;
    }
}

/* The documents get slots in the order of their ids. */
static void go_through_all(struct joining *j, bool write)
{
    struct bulk_part *parts = mem_alloc(size_mul(j->n, sizeof(*parts))), *p;
    for (size_t i = 0; i < j->n; i++)
        parts[i] = (struct bulk_part){.bulk = j->bulks[i]};
    for (uint32_t slot = 1; (p = next_part(parts, j->n)) != NULL; slot++) {
        const struct bulk_doc *doc = next_doc(p);
        const uint32_t *log = p->bulk->log;
        uint32_t begin = p->next > 0 ? doc[-1].end : 0;
        if (!write && doc->id < j->words->n_ids && j->words->slots[doc->id] != 0)
            BUG("document %u is there twice", doc->id);
        if (!write)
            words_take_slot(j->words, doc->id, doc->size);
        go_through(j->lists, log + begin, log + doc->end, slot, write);
        p->next++;
    }
    free(parts);
}

/* Make the terms, with room for their lists, which have been measured. */
static void make_terms(struct joining *j, const struct words_reader *r)
{
    struct words *w = j->words;
    w->terms = mem_alloc(size_mul(r->n_tokens, sizeof(*w->terms)) + 1);
    w->n_terms = w->cap_terms = r->n_tokens;
    for (uint32_t i = 0; i < w->n_terms; i++) {
        const struct bulk_list *list = &j->lists[i];
        struct words_term *t = &w->terms[i];
        if (list->at > INT32_MAX)
            BUG("a list is too long");
        *t = (struct words_term){.name = r->starts[i], .used = (uint32_t)list->at};
        t->last = list->last;
        if (t->used <= WORDS_FEW)
            continue;
        t->list = WORDS_PACKED | w->n_packed;
        t->df = list->df;
        w->n_packed += t->used;
    }
    uint8_t *packed = mem_alloc(w->n_packed + 1);
    w->packed = w->own_packed = packed;
    for (uint32_t i = 0; i < w->n_terms; i++) {
        struct words_term *t = &w->terms[i];
        uint8_t *to = t->used > WORDS_FEW ? packed + (t->list & ~WORDS_PACKED) : t->few;
        j->lists[i] = (struct bulk_list){.at = (uintptr_t)to};
    }
}

static void take_names(struct words *w, struct words_reader *r)
{
    w->names = mem_grow(r->names, size_add(r->n_names, WORDS_HEAD));
    memset(w->names + r->n_names, 0, WORDS_HEAD);
    w->n_names = r->n_names;
    w->cap_names = r->n_names + WORDS_HEAD;
    r->names = NULL;
}

struct words *words_bulk_join(struct words_bulk **bulks, size_t n)
{
    struct words *w = words_create();
    struct words_reader *r = &bulks[0]->reader;
    for (size_t i = 1; i < n; i++)
        renumber(bulks[i], r);
    struct joining j = {w, bulks, n,
                        mem_zero(size_mul(r->n_tokens, sizeof(*j.lists)) + 1)};
    memcpy(w->key, r->key, sizeof(w->key));
    go_through_all(&j, false);
    make_terms(&j, r);
    go_through_all(&j, true);
    free(j.lists);
    take_names(w, r);
    words_make_table(w, words_table_size(w->n_terms));
    for (size_t i = 0; i < n; i++)
        words_bulk_free(bulks[i]);
    return w;
}
