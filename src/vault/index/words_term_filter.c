#include "vault/index/words_term_filter.h"

#include <stdatomic.h>

#include "base/utf8.h"
#include "vault/index/bit_counter.h"
#include "vault/index/words_index.h"

enum {
    BATCH = 8192,       /* terms */
    BATCH_LEAST = 1024, /* below this number, it is not worth it */
    GROUP = 32,         /* terms that share their bits of three letters */
    GROUP_WORDS = BATCH / GROUP / 64,
    THREES = 1024, /* classes of three letters in a row */
    CUT = THREES,  /* one more row: words that may have been cut */
    SLICES = BATCH / BIT_COUNTER_COLUMNS,
    CLASSES = 32,  /* of letters */
    LENGTHS = 8,   /* classes of two lengths each; the last has all others */
    MAKE_FEW = 1,  /* batches per question */
    MAKE_MANY = 8, /* if doing without takes longer than making them */
};

/*
 * Bits of three letters are for groups of words in their order, which are also contiguous
 * in memory. The others are for single words, in slices that are counted at once; most of
 * these are in the order of their lengths, so that many slices can be left out.
 */
struct words_batch {
    struct words_batch *_Atomic next;
    uint64_t threes[THREES + 1][GROUP_WORDS];
    uint64_t letters[SLICES][CLASSES][BIT_COUNTER_WORDS];
    uint64_t lengths[SLICES][LENGTHS][BIT_COUNTER_WORDS];
    uint16_t terms[BATCH]; /* by column of letters and lengths, less the batch's first */
    uint32_t n;            /* columns in use */
};
_Static_assert((int)GROUP_WORDS <= BIT_COUNTER_WORDS,
               "the groups of a batch are one slice");

struct term_filter {
    struct words_batch *_Atomic first;
    atomic_flag making; /* only one thread makes a batch, the others do without */
};

struct term_filter *term_filter_create(void)
{
    return mem_zero(sizeof(struct term_filter));
}

void term_filter_clear(struct term_filter *s)
{
    struct words_batch *next = s->first;
    for (struct words_batch *b; (b = next) != NULL;) {
        next = b->next;
        free(b);
    }
    s->first = NULL;
}

void term_filter_free(struct term_filter *s)
{
    term_filter_clear(s);
    free(s);
}

size_t term_filter_memory(const struct term_filter *s)
{
    size_t n = sizeof(*s);
    for (const struct words_batch *b = s->first; b != NULL; b = b->next)
        n += sizeof(*b);
    return n;
}

/* --- making --- */

static unsigned class_of_three(uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t hash = ((a * 0x9E3779B1u + b) * 0x85EBCA6Bu + c) * 0xC2B2AE35u;
    return hash >> 22;
}
_Static_assert(THREES == 1 << 10, "as many as class_of_three() has");

static unsigned class_of_letter(uint32_t letter)
{
    return letter % CLASSES;
}

static unsigned class_of_length(size_t letters)
{
    return letters / 2 < LENGTHS ? (unsigned)letters / 2 : LENGTHS - 1;
}

/* Three letters in a row, and those before them. */
struct letters {
    uint32_t last[3];
    size_t n;
    uint32_t bag;
};

static void take_letter(struct letters *l, uint32_t c)
{
    l->last[0] = l->last[1];
    l->last[1] = l->last[2];
    l->last[2] = c;
    l->bag |= UINT32_C(1) << class_of_letter(c);
    l->n++;
}

/* Whether there are three letters; their class is in *out. */
static bool next_three(struct letters *l, str word, size_t *at, unsigned *out)
{
    while (*at < word.n) {
        size_t n = 1;
        uint32_t c = (unsigned char)word.p[*at];
        if (c >= 0x80)
            c = utf8_decode(str_skip(word, *at), &n);
        *at += n;
        take_letter(l, c);
        *out = class_of_three(l->last[0], l->last[1], l->last[2]);
        if (l->n >= 3)
            return true;
    }
    return false;
}

static void put_single(struct words_batch *b, size_t column, const struct letters *l)
{
    size_t slice = column / BIT_COUNTER_COLUMNS, word = column % BIT_COUNTER_COLUMNS / 64;
    uint64_t bit = UINT64_C(1) << column % 64;
    for (uint32_t bag = l->bag; bag != 0; bag &= bag - 1)
        b->letters[slice][__builtin_ctz(bag)][word] |= bit;
    b->lengths[slice][class_of_length(l->n)][word] |= bit;
}

static void take_single(struct words_batch *b, size_t column)
{
    size_t slice = column / BIT_COUNTER_COLUMNS, word = column % BIT_COUNTER_COLUMNS / 64;
    uint64_t others = ~(UINT64_C(1) << column % 64);
    for (size_t i = 0; i < CLASSES; i++)
        b->letters[slice][i][word] &= others;
    for (size_t i = 0; i < LENGTHS; i++)
        b->lengths[slice][i][word] &= others;
}

static void put_word(struct words_batch *b, size_t term, size_t column, str word)
{
    struct letters l = {.n = 0};
    size_t group = term / GROUP;
    uint64_t bit = UINT64_C(1) << group % 64;
    unsigned three;
    for (size_t at = 0; next_three(&l, word, &at, &three);)
        b->threes[three][group / 64] |= bit;
    if (word.n >= WORDS_CUT_LEAST)
        b->threes[CUT][group / 64] |= bit;
    put_single(b, column, &l);
}

/* The column of a term, which is added if it is new. */
static size_t column_of(struct words_batch *b, uint16_t term)
{
    size_t i = 0;
    while (i < b->n && b->terms[i] != term)
        i++;
    if (i == b->n)
        b->terms[b->n++] = term;
    return i;
}

void term_filter_put(struct words *w, uint32_t term)
{
    struct words_batch *b = w->term_filter->first;
    for (uint32_t i = term / BATCH; i > 0 && b != NULL; i--)
        b = b->next;
    if (b == NULL)
        return;
    size_t column = column_of(b, (uint16_t)(term % BATCH));
    take_single(b, column);
    put_word(b, term % BATCH, column, words_name(w, &w->terms[term]));
}

static size_t count_letters(str word)
{
    size_t n = 0;
    for (size_t i = 0; i < word.n; i++)
        n += ((unsigned char)word.p[i] & 0xC0) != 0x80;
    return n;
}

/* Set b->terms, by class of length. */
static void sort_columns(struct words_batch *b, const struct words *w, uint32_t from)
{
    uint32_t ends[LENGTHS + 1] = {0};
    uint8_t classes[BATCH];
    for (uint32_t i = 0; i < b->n; i++) {
        classes[i] =
            (uint8_t)class_of_length(count_letters(words_name(w, &w->terms[from + i])));
        ends[classes[i] + 1]++;
    }
    for (size_t i = 1; i <= LENGTHS; i++)
        ends[i] += ends[i - 1];
    for (uint32_t i = 0; i < b->n; i++)
        b->terms[ends[classes[i]]++] = (uint16_t)i;
}

static struct words_batch *make_batch(const struct words *w, uint32_t from)
{
    struct words_batch *b = mem_zero(sizeof(*b));
    b->n = w->n_terms - from < BATCH ? w->n_terms - from : BATCH;
    sort_columns(b, w, from);
    for (uint32_t i = 0; i < b->n; i++)
        put_word(b, b->terms[i], i, words_name(w, &w->terms[from + b->terms[i]]));
    return b;
}

/* Make up to n more batches, unless another thread does. */
static void term_filter_more(const struct words *w, int n)
{
    struct term_filter *s = w->term_filter;
    struct words_batch *_Atomic *at = &s->first;
    uint32_t from = 0;
    if (atomic_flag_test_and_set_explicit(&s->making, memory_order_acquire))
        return;
    for (struct words_batch *b; (b = *at) != NULL; from += BATCH)
        at = &b->next;
    for (; n > 0 && w->n_terms >= from + BATCH_LEAST; n--, from += BATCH) {
        struct words_batch *b = make_batch(w, from);
        *at = b;
        at = &b->next;
    }
    atomic_flag_clear_explicit(&s->making, memory_order_release);
}

/* --- going through the batches --- */

static struct words_cursor cursor_on(const struct words *w, int make)
{
    term_filter_more(w, make);
    return (struct words_cursor){.words = w, .next = w->term_filter->first};
}

/* Go to the next slice; a batch has n. False after the last. */
static bool next_slice(struct words_cursor *c, size_t n)
{
    if (c->batch != NULL && c->slice + 1 < n) {
        c->slice++;
        return true;
    }
    if (c->next == NULL)
        return false;
    c->batch = c->next;
    c->next = c->batch->next;
    c->slice = 0;
    c->from = c->end;
    c->end += BATCH;
    return true;
}

/* The position of the first bit that is left, which is removed. */
static bool take_first(struct words_cursor *c, uint32_t *out)
{
    for (uint32_t i = 0; i < BIT_COUNTER_WORDS; i++) {
        if (c->left[i] == 0)
            continue;
        *out = 64 * i + (uint32_t)__builtin_ctzll(c->left[i]);
        c->left[i] &= c->left[i] - 1;
        return true;
    }
    return false;
}

/* The term of a bit of the slice, if each bit is one. */
static uint32_t single_term(const struct words_cursor *c, uint32_t bit)
{
    return c->from + c->batch->terms[c->slice * BIT_COUNTER_COLUMNS + bit];
}

/* --- words that contain something --- */

/* Of less than three letters, each can be looked for. */
static void filter_letters(struct term_candidates *s, uint32_t bag)
{
    s->grouped = false;
    for (; bag != 0; bag &= bag - 1)
        s->rows[s->n++] = (uint16_t)__builtin_ctz(bag);
}

void term_candidates_run(struct term_candidates *s, const struct words *w, str run)
{
    struct letters l = {.n = 0};
    unsigned three;
    *s = (struct term_candidates){.at = cursor_on(w, MAKE_FEW), .grouped = true};
    for (size_t at = 0; s->n < TERM_FILTER_ROWS && next_three(&l, run, &at, &three);)
        s->rows[s->n++] = (uint16_t)three;
    if (s->n == 0)
        filter_letters(s, l.bag);
}

void term_candidates_cut(struct term_candidates *s, const struct words *w)
{
    *s = (struct term_candidates){
        .at = cursor_on(w, MAKE_FEW), .grouped = true, .rows = {CUT}, .n = 1};
}

static void filter_slice(struct term_candidates *s)
{
    const struct words_batch *b = s->at.batch;
    size_t words = s->grouped ? GROUP_WORDS : BIT_COUNTER_WORDS;
    for (size_t i = 0; i < words; i++)
        s->at.left[i] = UINT64_MAX;
    for (size_t k = 0; k < s->n; k++) {
        const uint64_t *row =
            s->grouped ? b->threes[s->rows[k]] : b->letters[s->at.slice][s->rows[k]];
        for (size_t i = 0; i < words; i++)
            s->at.left[i] &= row[i];
    }
}

bool term_candidates_next(struct term_candidates *s, struct words_range *out)
{
    struct words_cursor *c = &s->at;
    const uint32_t n_terms = c->words->n_terms;
    uint32_t bit;
    while (!take_first(c, &bit)) {
        if (!next_slice(c, s->grouped ? 1 : SLICES)) { /* all the others */
            *out = (struct words_range){c->end, n_terms};
            c->end = n_terms;
            return out->from < out->to;
        }
        filter_slice(s);
    }
    out->from = s->grouped ? c->from + bit * GROUP : single_term(c, bit);
    out->to = out->from + (s->grouped ? GROUP : 1);
    out->to = out->to < n_terms ? out->to : n_terms;
    return true;
}

/* --- words that are similar --- */

void words_near_begin(struct words_near *n, const struct words *w,
                      const struct near_letters *word, unsigned max)
{
    *n = (struct words_near){
        .at = cursor_on(w, MAKE_MANY), .letters = word->n, .max = max};
    for (uint32_t i = 0; i < word->n && i < NEAR_MAX; i++)
        n->bag |= UINT32_C(1) << class_of_letter(word->at[i]);
}

/* Those of the slice whose length is near; false if there is none. */
static bool near_length(struct words_near *n)
{
    unsigned from = class_of_length(n->letters > n->max ? n->letters - n->max : 0),
             to = class_of_length(n->letters + n->max);
    uint64_t any = 0;
    memset(n->at.left, 0, sizeof(n->at.left));
    for (unsigned i = from; i <= to; i++)
        for (size_t k = 0; k < BIT_COUNTER_WORDS; k++)
            any |= n->at.left[k] |= n->at.batch->lengths[n->at.slice][i][k];
    return any != 0;
}

/* Remove those whose letters differ in many classes: a slip changes at most two. */
static void near_letters_only(struct words_near *n)
{
    struct bit_counter_row rows[CLASSES];
    uint64_t others[BIT_COUNTER_WORDS];
    for (unsigned i = 0; i < CLASSES; i++)
        rows[i] = (struct bit_counter_row){n->at.batch->letters[n->at.slice][i],
                                           (n->bag >> i & 1) != 0 ? UINT64_MAX : 0};
    bit_counter_least(rows, CLASSES, 2 * n->max + 1, others);
    for (size_t k = 0; k < BIT_COUNTER_WORDS; k++)
        n->at.left[k] &= ~others[k];
}

bool words_near_next(struct words_near *n, uint32_t *term)
{
    struct words_cursor *c = &n->at;
    uint32_t bit;
    while (!take_first(c, &bit)) {
        if (!next_slice(c, SLICES)) { /* the others, one by one */
            *term = c->end;
            c->end += c->end < c->words->n_terms;
            return *term < c->words->n_terms;
        }
        if (near_length(n))
            near_letters_only(n);
    }
    *term = single_term(c, bit);
    return true;
}
