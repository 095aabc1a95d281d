/*
 * A line of text, then a tokenizer.json: it is refused with a reason, or it splits the text
 * into known tokens, no more than fit.
 */
#include "base/sbuf.h"
#include "vault/meaning/tokenizer_json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ROWS = 64 };

static struct vocabulary vocabulary_of(struct arena *a, const struct tokenizer_json *t)
{
    uint32_t at = 0, *starts = ARENA_ARRAY(a, uint32_t, t->n + 1),
             *ids = ARENA_ARRAY(a, uint32_t, t->n);
    float *scores = ARENA_ARRAY(a, float, t->n);
    struct sbuf text = SBUF_ON(a);
    for (uint32_t i = 0; i < t->n; i++) {
        starts[i] = at;
        ids[i] = t->words[i].id;
        scores[i] = t->words[i].score;
        sbuf_add(&text, t->words[i].text);
        at = (uint32_t)text.n;
    }
    starts[t->n] = at;
    return (struct vocabulary){.text = text.p,
                               .starts = starts,
                               .ids = ids,
                               .scores = t->kind == TOKENS_UNIGRAM ? scores : NULL,
                               .charsmap = t->charsmap,
                               .n = t->n,
                               .rows = ROWS,
                               .text_size = at,
                               .unknown = t->unknown,
                               .first = t->first,
                               .last = t->last,
                               .kind = t->kind,
                               .flags = t->flags,
                               .lowest = t->lowest};
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a = {0};
    struct err err = {0};
    struct tokenizer_json t;
    struct tokens tokens;
    str all = {(const char *)data, size}, line = all;
    size_t end = str_find_char(all, '\n');
    if (end != STR_NONE)
        line = str_slice(all, 0, end);
    if (!tokenizer_json_read(&a, str_skip(all, line.n), ROWS, &t, &err)) {
        if (err.code != ERR_INVALID && err.code != ERR_LIMIT)
            BUG("refused without a reason");
    } else {
        struct vocabulary v = vocabulary_of(&a, &t);
        if (!vocabulary_is_sound(&v))
            BUG("the words are not in order");
        tokens_split(&v, line, 16, &tokens);
        if (tokens.n < 2 || tokens.n > 16 || tokens.bytes > line.n)
            BUG("%zu tokens of %zu bytes", tokens.n, tokens.bytes);
        for (size_t i = 0; i < tokens.n; i++)
            if (tokens.ids[i] >= ROWS)
                BUG("token %u", tokens.ids[i]);
    }
    arena_release(&a);
    return 0;
}
