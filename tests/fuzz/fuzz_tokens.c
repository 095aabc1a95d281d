/*
 * Any bytes can be split into tokens: known ones, no more than fit, and the same whether
 * invalid bytes are repaired or not.
 */
#include "base/err.h"
#include "base/utf8.h"
#include "vault/meaning/tokens.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const words[] = {
    "!", "##a", "##b", "##er", "##\u1161", "[CLS]", "[SEP]",  "[UNK]",
    "a", "ab",  "b",   "e",    "er",       "the",   "\u1112", "\u6F22"};

static struct vocabulary vocabulary_of(struct arena *a)
{
    uint32_t n = COUNT_OF(words), at = 0;
    uint32_t *starts = ARENA_ARRAY(a, uint32_t, n + 1),
             *ids = ARENA_ARRAY(a, uint32_t, n);
    char *text = arena_alloc(a, 256);
    for (uint32_t i = 0; i < n; i++) {
        str word = str_c(words[i]);
        memcpy(text + at, word.p, word.n);
        starts[i] = at;
        ids[i] = n - 1 - i;
        at += (uint32_t)word.n;
    }
    starts[n] = at;
    return (struct vocabulary){.text = text,
                               .starts = starts,
                               .ids = ids,
                               .n = n,
                               .rows = n,
                               .text_size = at,
                               .unknown = n - 8,
                               .first = n - 6,
                               .last = n - 7,
                               .flags = TOKENS_BERT};
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a = {0};
    struct vocabulary v = vocabulary_of(&a);
    struct tokens t, again;
    str text = {(const char *)data, size};
    if (!vocabulary_is_sound(&v))
        BUG("the words are not in order");
    tokens_split(&v, text, TOKENS_MAX, &t);
    if (t.n < 2 || t.n > TOKENS_MAX || t.bytes > size || t.ids[0] != v.first ||
        t.ids[t.n - 1] != v.last || t.foreign > t.letters)
        BUG("%zu tokens of %zu bytes", t.n, t.bytes);
    for (size_t i = 0; i < t.n; i++)
        if (t.ids[i] >= v.n)
            BUG("token %u", t.ids[i]);
    tokens_split(&v, utf8_repair(&a, text), TOKENS_MAX, &again);
    if (again.n != t.n || memcmp(again.ids, t.ids, t.n * sizeof(*t.ids)) != 0)
        BUG("repaired text is split differently");
    arena_release(&a);
    return 0;
}
