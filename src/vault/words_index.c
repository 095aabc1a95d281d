#include "vault/words_index.h"

enum { TABLE_LEAST = 1024 };

static uint8_t tag_of(uint64_t hash)
{
    return (uint8_t)(hash >> 56);
}

/* The first place of a hash in a table that need not be a power of two. */
static uint32_t home_of(const struct words *w, uint64_t hash)
{
    return (uint32_t)((hash & UINT32_MAX) * w->table_size >> 32);
}

static uint32_t next_place(const struct words *w, uint32_t i)
{
    return i + 1 < w->table_size ? i + 1 : 0;
}

/* Where name is in the table, or the free place where it belongs. */
static uint32_t place_of(const struct words *w, str name, uint64_t hash)
{
    uint8_t tag = tag_of(hash);
    uint32_t i = home_of(w, hash);
    for (; w->table[i] != 0; i = next_place(w, i))
        if (w->tags[i] == tag &&
            words_same(words_name(w, &w->terms[w->table[i] - 1]), name))
            break;
    return i;
}

const struct words_term *words_find(const struct words *w, str name)
{
    if (w->table_size == 0)
        return NULL;
    uint32_t entry = w->table[place_of(w, name, words_hash(w->key, name))];
    return entry != 0 ? &w->terms[entry - 1] : NULL;
}

static void grow_table(struct words *w)
{
    free(w->table);
    free(w->tags);
    w->table_size = w->table_size / 2 * 3 + TABLE_LEAST;
    w->table = mem_zero(size_mul(w->table_size, sizeof(*w->table)));
    w->tags = mem_zero(w->table_size);
    for (uint32_t t = 0; t < w->n_terms; t++) {
        uint64_t hash = words_hash(w->key, words_name(w, &w->terms[t]));
        uint32_t i = home_of(w, hash);
        while (w->table[i] != 0)
            i = next_place(w, i);
        w->table[i] = t + 1;
        w->tags[i] = tag_of(hash);
    }
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

static uint32_t add_term(struct words *w, str name)
{
    w->terms = words_room(w->terms, w->n_terms, 1, &w->cap_terms, sizeof(*w->terms));
    w->names = words_room(w->names, w->n_names, (uint32_t)name.n + 1, &w->cap_names, 1);
    w->terms[w->n_terms] = (struct words_term){.name = w->n_names};
    w->names[w->n_names] = (char)name.n;
    memcpy(w->names + w->n_names + 1, name.p, name.n);
    w->n_names += (uint32_t)name.n + 1;
    return w->n_terms++;
}

struct words_term *words_intern_hash(struct words *w, str name, uint64_t hash)
{
    if (w->n_terms >= w->table_size / 5 * 4)
        grow_table(w);
    uint32_t place = place_of(w, name, hash);
    if (w->table[place] == 0) {
        uint32_t term = add_term(w, name);
        w->table[place] = term + 1;
        w->tags[place] = tag_of(hash);
    }
    return &w->terms[w->table[place] - 1];
}

struct words_term *words_intern(struct words *w, str name)
{
    return words_intern_hash(w, name, words_hash(w->key, name));
}

/* Waits for memory, so there is a call that does not and one that uses what it brought.
 */
void words_fetch_place(const struct words *w, uint64_t hash)
{
    if (w->table_size == 0)
        return;
    __builtin_prefetch(&w->table[home_of(w, hash)]);
    __builtin_prefetch(&w->tags[home_of(w, hash)]);
}

const struct words_term *words_guess(const struct words *w, uint64_t hash)
{
    if (w->table_size == 0)
        return NULL;
    uint32_t i = home_of(w, hash);
    while (w->table[i] != 0 && w->tags[i] != tag_of(hash))
        i = next_place(w, i);
    return w->table[i] != 0 ? &w->terms[w->table[i] - 1] : NULL;
}

static uint8_t *write_number(uint8_t *p, uint32_t value)
{
    for (; value >= 0x80; value >>= 7)
        *p++ = (uint8_t)(value | 0x80);
    *p++ = (uint8_t)value;
    return p;
}

static size_t write_posting(uint8_t *out, uint32_t before, const struct words_posting *p)
{
    uint8_t *end;
    unsigned fields = 0;
    uint32_t body = p->tf[WORDS_BODY], step = (p->slot - before) << 3;
    for (unsigned f = 0; f < WORDS_FIELDS; f++)
        fields |= p->tf[f] > 0 ? 1u << f : 0;
    if (fields == 1u << WORDS_BODY) {
        bool small = body <= WORDS_IN_BODY;
        end = write_number(out, step | (small ? body - 1 : WORDS_IN_BODY));
        return (size_t)((small ? end : write_number(end, body)) - out);
    }
    end = write_number(out, step | WORDS_IN_FIELDS);
    *end++ = (uint8_t)fields;
    for (unsigned f = 0; f < WORDS_FIELDS; f++)
        if (p->tf[f] > 0)
            end = write_number(end, p->tf[f]);
    return (size_t)(end - out);
}

const uint8_t *words_read_posting(const uint8_t *list, struct words_posting *p)
{
    uint32_t step;
    list = words_number(list, &step);
    p->slot += step >> 3;
    memset(p->tf, 0, sizeof(p->tf));
    unsigned form = step & 7;
    if (form == WORDS_IN_BODY)
        return words_number(list, &p->tf[WORDS_BODY]);
    if (form < WORDS_IN_BODY) {
        p->tf[WORDS_BODY] = form + 1;
        return list;
    }
    unsigned fields = *list++;
    for (unsigned f = 0; f < WORDS_FIELDS; f++)
        if (fields >> f & 1)
            list = words_number(list, &p->tf[f]);
    return list;
}

/* Read what a list holds. live: count only live documents, by slot; or NULL. */
static uint32_t count(const struct words_term *t, const uint8_t *live, uint32_t *last)
{
    struct words_posting p = {0};
    uint32_t df = 0;
    for (const uint8_t *at = words_bytes(t), *end = at + t->used; at < end;) {
        at = words_read_posting(at, &p);
        df += live == NULL || live[p.slot] != 0;
    }
    *last = p.slot;
    return df;
}

size_t words_df(const struct words_term *t)
{
    uint32_t last;
    return t->used > WORDS_FEW ? t->list->df : count(t, NULL, &last);
}

size_t words_live_df(const struct words *w, const struct words_term *t)
{
    uint32_t last;
    return w->live + 1 == w->n_slots ? words_df(t) : count(t, w->lengths, &last);
}

/* Memory for a list of n bytes: at most a quarter more, in the steps malloc takes. */
static size_t list_room(uint32_t n)
{
    if (n <= WORDS_FEW)
        return 0;
    size_t step = 16, own = sizeof(size_t), need = own + sizeof(struct words_list) + n;
    while (step * 8 <= need)
        step *= 2;
    return (need + step - 1) / step * step - own;
}

void words_append(struct words *w, struct words_term *t, const struct words_posting *p)
{
    uint8_t bytes[WORDS_POSTING_MAX];
    bool is_long = t->used > WORDS_FEW;
    uint32_t last = is_long ? t->list->last : 0;
    uint32_t df = is_long ? t->list->df : count(t, NULL, &last);
    size_t n = write_posting(bytes, last, p);
    uint32_t used = t->used + (uint32_t)n;
    size_t old = list_room(t->used), want = list_room(used);
    if (want != old) {
        struct words_list *list = mem_grow(is_long ? t->list : NULL, want);
        if (!is_long)
            memcpy(list->bytes, t->few, t->used);
        t->list = list;
        w->list_bytes += want - old + (is_long ? 0 : sizeof(size_t));
    }
    memcpy((want > 0 ? t->list->bytes : t->few) + t->used, bytes, n);
    t->used = used;
    if (want > 0)
        *t->list = (struct words_list){.df = df + 1, .last = p->slot};
}
