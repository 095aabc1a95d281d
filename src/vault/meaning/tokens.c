#include "vault/meaning/tokens.h"

#include "base/utf8.h"

/* --- the vocabulary --- */

static str vocabulary_word(const struct vocabulary *v, uint32_t i)
{
    return (str){v->text + v->starts[i], v->starts[i + 1] - v->starts[i]};
}

bool vocabulary_is_sound(const struct vocabulary *v)
{
    if (v->n == 0 || v->starts[0] != 0 || v->starts[v->n] != v->text_size ||
        v->unknown >= v->n || v->first >= v->n || v->last >= v->n)
        return false;
    for (uint32_t i = 0; i < v->n; i++)
        if (v->starts[i] > v->starts[i + 1] || v->starts[i + 1] > v->text_size ||
            v->ids[i] >= v->n)
            return false;
    for (uint32_t i = 1; i < v->n; i++)
        if (str_cmp(vocabulary_word(v, i - 1), vocabulary_word(v, i)) >= 0)
            return false;
    return true;
}

/* A few hundred nanoseconds, where the layers take as many microseconds for a token: a
 * hash table would not be noticed. */
uint32_t vocabulary_find(const struct vocabulary *v, str word)
{
    uint32_t low = 0, high = v->n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int order = str_cmp(vocabulary_word(v, middle), word);
        if (order == 0)
            return v->ids[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return VOCABULARY_NONE;
}

/* --- splitting --- */

enum {
    MARK = 2, /* bytes of "##" */
    WORD_BYTES = TOKENS_WORD_MAX * 4
};

struct splitting {
    const struct vocabulary *vocabulary;
    struct tokens *out;
    size_t at; /* where the text after the word begins */
    char word[MARK +
              WORD_BYTES]; /* from byte MARK on, so that "##" fits before any part */
    size_t n, chars, letters, foreign;
    bool full;
};

/* Whether c is a word by itself because Chinese has no spaces; the blocks are those that
 * the model was trained with. */
static bool is_chinese(uint32_t c)
{
    return (c >= 0x4E00 && c <= 0x9FFF) || (c >= 0x3400 && c <= 0x4DBF) ||
           (c >= 0x20000 && c <= 0x2A6DF) || (c >= 0x2A700 && c <= 0x2B81F) ||
           (c >= 0x2B820 && c <= 0x2CEAF) || (c >= 0xF900 && c <= 0xFAFF) ||
           (c >= 0x2F800 && c <= 0x2FA1F);
}

static bool is_ascii_punctuation(uint32_t c)
{
    return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') ||
           (c >= '{' && c <= '~');
}

/* The length of the longest part of the word from byte at on that is known; 0: none. */
static size_t tokens_longest(struct splitting *s, size_t at, uint32_t *id)
{
    size_t begin = MARK + at;
    if (at > 0) { /* the bytes before are of parts that are done with */
        begin -= MARK;
        memcpy(s->word + begin, "##", MARK);
    }
    for (size_t end = MARK + s->n; end > MARK + at; end--) {
        if (end < MARK + s->n && (s->word[end] & 0xC0) == 0x80)
            continue; /* within a character */
        *id = vocabulary_find(s->vocabulary, (str){s->word + begin, end - begin});
        if (*id != VOCABULARY_NONE)
            return end - MARK - at;
    }
    return 0;
}

/* The tokens of the word; returns how many. */
static size_t tokens_of_word(struct splitting *s, uint32_t ids[TOKENS_WORD_MAX])
{
    size_t n = 0, length;
    for (size_t at = 0; s->chars <= TOKENS_WORD_MAX && at < s->n; at += length) {
        length = tokens_longest(s, at, &ids[n++]);
        if (length == 0)
            s->chars = SIZE_MAX;
    }
    if (s->chars <= TOKENS_WORD_MAX)
        return n;
    ids[0] = s->vocabulary->unknown;
    return 1;
}

static void tokens_end_word(struct splitting *s)
{
    uint32_t ids[TOKENS_WORD_MAX];
    struct tokens *out = s->out;
    if (s->chars == 0)
        return;
    size_t n = tokens_of_word(s, ids);
    for (size_t i = 0; i < n && !s->full; i++) {
        s->full = out->n == TOKENS_MAX - 1;
        if (!s->full)
            out->ids[out->n++] = ids[i];
    }
    if (s->letters > 0) {
        out->letters += s->letters;
        out->foreign += s->foreign;
        out->pieces += n;
    }
    s->n = s->chars = s->letters = s->foreign = 0;
}

/* Latin with its extensions, and the marks and forms of it. */
static bool is_latin(uint32_t c)
{
    return c < 0x0250 || (c >= 0x1D00 && c < 0x1F00) || (c >= 0x2C60 && c < 0x2C80) ||
           (c >= 0xA720 && c < 0xA800) || (c >= 0xFB00 && c < 0xFB07) ||
           (c >= 0xFF21 && c < 0xFF5B);
}

static void tokens_add_char(struct splitting *s, uint32_t c)
{
    bool letter = utf8_is_word(c) && !(c >= '0' && c <= '9');
    if (s->chars < TOKENS_WORD_MAX)
        s->n += utf8_encode(c, s->word + MARK + s->n);
    s->chars++;
    s->letters += letter;
    s->foreign += letter && !is_latin(c);
}

/* One character of normal form D. */
static void tokens_add_part(struct splitting *s, uint32_t c, bool alone)
{
    enum utf8_kind kind = c < 0x80 ? UTF8_OTHER : utf8_kind(c);
    if (kind == UTF8_MARK)
        return;
    alone = alone || kind == UTF8_PUNCTUATION || is_ascii_punctuation(c);
    if (alone)
        tokens_end_word(s);
    tokens_add_char(s, utf8_lower_char(c));
    if (alone)
        tokens_end_word(s);
}

static void tokens_add(struct splitting *s, uint32_t c)
{
    uint32_t parts[UTF8_PARTS_MAX];
    enum utf8_kind kind = c > ' ' && c < 0x7F ? UTF8_OTHER : utf8_kind(c);
    if (kind == UTF8_SPACE || c == '\t' || c == '\n' || c == '\r')
        tokens_end_word(s);
    else if (kind != UTF8_UNSEEN && c != 0xFFFD)
        for (size_t i = 0, n = utf8_parts(c, parts); i < n; i++)
            tokens_add_part(s, parts[i], is_chinese(c));
}

void tokens_split(const struct vocabulary *v, str text, struct tokens *out)
{
    struct splitting s = {.vocabulary = v, .out = out};
    *out = (struct tokens){.ids = {v->first}, .n = 1};
    for (size_t n; s.at < text.n && !s.full; s.at += n)
        tokens_add(&s, utf8_decode(str_skip(text, s.at), &n));
    tokens_end_word(&s);
    out->bytes = s.at;
    out->ids[out->n++] = v->last;
}
