/*
 * For each class of pairs, a row of bits has the notes with such a pair; rows are divided
 * into blocks of as many notes as are counted at a time.
 */
#include "vault/index/title_bigrams.h"

#include "base/array.h"
#include "base/utf8.h"
#include "vault/index/bit_counter.h"
#include "vault/index/derived.h"
#include "vault/index/file.h"

_Static_assert((int)TITLE_BIGRAMS_LETTERS <= BIT_COUNTER_LEAST_MAX,
               "all pairs can be counted");

struct title_bigrams_block {
    uint64_t rows[TITLE_BIGRAMS_CLASSES][BIT_COUNTER_WORDS];
};

struct title_bigrams {
    struct derived derived;
    struct title_bigrams_block **blocks; /* by id / BIT_COUNTER_COLUMNS */
    size_t n;
};

/* --- sets --- */

static void add_pair(struct title_bigrams_set *s, uint32_t a, uint32_t b)
{
    uint32_t pair = (a * 0x9E3779B1U + b) * 0x85EBCA6BU >> 24;
    s->bits[pair / 64] |= UINT64_C(1) << (pair % 64);
}

struct title_bigrams_set title_bigrams_of(str text)
{
    struct title_bigrams_set s = {0};
    uint32_t last = ' ';
    size_t letters = 0;
    for (size_t i = 0, n; i < text.n && letters < TITLE_BIGRAMS_LETTERS;
         i += n, letters++) {
        uint32_t c = utf8_fold_char(utf8_decode(str_skip(text, i), &n));
        c = utf8_is_word(c) ? c : ' ';
        if (c != ' ' || last != ' ')
            add_pair(&s, last, c);
        last = c;
    }
    return s;
}

unsigned title_bigrams_count(const struct title_bigrams_set *s)
{
    return title_bigrams_common(s, s);
}

unsigned title_bigrams_common(const struct title_bigrams_set *a,
                              const struct title_bigrams_set *b)
{
    unsigned n = 0;
    for (size_t i = 0; i < COUNT_OF(a->bits); i++)
        n += (unsigned)__builtin_popcountll(a->bits[i] & b->bits[i]);
    return n;
}

/* The next class of a set from at on; TITLE_BIGRAMS_CLASSES: there is none. */
static unsigned next_class(const struct title_bigrams_set *s, unsigned at)
{
    for (; at < TITLE_BIGRAMS_CLASSES; at = (at / 64 + 1) * 64) {
        uint64_t left = s->bits[at / 64] >> at % 64;
        if (left != 0)
            return at + (unsigned)__builtin_ctzll(left);
    }
    return TITLE_BIGRAMS_CLASSES;
}

/* --- collecting --- */

static void title_bigrams_clear(void *t)
{
    struct title_bigrams *p = t;
    for (size_t i = 0; i < p->n; i++)
        free(p->blocks[i]);
    free(p->blocks);
    p->blocks = NULL;
    p->n = 0;
}

static size_t title_bigrams_memory(const void *t)
{
    const struct title_bigrams *p = t;
    return sizeof(*p) + p->n * (sizeof(struct title_bigrams_block *) +
                                sizeof(struct title_bigrams_block));
}

static void change_title(struct title_bigrams *p, const struct file *f, bool add)
{
    if (f->kind != FILE_NOTE)
        return;
    while (p->n <= f->id / BIT_COUNTER_COLUMNS)
        *ARRAY_ADD(NULL, p->blocks, p->n) = mem_zero(sizeof(struct title_bigrams_block));
    struct title_bigrams_block *b = p->blocks[f->id / BIT_COUNTER_COLUMNS];
    size_t word = f->id % BIT_COUNTER_COLUMNS / 64;
    uint64_t bit = UINT64_C(1) << f->id % 64;
    struct title_bigrams_set s = title_bigrams_of(file_title(f->path));
    for (unsigned i = 0; (i = next_class(&s, i)) < TITLE_BIGRAMS_CLASSES; i++) {
        uint64_t *at = &b->rows[i][word];
        *at = add ? *at | bit : *at & ~bit;
    }
}

static void title_bigrams_add(void *t, const struct file *f)
{
    change_title(t, f, true);
}

static void title_bigrams_remove(void *t, const struct file *f)
{
    change_title(t, f, false);
}

const struct derived_kind title_bigrams_kind = {
    .size = sizeof(struct title_bigrams),
    .add = title_bigrams_add,
    .remove = title_bigrams_remove,
    .clear = title_bigrams_clear,
    .memory = title_bigrams_memory,
};

/* --- asking --- */

size_t title_bigrams_sharing(const struct title_bigrams *p, struct arena *a,
                             const struct title_bigrams_set *set, unsigned least,
                             file_id **out)
{
    struct bit_counter_row rows[TITLE_BIGRAMS_CLASSES];
    uint64_t found[BIT_COUNTER_WORDS];
    size_t n = 0;
    *out = NULL;
    for (size_t k = 0; k < p->n; k++) {
        size_t n_rows = 0;
        for (unsigned i = 0; (i = next_class(set, i)) < TITLE_BIGRAMS_CLASSES; i++)
            rows[n_rows++] = (struct bit_counter_row){p->blocks[k]->rows[i], 0};
        bit_counter_least(rows, n_rows, least, found);
        for (size_t i = 0; i < BIT_COUNTER_WORDS; i++)
            for (uint64_t left = found[i]; left != 0; left &= left - 1)
                *ARRAY_ADD(a, *out, n) = (file_id)(k * BIT_COUNTER_COLUMNS + 64 * i) +
                                         (file_id)__builtin_ctzll(left);
    }
    return n;
}
