/*
 * Reads a document. Its tokens are first counted in a small table that fits into the
 * processor's cache; then each different token is looked up in the index.
 *
 * Nearly all text is ASCII, so there is a fast path for it: 64 bytes at a time become
 * bits, ones for letters and digits; a run of ones is a word; its first 16 bytes are
 * folded, hashed and compared as two numbers. Pieces between two spaces that are not all
 * ASCII go through words_tokenize().
 */
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/text.h"
#include "vault/index/words_index.h"

enum {
    TABLE_LEAST = 2048,
    BLOCK = 64,
    READABLE = BLOCK + WORDS_HEAD, /* the most bytes read at a time */
    KEEP_MOST = 1 << 14,           /* tokens; the memory of larger documents is freed */
};

static void set_table(struct words_reader *r, uint32_t size)
{
    if (size > r->cap_table) {
        free(r->table);
        r->table = mem_alloc(size_mul(size, sizeof(*r->table)));
        r->cap_table = size;
    }
    memset(r->table, 0, size * sizeof(*r->table));
    r->table_size = size;
}

static void grow_table(struct words_reader *r)
{
    set_table(r, r->table_size * 2);
    for (uint32_t p = 0; p < r->n; p++) {
        uint32_t i = (uint32_t)r->pending[p].key.hash & (r->table_size - 1);
        while (r->table[i] != 0)
            i = (i + 1) & (r->table_size - 1);
        r->table[i] = p + 1;
    }
}

/* Add a new token with one occurrence; place is the free place in the table. */
static void add_pending(struct words_reader *r, uint32_t place,
                        const struct words_key *key, enum words_field field)
{
    if (r->n == r->cap)
        r->pending = words_room(r->pending, r->n, 1, &r->cap, sizeof(*r->pending));
    struct words_pending *p = &r->pending[r->n++];
    *p = (struct words_pending){.key = *key, .name = r->n_names};
    p->tf[field] = 1;
    r->table[place] = r->n;
    if (r->n >= r->table_size / 2)
        grow_table(r);
}

/* A token of up to WORDS_HEAD bytes. */
static inline void count_short(struct words *w, enum words_field field,
                               const uint64_t head[2], uint32_t length)
{
    struct words_reader *r = &w->reader;
    uint64_t hash = words_hash_head(w->key, head);
    uint32_t mask = r->table_size - 1, i = (uint32_t)hash & mask;
    for (; r->table[i] != 0; i = (i + 1) & mask) {
        struct words_pending *p = &r->pending[r->table[i] - 1];
        const struct words_key *k = &p->key;
        if (k->head[0] == head[0] && k->head[1] == head[1] && k->length == length) {
            p->tf[field]++;
            return;
        }
    }
    const struct words_key key = {{head[0], head[1]}, hash, NULL, length};
    add_pending(r, i, &key, field);
}

static const char *words_reader_name_of(const struct words_reader *r,
                                        const struct words_pending *p)
{
    return p->key.length > WORDS_HEAD ? r->names + p->name : (const char *)p->key.head;
}

static void count_long(struct words *w, enum words_field field, str name)
{
    struct words_reader *r = &w->reader;
    struct words_key key;
    words_make_key(w, name, &key);
    uint32_t mask = r->table_size - 1, i = (uint32_t)key.hash & mask;
    for (; r->table[i] != 0; i = (i + 1) & mask) {
        struct words_pending *p = &r->pending[r->table[i] - 1];
        if (p->key.hash == key.hash &&
            str_eq((str){words_reader_name_of(r, p), p->key.length}, name)) {
            p->tf[field]++;
            return;
        }
    }
    r->names = words_room(r->names, r->n_names, (uint32_t)name.n, &r->cap_names, 1);
    memcpy(r->names + r->n_names, name.p, name.n);
    add_pending(r, i, &key, field);
    r->n_names += (uint32_t)name.n;
}

/* WORDS_HEAD bytes of name may be read. */
static void words_reader_count(struct words *w, enum words_field field, str name)
{
    uint64_t head[2];
    if (name.n > WORDS_HEAD) {
        count_long(w, field, name);
        return;
    }
    words_head(name.p, name.n, head);
    count_short(w, field, head, (uint32_t)name.n);
}

/* What a byte after a word may do to it. */
enum { NOTHING, JOINS, EXTRA };
static const uint8_t follower[256] = {
    ['-'] = JOINS, ['\''] = JOINS, ['_'] = JOINS, ['+'] = EXTRA, ['#'] = EXTRA};

/* A run of ASCII that is being read; it ends after a space or at the end of the text. */
struct words_reader_run {
    struct words *words;
    enum words_field field;
    const char *p;
    size_t n;
    size_t readable; /* bytes readable at p, at least n */
    size_t atoms;

    size_t start, end;              /* the word before */
    bool joins;                     /* it joins the next one if that follows directly */
    char together[WORDS_TOKEN_MAX]; /* words joined so far, */
    size_t n_together;              /* 0: none; more than WORDS_TOKEN_MAX: too long */
};

static void fold(char *out, const char *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = (char)(p[i] | 0x20); /* lower case; digits stay the same */
}

static size_t cut(size_t n)
{
    return n < WORDS_TOKEN_MAX ? n : WORDS_TOKEN_MAX;
}

static void join(struct words_reader_run *r, size_t start, size_t end)
{
    size_t n = cut(end - start), have = r->n_together;
    if (have + n <= WORDS_TOKEN_MAX)
        fold(r->together + have, r->p + start, n);
    r->n_together += n;
}

static void end_join(struct words_reader_run *r)
{
    if (r->n_together <= WORDS_TOKEN_MAX)
        words_reader_count(r->words, r->field, (str){r->together, r->n_together});
    r->n_together = 0;
}

static void count_extra(struct words_reader_run *r, size_t start, size_t end)
{
    char text[WORDS_TOKEN_MAX];
    size_t n = cut(end - start), extra = words_extra((str){r->p, r->n}, end, n);
    if (extra == 0 || n + extra > WORDS_TOKEN_MAX)
        return;
    fold(text, r->p + start, n);
    memcpy(text + n, r->p + end, extra);
    words_reader_count(r->words, r->field, (str){text, n + extra});
}

/* Handle a word together with the one before it and the bytes after it. */
static inline void note_word(struct words_reader_run *r, size_t start, size_t end)
{
    uint8_t next = end < r->n ? follower[(unsigned char)r->p[end]] : NOTHING;
    if (r->joins && start == r->end + 1) {
        if (r->n_together == 0)
            join(r, r->start, r->end);
        join(r, start, end);
    } else if (r->n_together > 0) {
        end_join(r);
    }
    if (next == EXTRA)
        count_extra(r, start, end);
    r->start = start;
    r->end = end;
    r->joins = next == JOINS;
    r->atoms++;
}

/* Read one word; WORDS_HEAD bytes at bytes are readable. */
static inline void read_word(struct words_reader_run *r, const char *bytes, size_t start,
                             size_t end)
{
    static const uint64_t lower = 0x2020202020202020u;
    size_t n = end - start;
    if (n <= WORDS_HEAD) {
        uint64_t head[2], folded[2];
        memcpy(head, bytes, sizeof(head));
        head[0] |= lower;
        head[1] |= lower;
        words_head((const char *)head, n, folded);
        count_short(r->words, r->field, folded, (uint32_t)n);
    } else {
        char text[WORDS_TOKEN_MAX];
        fold(text, r->p + start, cut(n));
        count_long(r->words, r->field, (str){text, cut(n)});
    }
    note_word(r, start, end);
}

/* A bit for each of BLOCK bytes: set if it is an ASCII letter or digit. */
static uint64_t word_bits(const char *p)
{
    uint64_t bits = 0;
#ifdef __SSE2__
    for (unsigned i = 0; i < BLOCK; i += 16) {
        __m128i c = _mm_loadu_si128((const __m128i *)(const void *)(p + i));
        __m128i low = _mm_or_si128(c, _mm_set1_epi8(0x20));
        __m128i letter = _mm_and_si128(_mm_cmpgt_epi8(low, _mm_set1_epi8('a' - 1)),
                                       _mm_cmplt_epi8(low, _mm_set1_epi8('z' + 1)));
        __m128i digit = _mm_and_si128(_mm_cmpgt_epi8(c, _mm_set1_epi8('0' - 1)),
                                      _mm_cmplt_epi8(c, _mm_set1_epi8('9' + 1)));
        unsigned word = (unsigned)_mm_movemask_epi8(_mm_or_si128(letter, digit));
        bits |= (uint64_t)word << i;
    }
#else
    for (unsigned i = 0; i < BLOCK; i++)
        bits |= (uint64_t)is_alnum((unsigned char)p[i]) << i;
#endif
    return bits;
}

/*
 * Read the words of the block at at. Returns where to continue; a word is never cut in
 * two.
 */
static size_t read_block(struct words_reader_run *r, size_t at)
{
    char last[READABLE];
    const char *block = r->p + at;
    size_t n = r->n - at < BLOCK ? r->n - at : BLOCK;
    if (r->readable - at < READABLE) { /* never read past the text */
        memset(last, 0, sizeof(last));
        memcpy(last, block, r->readable - at);
        block = last;
    }
    uint64_t bits = word_bits(block);
    if (n < BLOCK)
        bits &= ((uint64_t)1 << n) - 1;
    while (bits != 0) {
        unsigned start = (unsigned)__builtin_ctzll(bits);
        uint64_t gap = ~bits & ~(((uint64_t)1 << start) - 1);
        unsigned end = gap != 0 ? (unsigned)__builtin_ctzll(gap) : BLOCK;
        if (end == BLOCK && at + BLOCK < r->n) {
            if (start > 0)
                return at + start;
            size_t far = at + BLOCK;
            while (far < r->n && is_alnum((unsigned char)r->p[far]))
                far++;
            read_word(r, block, at, far);
            return far;
        }
        read_word(r, block + start, at + start, at + end);
        bits = end < BLOCK ? bits & ~(((uint64_t)1 << end) - 1) : 0;
    }
    return at + n;
}

static size_t read_ascii(struct words *w, enum words_field field, str text, size_t from,
                         size_t to)
{
    struct words_reader_run r;
    r.words = w;
    r.field = field;
    r.p = text.p + from;
    r.n = to - from;
    r.readable = text.n - from;
    r.atoms = r.n_together = r.start = r.end = 0;
    r.joins = false;
    for (size_t at = 0; at < r.n;)
        at = read_block(&r, at);
    if (r.n_together > 0)
        end_join(&r);
    return r.atoms;
}

struct reading {
    struct words *words;
    enum words_field field;
};

static bool read_token(void *arg, const struct words_token *t)
{
    struct reading *r = arg;
    words_reader_count(r->words, r->field, t->text);
    return true;
}

/* The end of the ASCII text at at, which ends at a space or the end of the text. */
static size_t ascii_end(str s, size_t at)
{
    size_t end = at;
#ifdef __SSE2__
    while (s.n - end >= 16 && _mm_movemask_epi8(_mm_loadu_si128(
                                  (const __m128i *)(const void *)(s.p + end))) == 0)
        end += 16;
#endif
    while (end < s.n && (unsigned char)s.p[end] < 0x80)
        end++;
    while (end < s.n && end > at && !words_is_gap(s.p[end - 1]))
        end--;
    return end;
}

/* The end of the other text at at: the first space that is followed by ASCII. */
static size_t mixed_end(str s, size_t at)
{
    for (; at + 1 < s.n; at++)
        if (words_is_gap(s.p[at]) && (unsigned char)s.p[at + 1] < 0x80)
            return at;
    return s.n;
}

size_t words_read_field(struct words *w, enum words_field field, str text)
{
    size_t atoms = 0;
    if (w->reader.n == 0) /* small again, for the processor's cache */
        set_table(&w->reader, TABLE_LEAST);
    for (size_t at = 0, end; at < text.n; at = end) {
        end = ascii_end(text, at);
        atoms += read_ascii(w, field, text, at, end);
        if (end == text.n)
            break;
        struct reading r = {w, field};
        struct words_tokens to = {.fn = read_token, .arg = &r};
        at = end;
        end = mixed_end(text, at);
        words_tokenize(str_slice(text, at, end), &to);
        atoms += to.atoms;
    }
    return atoms;
}

static void flush_some(struct words *w, struct words_pending *p, size_t n, uint32_t slot)
{
    const struct words_key *keys[WORDS_AT_A_TIME] = {0};
    uint32_t terms[WORDS_AT_A_TIME];
    for (size_t i = 0; i < n; i++) {
        p[i].key.name = words_reader_name_of(&w->reader, &p[i]);
        keys[i] = &p[i].key;
    }
    words_intern(w, keys, n, terms);
    for (size_t i = 0; i < n; i++) {
        struct words_term *t = &w->terms[terms[i]];
        words_append(w, t, words_is_old(w, t) ? w->sweep.n - 1 : slot, p[i].tf);
    }
}

void words_flush(struct words *w, uint32_t slot)
{
    struct words_reader *r = &w->reader;
    for (uint32_t i = 0; i < r->n; i += WORDS_AT_A_TIME) {
        size_t n = r->n - i < WORDS_AT_A_TIME ? r->n - i : WORDS_AT_A_TIME;
        flush_some(w, &r->pending[i], n, slot);
    }
    if (r->n > KEEP_MOST)
        words_reader_release(r);
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
