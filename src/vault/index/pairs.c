/*
 * For each class of pairs, a row of bits has the notes with such a pair; rows are divided
 * into blocks of as many notes as are counted at a time.
 */
#include "vault/index/pairs.h"

#include "base/array.h"
#include "base/utf8.h"
#include "vault/index/derived.h"
#include "vault/index/file.h"
#include "vault/index/tally.h"

_Static_assert((int)PAIRS_LETTERS <= TALLY_LEAST_MAX, "all pairs can be counted");

struct block {
    uint64_t rows[PAIRS_CLASSES][TALLY_WORDS];
};

struct pairs {
    struct derived derived;
    struct block **blocks; /* by id / TALLY_COLUMNS */
    size_t n;
};

/* --- sets --- */

static void add_pair(struct pairs_set *s, uint32_t a, uint32_t b)
{
    uint32_t pair = (a * 0x9E3779B1U + b) * 0x85EBCA6BU >> 24;
    s->bits[pair / 64] |= UINT64_C(1) << (pair % 64);
}

struct pairs_set pairs_of(str text)
{
    struct pairs_set s = {0};
    uint32_t last = ' ';
    size_t letters = 0;
    for (size_t i = 0, n; i < text.n && letters < PAIRS_LETTERS; i += n, letters++) {
        uint32_t c = utf8_fold_char(utf8_decode(str_skip(text, i), &n));
        c = utf8_is_word(c) ? c : ' ';
        if (c != ' ' || last != ' ')
            add_pair(&s, last, c);
        last = c;
    }
    return s;
}

unsigned pairs_count(const struct pairs_set *s)
{
    return pairs_common(s, s);
}

unsigned pairs_common(const struct pairs_set *a, const struct pairs_set *b)
{
    unsigned n = 0;
    for (size_t i = 0; i < COUNT_OF(a->bits); i++)
        n += (unsigned)__builtin_popcountll(a->bits[i] & b->bits[i]);
    return n;
}

/* The next class of a set from at on; PAIRS_CLASSES: there is none. */
static unsigned next_class(const struct pairs_set *s, unsigned at)
{
    for (; at < PAIRS_CLASSES; at = (at / 64 + 1) * 64) {
        uint64_t left = s->bits[at / 64] >> at % 64;
        if (left != 0)
            return at + (unsigned)__builtin_ctzll(left);
    }
    return PAIRS_CLASSES;
}

/* --- collecting --- */

static void pairs_clear(void *t)
{
    struct pairs *p = t;
    for (size_t i = 0; i < p->n; i++)
        free(p->blocks[i]);
    free(p->blocks);
    p->blocks = NULL;
    p->n = 0;
}

static size_t pairs_memory(const void *t)
{
    const struct pairs *p = t;
    return sizeof(*p) + p->n * (sizeof(struct block *) + sizeof(struct block));
}

static void change_title(struct pairs *p, const struct file *f, bool add)
{
    if (f->kind != FILE_NOTE)
        return;
    while (p->n <= f->id / TALLY_COLUMNS)
        *ARRAY_ADD(NULL, p->blocks, p->n) = mem_zero(sizeof(struct block));
    struct block *b = p->blocks[f->id / TALLY_COLUMNS];
    size_t word = f->id % TALLY_COLUMNS / 64;
    uint64_t bit = UINT64_C(1) << f->id % 64;
    struct pairs_set s = pairs_of(file_title(f->path));
    for (unsigned i = 0; (i = next_class(&s, i)) < PAIRS_CLASSES; i++) {
        uint64_t *at = &b->rows[i][word];
        *at = add ? *at | bit : *at & ~bit;
    }
}

static void pairs_add(void *t, const struct file *f)
{
    change_title(t, f, true);
}

static void pairs_remove(void *t, const struct file *f)
{
    change_title(t, f, false);
}

const struct derived_kind pairs_kind = {
    .size = sizeof(struct pairs),
    .add = pairs_add,
    .remove = pairs_remove,
    .clear = pairs_clear,
    .memory = pairs_memory,
};

/* --- asking --- */

size_t pairs_sharing(const struct pairs *p, struct arena *a, const struct pairs_set *set,
                     unsigned least, file_id **out)
{
    struct tally_row rows[PAIRS_CLASSES];
    uint64_t found[TALLY_WORDS];
    size_t n = 0;
    *out = NULL;
    for (size_t k = 0; k < p->n; k++) {
        size_t n_rows = 0;
        for (unsigned i = 0; (i = next_class(set, i)) < PAIRS_CLASSES; i++)
            rows[n_rows++] = (struct tally_row){p->blocks[k]->rows[i], 0};
        tally(rows, n_rows, least, found);
        for (size_t i = 0; i < TALLY_WORDS; i++)
            for (uint64_t left = found[i]; left != 0; left &= left - 1)
                *ARRAY_ADD(a, *out, n) = (file_id)(k * TALLY_COLUMNS + 64 * i) +
                                         (file_id)__builtin_ctzll(left);
    }
    return n;
}
