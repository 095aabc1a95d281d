#include "vault/meaning/boilerplate.h"

#include "base/array.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/sort.h"
#include "vault/index/file.h"
#include "vault/meaning/paragraphs.h"

enum {
    BOILERPLATE_COUNTERS = 1 << 21,
    BOILERPLATE_SHARED_MAX = 100000, /* paragraphs that are weighed */
};

struct boilerplate_shared {
    uint64_t hash;
    uint32_t notes, last; /* how many have it; the number of the last one */
};

struct boilerplate_counter {
    uint16_t *counters;
    size_t least;
    uint32_t note; /* the number of the note in the second round, from 1 */
    struct map_index table;
    struct boilerplate_shared *shared;
    size_t n_shared;
};

static uint64_t boilerplate_hash(str paragraph)
{
    return hash_content(str_trim_line(paragraph)).low;
}

struct boilerplate_counter *boilerplate_begin(size_t notes)
{
    struct boilerplate_counter *c = mem_zero(sizeof(*c));
    c->counters = mem_zero(BOILERPLATE_COUNTERS * sizeof(*c->counters));
    c->least = notes / BOILERPLATE_PART > BOILERPLATE_MIN ? notes / BOILERPLATE_PART
                                                          : BOILERPLATE_MIN;
    if (c->least > UINT16_MAX)
        c->least = UINT16_MAX;
    return c;
}

void boilerplate_screen(struct boilerplate_counter *c, const struct file *f)
{
    struct paragraphs all = paragraphs_of(f);
    struct paragraph p;
    while (paragraphs_next(&all, &p)) {
        uint64_t hash = boilerplate_hash(span_of(f->text, p.span));
        uint16_t *counter = &c->counters[hash % BOILERPLATE_COUNTERS];
        if (p.span.end > p.span.start && *counter < UINT16_MAX)
            ++*counter;
    }
}

static struct boilerplate_shared *boilerplate_find(struct boilerplate_counter *c,
                                                   uint64_t hash)
{
    size_t at = 0;
    for (uint32_t i; (i = map_next(&c->table, hash, &at)) != MAP_NONE;)
        if (c->shared[i].hash == hash)
            return &c->shared[i];
    if (c->n_shared == BOILERPLATE_SHARED_MAX)
        return NULL;
    map_put(&c->table, NULL, hash, (uint32_t)c->n_shared);
    struct boilerplate_shared *s = ARRAY_ADD(NULL, c->shared, c->n_shared);
    *s = (struct boilerplate_shared){.hash = hash};
    return s;
}

void boilerplate_count(struct boilerplate_counter *c, const struct file *f)
{
    struct paragraphs all = paragraphs_of(f);
    struct paragraph p;
    c->note++;
    while (paragraphs_next(&all, &p)) {
        uint64_t hash = boilerplate_hash(span_of(f->text, p.span));
        if (p.span.end == p.span.start ||
            c->counters[hash % BOILERPLATE_COUNTERS] < c->least)
            continue;
        struct boilerplate_shared *s = boilerplate_find(c, hash);
        if (s == NULL || s->last == c->note)
            continue;
        s->last = c->note;
        s->notes++;
    }
}

static int boilerplate_order(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

struct boilerplate boilerplate_end(struct boilerplate_counter *c)
{
    struct boilerplate out = {0};
    for (size_t i = 0; i < c->n_shared; i++)
        if (c->shared[i].notes >= c->least)
            *ARRAY_ADD(NULL, out.hashes, out.n) = c->shared[i].hash;
    if (out.n > 0)
        sort_items(out.hashes, out.n, sizeof(*out.hashes), boilerplate_order);
    free(c->counters);
    free(c->table.slots);
    free(c->shared);
    free(c);
    return out;
}

void boilerplate_release(struct boilerplate *c)
{
    free(c->hashes);
    *c = (struct boilerplate){0};
}

bool boilerplate_same(const struct boilerplate *a, const struct boilerplate *b)
{
    return a->n == b->n &&
           (a->n == 0 || memcmp(a->hashes, b->hashes, a->n * sizeof(*a->hashes)) == 0);
}

bool boilerplate_has(const struct boilerplate *c, str paragraph)
{
    if (c == NULL || c->n == 0)
        return false;
    uint64_t hash = boilerplate_hash(paragraph);
    return bsearch(&hash, c->hashes, c->n, sizeof(hash), boilerplate_order) != NULL;
}
