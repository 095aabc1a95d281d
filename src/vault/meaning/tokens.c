#include "vault/meaning/tokens.h"

#include <math.h>

#include "vault/meaning/charsmap.h"

static str vocabulary_word(const struct vocabulary *v, uint32_t i)
{
    return (str){v->text + v->starts[i], v->starts[i + 1] - v->starts[i]};
}

static bool vocabulary_has_scores(const struct vocabulary *v)
{
    if (v->kind != TOKENS_UNIGRAM)
        return v->scores == NULL && v->charsmap.n == 0;
    for (uint32_t i = 0; i < v->n; i++)
        if (!isfinite(v->scores[i]))
            return false;
    return isfinite(v->lowest) && charsmap_is_sound(v->charsmap);
}

bool vocabulary_is_sound(const struct vocabulary *v)
{
    if (v->n == 0 || v->starts[0] != 0 || v->starts[v->n] != v->text_size ||
        v->unknown >= v->rows || v->first >= v->rows || v->last >= v->rows ||
        v->kind >= TOKENS_KINDS || v->flags >= TOKENS_FLAGS || !vocabulary_has_scores(v))
        return false;
    for (uint32_t i = 0; i < v->n; i++)
        if (v->starts[i] > v->starts[i + 1] || v->starts[i + 1] > v->text_size ||
            v->ids[i] >= v->rows)
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

bool vocabulary_has_word(const struct vocabulary *v, str word)
{
    char text[4 * TOKENS_WORD_MAX];
    str space = v->kind == TOKENS_UNIGRAM ? STR("\xE2\x96\x81") : STR("");
    if (space.n + word.n > sizeof(text))
        return false;
    memcpy(text, space.p, space.n);
    memcpy(text + space.n, word.p, word.n);
    return vocabulary_find(v, (str){text, space.n + word.n}) != VOCABULARY_NONE;
}

/* The first of the words from low on whose byte at that place is at least c, which is
 * above all bytes if it is 256. Words that have no such byte are before all others. */
static uint32_t vocabulary_first(const struct vocabulary *v,
                                 const struct vocabulary_range *r, unsigned c)
{
    uint32_t low = r->low, high = r->high;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        str word = vocabulary_word(v, middle);
        if (word.n <= r->length || (unsigned char)word.p[r->length] < c)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool vocabulary_narrow(const struct vocabulary *v, struct vocabulary_range *r, char c,
                       uint32_t *whole)
{
    unsigned byte = (unsigned char)c;
    r->low = vocabulary_first(v, r, byte);
    r->high = vocabulary_first(v, r, byte + 1);
    r->length++;
    bool any = r->low < r->high;
    *whole = any && vocabulary_word(v, r->low).n == r->length ? r->low : VOCABULARY_NONE;
    return any;
}

bool tokens_add_id(struct tokens *out, uint32_t id, size_t max)
{
    if (out->n >= max - 1)
        return false;
    out->ids[out->n++] = id;
    return true;
}

void tokens_split(const struct vocabulary *v, str text, size_t max, struct tokens *out)
{
    *out = (struct tokens){.ids = {v->first}, .n = 1};
    out->bytes =
        (v->kind == TOKENS_UNIGRAM ? unigram_split : wordpiece_split)(v, text, max, out);
    out->ids[out->n++] = v->last;
}
