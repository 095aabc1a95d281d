/*
 * Reading a document. Its tokens are first counted among themselves, in a table that fits
 * into the processor's cache; then each different one is looked up in the index. Nearly
 * all of that is waiting for memory, so it is done for a few at a time, step by step,
 * each step asking for what the next one needs.
 */
#include "vault/words_index.h"

enum { TABLE_LEAST = 1024, FEW_AT_A_TIME = 16 };

static void grow_table(struct words_reader *r)
{
    free(r->table);
    r->table_size = r->table_size > 0 ? r->table_size * 2 : TABLE_LEAST;
    r->table = mem_zero(size_mul(r->table_size, sizeof(*r->table)));
    for (uint32_t p = 0; p < r->n; p++) {
        uint32_t i = (uint32_t)r->pending[p].hash & (r->table_size - 1);
        while (r->table[i] != 0)
            i = (i + 1) & (r->table_size - 1);
        r->table[i] = p + 1;
    }
}

static str name_of(const struct words_reader *r, const struct words_pending *p)
{
    return (str){r->names + p->name + 1, (unsigned char)r->names[p->name]};
}

static struct words_pending *add_pending(struct words_reader *r, str name, uint64_t hash)
{
    r->pending = words_room(r->pending, r->n, 1, &r->cap, sizeof(*r->pending));
    r->names = words_room(r->names, r->n_names, (uint32_t)name.n + 1, &r->cap_names, 1);
    struct words_pending *p = &r->pending[r->n++];
    *p = (struct words_pending){.hash = hash, .name = r->n_names};
    r->names[r->n_names] = (char)name.n;
    memcpy(r->names + r->n_names + 1, name.p, name.n);
    r->n_names += (uint32_t)name.n + 1;
    return p;
}

void words_pend(struct words *w, str name, enum words_field field)
{
    struct words_reader *r = &w->reader;
    if (r->n >= r->table_size / 2)
        grow_table(r);
    uint64_t hash = words_hash(w->key, name);
    uint32_t mask = r->table_size - 1, i = (uint32_t)hash & mask;
    for (; r->table[i] != 0; i = (i + 1) & mask) {
        struct words_pending *p = &r->pending[r->table[i] - 1];
        if (p->hash == hash && words_same(name_of(r, p), name)) {
            p->tf[field]++;
            return;
        }
    }
    add_pending(r, name, hash)->tf[field] = 1;
    r->table[i] = r->n;
}

/* Ask for where the next byte of the list goes. */
static void fetch_end(const struct words_term *t)
{
    if (t->used > WORDS_FEW) {
        __builtin_prefetch(t->list);
        __builtin_prefetch(t->list->bytes + t->used);
    }
}

static void flush_few(struct words *w, struct words_pending *p, size_t n, uint32_t slot)
{
    const struct words_term *guess[FEW_AT_A_TIME];
    for (size_t i = 0; i < n; i++)
        words_fetch_place(w, p[i].hash);
    for (size_t i = 0; i < n; i++) {
        guess[i] = words_guess(w, p[i].hash);
        __builtin_prefetch(guess[i]);
    }
    for (size_t i = 0; i < n; i++)
        if (guess[i] != NULL) {
            __builtin_prefetch(w->names + guess[i]->name);
            fetch_end(guess[i]);
        }
    for (size_t i = 0; i < n; i++) {
        struct words_posting posting = {.slot = slot};
        memcpy(posting.tf, p[i].tf, sizeof(posting.tf));
        struct words_term *t =
            words_intern_hash(w, name_of(&w->reader, &p[i]), p[i].hash);
        words_append(w, t, &posting);
    }
}

void words_flush(struct words *w, uint32_t slot)
{
    struct words_reader *r = &w->reader;
    for (uint32_t i = 0; i < r->n; i += FEW_AT_A_TIME) {
        size_t n = r->n - i < FEW_AT_A_TIME ? r->n - i : FEW_AT_A_TIME;
        flush_few(w, &r->pending[i], n, slot);
    }
    if (r->table_size > 0)
        memset(r->table, 0, r->table_size * sizeof(*r->table));
    r->n = 0;
    r->n_names = 0;
}

void words_reader_release(struct words_reader *r)
{
    free(r->pending);
    free(r->names);
    free(r->table);
    *r = (struct words_reader){0};
}
