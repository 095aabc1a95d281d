/*
 * Words similar to a misspelled one: most of them are ruled out by length and set of
 * letters, many at a time (words_term_filter.h) or one by one. The distance is the number
 * of letters that are changed, missing or extra, plus that of swapped neighbours.
 */
#include "base/array.h"
#include "base/near.h"
#include "base/sort.h"
#include "vault/index/words_index.h"

enum { ONE_UP_TO = 4 };

struct words_suggest_near {
    str word;
    size_t distance;
    size_t df;
};

static int nearer_first(const void *a, const void *b)
{
    const struct words_suggest_near *x = a, *y = b;
    if (x->distance != y->distance)
        return x->distance < y->distance ? -1 : 1;
    if (x->df != y->df)
        return x->df > y->df ? -1 : 1;
    return str_cmp(x->word, y->word);
}

/* Whether name can have a distance of at most max, judged by its bytes. */
static bool may_be_near(str name, const struct near_letters *word, size_t bytes,
                        unsigned max)
{
    if (name.n + max * 4 < bytes || name.n > bytes + max * 4)
        return false;
    uint64_t seen = 0;
    unsigned n = 0;
    for (size_t i = 0; i < name.n; i++) {
        unsigned char c = (unsigned char)name.p[i];
        n += (c & 0xC0) != 0x80;
        seen |= UINT64_C(1) << (c & 63);
    }
    if (n + max < word->n || n > word->n + max)
        return false;
    /*
     * A changed letter removes one bit and adds another. A bit is a letter only if both
     * words are ASCII; other words are few, so all of them are compared.
     */
    bool ascii = n == name.n && word->n == bytes;
    return !ascii || (unsigned)__builtin_popcountll(seen ^ word->bag) <= 2 * max;
}

/* The word as it would be indexed: take its first token. */
static bool first_token(void *arg, const struct words_token *t)
{
    struct words_suggest_near *out = arg;
    if (t->kind != WORDS_PLAIN)
        return false;
    memcpy((char *)out->word.p, t->text.p, t->text.n);
    out->word.n = t->text.n;
    return false;
}

static struct words_suggest_near *
words_suggest_find_near(const struct words *w, struct arena *a, str word, size_t *count)
{
    struct near_letters letters, other;
    struct words_suggest_near *list = NULL;
    size_t n = 0;
    near_read(&letters, word);
    unsigned max = letters.n <= ONE_UP_TO ? 1 : 2;
    struct words_near some;
    words_near_begin(&some, w, &letters, max);
    for (uint32_t t; words_near_next(&some, &t);) {
        const struct words_term *term = &w->terms[t];
        str name = words_name(w, term);
        if (!may_be_near(name, &letters, word.n, max))
            continue;
        near_read(&other, name);
        size_t d = near_count(&letters, &other, max);
        size_t df = d > 0 && d != NEAR_NONE ? words_live_df(w, term) : 0;
        if (df == 0)
            continue;
        *ARRAY_ADD(a, list, n) = (struct words_suggest_near){name, d, df};
    }
    *count = n;
    return list;
}

bool words_has(const struct words *w, str word)
{
    const struct words_term *t = words_find(w, word);
    return t != NULL && words_live_df(w, t) > 0;
}

size_t words_suggest(const struct words *w, struct arena *a, str word, size_t max,
                     str **out)
{
    char folded[WORDS_TOKEN_MAX];
    struct words_suggest_near wanted = {.word = {folded, 0}};
    struct words_tokens to = {.fn = first_token, .arg = &wanted};
    words_tokenize(word, &to);
    *out = NULL;
    if (wanted.word.n < 2)
        return 0;

    size_t n;
    struct words_suggest_near *list = words_suggest_find_near(w, a, wanted.word, &n);
    if (n > 0)
        sort_items(list, n, sizeof(*list), nearer_first);
    n = n < max ? n : max;
    *out = ARENA_ARRAY(a, str, n);
    for (size_t i = 0; i < n; i++)
        (*out)[i] = arena_str(a, list[i].word);
    return n;
}
