/*
 * Every word has an anchor: the run of its bytes that are the same in every spelling. If
 * case matters, that is the whole word; otherwise the longest run without k and s, whose
 * other spellings (U+212A, U+017F) have more bytes. Scanning finds places where the run
 * may occur; then the rest of the word is compared on both sides of it.
 */
#include "vault/text/needles.h"

#include "base/os/machine.h"
#include "base/text.h"
#include "vault/text/needles_pair.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

enum { PRINT_MAX = 3, BUCKETS = 8 };

struct needles_word {
    str text; /* in lower case if case is ignored */
    size_t anchor, run;
};

struct needles {
    struct needles_word words[NEEDLES_MAX];
    size_t n;
    bool nocase;
    bool shuffle; /* the machine has PSHUFB */

    struct needles_pair pair; /* for one word: two bytes of its run */

    /*
     * for several words: the buckets that a byte allows at each position of the
     * fingerprint
     */
    size_t print;
    uint32_t bucket[BUCKETS]; /* its words, as bits */
    uint8_t fits[PRINT_MAX][256];
    uint8_t low[PRINT_MAX][16], high[PRINT_MAX][16];
};

static uint8_t lower(uint8_t c)
{
    return is_letter(c) ? c | 0x20 : c;
}

/* Higher for bytes that are rarer in notes. */
static int rarity(uint8_t c)
{
    static const char common[] = " etaonisrhldcumfpgwybv,.-k\n";
    const char *p = c != 0 ? strchr(common, lower(c)) : NULL;
    return p != NULL ? (int)(p - common) : c >= 0x80 ? 20 : 64;
}

static void find_anchor(struct needles_word *w, bool nocase)
{
    w->anchor = 0;
    w->run = nocase ? 0 : w->text.n;
    for (size_t i = 0; nocase && i < w->text.n;) {
        size_t j = i;
        while (j < w->text.n && w->text.p[j] != 'k' && w->text.p[j] != 's')
            j++;
        if (j - i > w->run) {
            w->anchor = i;
            w->run = j - i;
        }
        i = j + 1;
    }
}

/* The two rarest bytes of the only word's run. */
static void choose_pair(struct needles *n)
{
    const struct needles_word *w = &n->words[0];
    const uint8_t *run = (const uint8_t *)w->text.p + w->anchor;
    size_t best[2] = {0, w->run > 1 ? 1 : 0};
    for (size_t i = 1; i < w->run && i < 255; i++) {
        if (rarity(run[i]) > rarity(run[best[0]])) {
            best[1] = best[0];
            best[0] = i;
        } else if (i > 1 && rarity(run[i]) > rarity(run[best[1]])) {
            best[1] = i;
        }
    }
    for (int k = 0; k < 2; k++) {
        n->pair.at[k] = best[k];
        n->pair.byte[k] = run[best[k]];
        n->pair.fold[k] = n->nocase && is_letter(run[best[k]]) ? 0x20 : 0;
    }
    needles_pair_choose(&n->pair);
}

static void print_byte(struct needles *n, size_t k, uint8_t c, uint8_t bit)
{
    n->fits[k][c] |= bit;
    n->low[k][c & 15] |= bit;
    n->high[k][c >> 4] |= bit;
}

static void choose_prints(struct needles *n)
{
    n->print = PRINT_MAX;
    for (size_t i = 0; i < n->n; i++)
        if (n->words[i].run < n->print)
            n->print = n->words[i].run;
    for (size_t i = 0; i < n->n; i++) {
        const struct needles_word *w = &n->words[i];
        uint8_t bit = (uint8_t)(1 << i % BUCKETS);
        n->bucket[i % BUCKETS] |= 1u << i;
        for (size_t k = 0; k < n->print; k++) {
            uint8_t c = (uint8_t)w->text.p[w->anchor + k];
            print_byte(n, k, c, bit);
            if (n->nocase && is_letter(c))
                print_byte(n, k, c & 0xDF, bit);
        }
    }
}

struct needles *needles_create(struct arena *a, const str *words, size_t n, bool nocase)
{
    if (n == 0 || n > NEEDLES_MAX)
        return NULL;
    struct needles *made = ARENA_NEW(a, struct needles);
    made->n = n;
    made->nocase = nocase;
#ifdef __x86_64__
    made->shuffle = machine_can(MACHINE_SSSE3);
#endif
    for (size_t i = 0; i < n; i++) {
        if (words[i].n == 0)
            return NULL;
        str copy = arena_str(a, words[i]);
        for (size_t k = 0; nocase && k < copy.n; k++) {
            if ((uint8_t)copy.p[k] >= 0x80)
                return NULL;
            ((char *)copy.p)[k] = (char)lower((uint8_t)copy.p[k]);
        }
        made->words[i].text = copy;
        find_anchor(&made->words[i], nocase);
        if (made->words[i].run == 0)
            return NULL;
    }
    choose_pair(made);
    choose_prints(made);
    return made;
}

/*
 * The number of bytes at p, of which n are readable, that spell the folded c; 0 if they
 * do not.
 */
static size_t spells(const uint8_t *p, size_t n, uint8_t c)
{
    if (n > 0 && lower(p[0]) == c)
        return 1;
    if (c == 's' && n >= 2 && p[0] == 0xC5 && p[1] == 0xBF)
        return 2;
    if (c == 'k' && n >= 3 && p[0] == 0xE2 && p[1] == 0x84 && p[2] == 0xAA)
        return 3;
    return 0;
}

/* The same for the n bytes before p. */
static size_t spells_before(const uint8_t *p, size_t n, uint8_t c)
{
    for (size_t k = 1; k <= 3 && k <= n; k++)
        if (spells(p - k, k, c) == k)
            return k;
    return 0;
}

/* Whether the word occurs around its run, not starting before from. */
static bool word_at(const struct needles *n, const struct needles_word *w, str text,
                    size_t run, size_t from, size_t *start, size_t *end)
{
    const uint8_t *p = (const uint8_t *)text.p, *word = (const uint8_t *)w->text.p;
    if (!n->nocase) {
        if (text.n - run < w->text.n || memcmp(p + run, word, w->text.n) != 0)
            return false;
        *start = run;
        *end = run + w->text.n;
        return true;
    }
    size_t left = run, right = run;
    for (size_t i = w->anchor, step; i-- > 0; left -= step)
        if ((step = spells_before(p + left, left - from, word[i])) == 0)
            return false;
    for (size_t i = w->anchor, step; i < w->text.n; i++, right += step)
        if ((step = spells(p + right, text.n - right, word[i])) == 0)
            return false;
    *start = left;
    *end = right;
    return true;
}

static bool next_of_one(const struct needles *n, str text, size_t from, size_t *start,
                        size_t *end)
{
    const struct needles_pair *pair = &n->pair;
    for (size_t i = from; (i = pair->find(pair, text, i)) < text.n; i++)
        if (word_at(n, &n->words[0], text, i, from, start, end))
            return true;
    return false;
}

/*
 * Whether a word of these buckets occurs around run; if several do, the first in order.
 */
static bool any_word_at(const struct needles *n, unsigned buckets, str text, size_t run,
                        size_t from, size_t *start, size_t *end)
{
    uint32_t words = 0;
    for (; buckets != 0; buckets &= buckets - 1)
        words |= n->bucket[__builtin_ctz(buckets)];
    for (; words != 0; words &= words - 1)
        if (word_at(n, &n->words[__builtin_ctz(words)], text, run, from, start, end))
            return true;
    return false;
}

static unsigned buckets_at(const struct needles *n, const uint8_t *p)
{
    unsigned fits = n->fits[0][p[0]];
    for (size_t k = 1; k < n->print; k++)
        fits &= n->fits[k][p[k]];
    return fits;
}

#ifdef __x86_64__
/*
 * Sixteen places at a time, starting at *i, until less than a block is left. A byte of
 * fits holds the buckets that are possible at one place: for each byte of the
 * fingerprint, its low and its high half both have to allow a bucket.
 */
__attribute__((target("ssse3"))) static bool next_in_blocks(const struct needles *n,
                                                            str text, size_t *i,
                                                            size_t from, size_t *start,
                                                            size_t *end)
{
    const __m128i nibble = _mm_set1_epi8(15), every = _mm_set1_epi8(-1);
    __m128i low[PRINT_MAX], high[PRINT_MAX];
    for (size_t k = 0; k < PRINT_MAX; k++) {
        bool used = k < n->print; /* after the fingerprint, any byte will do */
        low[k] = used ? _mm_loadu_si128((const __m128i *)n->low[k]) : every;
        high[k] = used ? _mm_loadu_si128((const __m128i *)n->high[k]) : every;
    }
    for (; *i + PRINT_MAX - 1 + 16 <= text.n; *i += 16) {
        __m128i fits = every;
        for (size_t k = 0; k < PRINT_MAX; k++) {
            __m128i x = _mm_loadu_si128((const __m128i *)(text.p + *i + k));
            __m128i l = _mm_shuffle_epi8(low[k], _mm_and_si128(x, nibble));
            x = _mm_and_si128(_mm_srli_epi16(x, 4), nibble);
            fits = _mm_and_si128(fits, _mm_and_si128(l, _mm_shuffle_epi8(high[k], x)));
        }
        __m128i none = _mm_cmpeq_epi8(fits, _mm_setzero_si128());
        unsigned places = (unsigned)_mm_movemask_epi8(none) ^ 0xFFFF;
        if (places == 0)
            continue;
        uint8_t buckets[16];
        _mm_storeu_si128((__m128i *)buckets, fits);
        for (; places != 0; places &= places - 1) {
            unsigned k = (unsigned)__builtin_ctz(places);
            if (any_word_at(n, buckets[k], text, *i + k, from, start, end))
                return true;
        }
    }
    return false;
}
#endif

static bool next_of_many(const struct needles *n, str text, size_t from, size_t *start,
                         size_t *end)
{
    const uint8_t *p = (const uint8_t *)text.p;
    size_t i = from;
#ifdef __x86_64__
    if (n->shuffle && next_in_blocks(n, text, &i, from, start, end))
        return true;
#endif
    for (; i + n->print <= text.n; i++) {
        unsigned fits = buckets_at(n, p + i);
        if (fits != 0 && any_word_at(n, fits, text, i, from, start, end))
            return true;
    }
    return false;
}

bool needles_next(const struct needles *n, str text, size_t from, size_t *start,
                  size_t *end)
{
    if (from >= text.n)
        return false;
    return n->n == 1 ? next_of_one(n, text, from, start, end)
                     : next_of_many(n, text, from, start, end);
}

size_t needles_skip_ascii(str s, size_t i)
{
#ifdef __x86_64__
    for (; i + 16 <= s.n; i += 16) {
        int high = _mm_movemask_epi8(_mm_loadu_si128((const __m128i *)(s.p + i)));
        if (high != 0)
            return i + (size_t)__builtin_ctz((unsigned)high);
    }
#endif
    while (i < s.n && (uint8_t)s.p[i] < 0x80)
        i++;
    return i;
}
