/* The tokenizer of the family BERT. */
#include "base/utf8.h"
#include "vault/meaning/tokens.h"

enum {
    MARK = 2, /* bytes of "##" */
    WORD_BYTES = TOKENS_WORD_MAX * 4
};

struct splitting {
    const struct vocabulary *vocabulary;
    struct tokens *out;
    size_t max;
    char word[MARK + WORD_BYTES]; /* from byte MARK on: "##" fits before any part */
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
static size_t wordpiece_longest(struct splitting *s, size_t at, uint32_t *id)
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
static size_t wordpiece_tokens(struct splitting *s, uint32_t ids[TOKENS_WORD_MAX])
{
    size_t n = 0, length;
    for (size_t at = 0; s->chars <= TOKENS_WORD_MAX && at < s->n; at += length) {
        length = wordpiece_longest(s, at, &ids[n++]);
        if (length == 0)
            s->chars = SIZE_MAX;
    }
    if (s->chars <= TOKENS_WORD_MAX)
        return n;
    ids[0] = s->vocabulary->unknown;
    return 1;
}

static void wordpiece_end(struct splitting *s)
{
    uint32_t ids[TOKENS_WORD_MAX];
    struct tokens *out = s->out;
    if (s->chars == 0)
        return;
    size_t n = wordpiece_tokens(s, ids);
    for (size_t i = 0; i < n && !s->full; i++)
        s->full = !tokens_add_id(out, ids[i], s->max);
    if (s->letters > 0) {
        out->letters += s->letters;
        out->foreign += s->foreign;
        out->pieces += n;
        out->unknown += ids[0] == s->vocabulary->unknown;
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

static void wordpiece_add_char(struct splitting *s, uint32_t c)
{
    bool letter = utf8_is_word(c) && !(c >= '0' && c <= '9');
    if (s->chars < TOKENS_WORD_MAX)
        s->n += utf8_encode(c, s->word + MARK + s->n);
    s->chars++;
    s->letters += letter;
    s->foreign += letter && !is_latin(c);
}

static bool wordpiece_has(const struct splitting *s, uint32_t flag)
{
    return (s->vocabulary->flags & flag) != 0;
}

/* One character, or a part of it in normal form D. */
static void wordpiece_add_part(struct splitting *s, uint32_t c, bool alone)
{
    enum utf8_kind kind = c < 0x80 ? UTF8_OTHER : utf8_kind(c);
    if (kind == UTF8_MARK && wordpiece_has(s, TOKENS_BARE))
        return;
    alone = alone || kind == UTF8_PUNCTUATION || is_ascii_punctuation(c);
    if (alone)
        wordpiece_end(s);
    wordpiece_add_char(s, wordpiece_has(s, TOKENS_LOWER) ? utf8_lower_char(c) : c);
    if (c == 0x0130 && wordpiece_has(s, TOKENS_LOWER))
        wordpiece_add_char(s, 0x0307); /* the only letter that becomes two */
    if (alone)
        wordpiece_end(s);
}

static void wordpiece_add(struct splitting *s, uint32_t c)
{
    uint32_t parts[UTF8_PARTS_MAX] = {c};
    enum utf8_kind kind = c > ' ' && c < 0x7F ? UTF8_OTHER : utf8_kind(c);
    bool alone = wordpiece_has(s, TOKENS_CHINESE) && is_chinese(c);
    if (kind == UTF8_SPACE || c == 0x09 || c == 0x0A || c == 0x0D)
        wordpiece_end(s);
    else if (!wordpiece_has(s, TOKENS_CLEAN) || (kind != UTF8_UNSEEN && c != 0xFFFD))
        for (size_t i = 0, n = wordpiece_has(s, TOKENS_BARE) ? utf8_parts(c, parts) : 1;
             i < n; i++)
            wordpiece_add_part(s, parts[i], alone);
}

size_t wordpiece_split(const struct vocabulary *v, str text, size_t max,
                       struct tokens *out)
{
    struct splitting s = {.vocabulary = v, .out = out, .max = max};
    size_t at = 0;
    for (size_t n; at < text.n && !s.full; at += n)
        wordpiece_add(&s, utf8_decode(str_skip(text, at), &n));
    wordpiece_end(&s);
    return at;
}
