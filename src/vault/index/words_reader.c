/*
 * Counts the tokens of a document. What is known about a token is in one place of the
 * table, so that only one line of memory is fetched for it.
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
    TABLE_BITS = 10, /* the least size, as a power of two */
    CACHE_LINE = 64,
    BLOCK = 64,
    READABLE = BLOCK + WORDS_HEAD, /* the most bytes read at a time */
};

static struct words_seen *home_of(const struct words_reader *r, uint32_t hash)
{
    return &r->table[hash >> (32 - r->table_bits)];
}

static struct words_seen *after(const struct words_reader *r, struct words_seen *s)
{
    return s + 1 < r->table + ((size_t)1 << r->table_bits) ? s + 1 : r->table;
}

static void set_table(struct words_reader *r, unsigned bits)
{
    size_t size = sizeof(*r->table) << bits;
    mem_free_aligned(r->table);
    r->table = memset(mem_aligned(CACHE_LINE, size), 0, size);
    r->table_bits = bits;
}

static void words_reader_grow(struct words_reader *r)
{
    struct words_seen *old = r->table, *end = old + ((size_t)1 << r->table_bits);
    r->table = NULL;
    set_table(r, r->table_bits + 1);
    for (struct words_seen *from = old; from < end; from++) {
        if (from->token == 0)
            continue;
        struct words_seen *to = home_of(r, from->hash);
        while (to->token != 0)
            to = after(r, to);
        *to = *from;
    }
    mem_free_aligned(old);
}

/* Room for counts, which are zero until they are used. */
static void make_room(struct words_reader *r, uint32_t more)
{
    uint32_t cap = r->cap;
    if (more <= cap - r->n)
        return;
    r->counts = words_room(r->counts, r->n, more, &r->cap, sizeof(*r->counts));
    memset(r->counts + cap, 0, (r->cap - cap) * sizeof(*r->counts));
}

void words_reader_begin(struct words_reader *r, const uint64_t key[2])
{
    memcpy(r->key, key, sizeof(r->key));
    set_table(r, TABLE_BITS);
    make_room(r, 1);
}

/* Make the place, which is free, that of a new token; returns where the token is now. */
static struct words_seen *words_reader_add_token(struct words_reader *r,
                                                 struct words_seen *place,
                                                 const struct words_key *key)
{
    uint32_t size = key->length + 1;
    r->starts = words_room(r->starts, r->n_tokens, 1, &r->cap_tokens, sizeof(*r->starts));
    r->names = words_room(r->names, r->n_names, size + WORDS_HEAD, &r->cap_names, 1);
    r->names[r->n_names] = (char)key->length;
    memcpy(r->names + r->n_names + 1, key->name, key->length);
    r->starts[r->n_tokens++] = r->n_names;
    r->n_names += size;
    *place = (struct words_seen){.head = {key->head[0], key->head[1]},
                                 .hash = key->hash,
                                 .length = key->length,
                                 .token = r->n_tokens};
    if (r->n_tokens < ((size_t)1 << r->table_bits) / 3 * 2)
        return place;
    words_reader_grow(r);
    place = home_of(r, key->hash);
    while (place->token != r->n_tokens)
        place = after(r, place);
    return place;
}

static inline bool is_seen(const struct words_reader *r, const struct words_seen *s,
                           const struct words_key *key)
{
    if (s->head[0] != key->head[0] || s->head[1] != key->head[1] ||
        s->length != key->length)
        return false;
    return key->length <= WORDS_HEAD ||
           memcmp(words_reader_name(r, s->token).p + WORDS_HEAD, key->name + WORDS_HEAD,
                  key->length - WORDS_HEAD) == 0;
}

static inline struct words_seen *find(struct words_reader *r, const struct words_key *key)
{
    struct words_seen *s = home_of(r, key->hash);
    for (; s->token != 0; s = after(r, s))
        if (is_seen(r, s, key))
            return s;
    return words_reader_add_token(r, s, key);
}

str words_reader_name(const struct words_reader *r, uint32_t token)
{
    const char *name = r->names + r->starts[token - 1];
    return (str){name + 1, (unsigned char)name[0]};
}

uint32_t words_reader_token(struct words_reader *r, str name)
{
    struct words_key key;
    words_make_key(r->key, name, &key);
    return find(r, &key)->token;
}

/* There must be room for another count. Half of all tokens are new in their document, in
 * no order that a processor could predict, so this has no branch for them. */
static inline void count(struct words_reader *r, enum words_field field,
                         const struct words_key *key)
{
    struct words_seen *s = find(r, key);
    bool is_new = r->counts[s->count].token != s->token;
    uint32_t i = is_new ? r->n : s->count;
    r->n += is_new;
    s->count = i;
    r->counts[i].token = s->token;
    r->counts[i].tf[field]++;
}

/* Count the tokens that wait. */
static void count_waiting(struct words_reader *r, enum words_field field)
{
    make_room(r, r->n_waiting);
    for (unsigned i = 0; i < r->n_waiting; i++)
        count(r, field, &r->waiting[i]);
    r->n_waiting = 0;
}

/* Count a token of up to WORDS_HEAD bytes, later: its place is prefetched. */
static inline void count_soon(struct words_reader *r, enum words_field field,
                              const uint64_t head[2], size_t length)
{
    struct words_key *key = &r->waiting[r->n_waiting++];
    uint32_t hash = words_half(words_hash_head(r->key, head));
    *key = (struct words_key){
        {head[0], head[1]}, hash, (const char *)key->head, (uint32_t)length};
    __builtin_prefetch(home_of(r, hash), 1);
    if (r->n_waiting == WORDS_WAITING)
        count_waiting(r, field);
}

static void words_reader_count(struct words_reader *r, enum words_field field, str name)
{
    struct words_key key;
    words_make_key(r->key, name, &key);
    if (name.n <= WORDS_HEAD) {
        count_soon(r, field, key.head, name.n);
        return;
    }
    make_room(r, 1);
    count(r, field, &key);
}

/* What a byte after a word may do to it. */
enum { NOTHING, JOINS, EXTRA };
static const uint8_t follower[256] = {
    ['-'] = JOINS, ['\''] = JOINS, ['_'] = JOINS, ['+'] = EXTRA, ['#'] = EXTRA};

/* A run of ASCII that is being read; it ends after a space or at the end of the text. */
struct words_reader_run {
    struct words_reader *reader;
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

static void words_reader_join(struct words_reader_run *r, size_t start, size_t end)
{
    size_t n = cut(end - start), have = r->n_together;
    if (have + n <= WORDS_TOKEN_MAX)
        fold(r->together + have, r->p + start, n);
    r->n_together += n;
}

static void end_join(struct words_reader_run *r)
{
    if (r->n_together <= WORDS_TOKEN_MAX)
        words_reader_count(r->reader, r->field, (str){r->together, r->n_together});
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
    words_reader_count(r->reader, r->field, (str){text, n + extra});
}

/* Handle a word together with the one before it and the bytes after it. */
static inline void note_word(struct words_reader_run *r, size_t start, size_t end)
{
    uint8_t next = end < r->n ? follower[(unsigned char)r->p[end]] : NOTHING;
    if (r->joins && start == r->end + 1) {
        if (r->n_together == 0)
            words_reader_join(r, r->start, r->end);
        words_reader_join(r, start, end);
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
static inline void words_reader_read_word(struct words_reader_run *r, const char *bytes,
                                          size_t start, size_t end)
{
    static const uint64_t lower = 0x2020202020202020u;
    size_t n = end - start;
    if (n <= WORDS_HEAD) {
        uint64_t head[2], folded[2];
        memcpy(head, bytes, sizeof(head));
        head[0] |= lower;
        head[1] |= lower;
        words_head((const char *)head, n, folded);
        count_soon(r->reader, r->field, folded, n);
    } else {
        char text[WORDS_TOKEN_MAX];
        fold(text, r->p + start, cut(n));
        words_reader_count(r->reader, r->field, (str){text, cut(n)});
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
            words_reader_read_word(r, block, at, far);
            return far;
        }
        words_reader_read_word(r, block + start, at + start, at + end);
        bits = end < BLOCK ? bits & ~(((uint64_t)1 << end) - 1) : 0;
    }
    return at + n;
}

static size_t read_ascii(struct words_reader *reader, enum words_field field, str text,
                         size_t from, size_t to)
{
    struct words_reader_run r;
    r.reader = reader;
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

struct words_reading {
    struct words_reader *reader;
    enum words_field field;
};

static bool read_token(void *arg, const struct words_token *t)
{
    struct words_reading *r = arg;
    words_reader_count(r->reader, r->field, t->text);
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

static size_t read_field(struct words_reader *r, enum words_field field, str text)
{
    size_t atoms = 0;
    for (size_t at = 0, end; at < text.n; at = end) {
        end = ascii_end(text, at);
        atoms += read_ascii(r, field, text, at, end);
        if (end == text.n)
            break;
        struct words_reading reading = {r, field};
        struct words_tokens to = {.fn = read_token, .arg = &reading};
        at = end;
        end = mixed_end(text, at);
        words_tokenize(str_slice(text, at, end), &to);
        atoms += to.atoms;
    }
    count_waiting(r, field);
    return atoms;
}

struct words_size words_read(struct words_reader *r, const struct words_doc *doc)
{
    size_t atoms[WORDS_FIELDS];
    memset(r->counts, 0, r->n * sizeof(*r->counts));
    r->n = 0;
    for (unsigned f = 0; f < WORDS_FIELDS; f++)
        atoms[f] = read_field(r, f, doc->fields[f]);
    uint8_t title = (uint8_t)(atoms[WORDS_TITLE] < 255 ? atoms[WORDS_TITLE] : 255);
    return (struct words_size){words_length_class(atoms[WORDS_BODY]), title,
                               (uint8_t)doc->language};
}

void words_reader_release(struct words_reader *r)
{
    mem_free_aligned(r->table);
    free(r->starts);
    free(r->names);
    free(r->counts);
    *r = (struct words_reader){0};
}
