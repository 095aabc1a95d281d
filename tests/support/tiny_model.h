/*
 * tiny_model - a model of a few kilobytes with the shape of the real one. Its numbers are
 * those of tests/vectors/meaning/layers.py, which says what it gives for some texts.
 */
#pragma once

#include "base/sbuf.h"
#include "vault/meaning/model_make.h"

enum {
    TINY_WORDS = 13,
    TINY_WIDTH = 32,
    TINY_INNER = 48,
    TINY_LAYERS = 2,
    TINY_HEADS = 2,
    TINY_POSITIONS = 16,
};

static const char tiny_tokenizer[] =
    "{\"normalizer\": {\"type\": \"BertNormalizer\", \"lowercase\": true, "
    "\"strip_accents\": null}, \"pre_tokenizer\": {\"type\": \"BertPreTokenizer\"}, "
    "\"post_processor\": {\"type\": \"BertProcessing\", \"sep\": [\"[SEP]\", 3], "
    "\"cls\": "
    "[\"[CLS]\", 2]}, "
    "\"model\": {\"type\": \"WordPiece\", \"vocab\": {\"[PAD]\": 0, \"[UNK]\": 1, "
    "\"[CLS]\": 2, \"[SEP]\": 3, \"hello\": 4, \"world\": 5, \"##s\": 6, \"un\": 7, "
    "\"##able\": 8, \"a\": 9, \"b\": 10, \"##a\": 11, \"!\": 12}}}";

static const struct model_recipe tiny_recipe = {
    .name = {"tiny", 4},
    .reads = {"English", 7},
    .licence = {"none", 4},
    .languages = {"en", 2},
    .weak = 0.30f,
    .shape =
        {
            .rows = TINY_WORDS,
            .positions = TINY_POSITIONS,
            .width = TINY_WIDTH,
            .layers = TINY_LAYERS,
            .heads = TINY_HEADS,
            .inner = TINY_INNER,
            .types = 2,
            .length = TINY_POSITIONS,
            .epsilon = 1e-12f,
        },
};

struct tiny {
    struct sbuf head, numbers;
    uint32_t random;
};

/* n / 512 with 16 bits; exact for such small n. */
static uint16_t tiny_half(int n)
{
    unsigned size = (unsigned)(n < 0 ? -n : n), top = 0;
    if (n == 0)
        return 0;
    while (size >> (top + 1) != 0)
        top++;
    unsigned fraction = size << (10 - top) & 0x3FFu;
    return (uint16_t)((n < 0 ? 0x8000u : 0) | (top + 6) << 10 | fraction);
}

static void tiny_tensor(struct tiny *t, const char *name, size_t rows, size_t columns)
{
    size_t from = t->numbers.n, n = (rows > 0 ? rows : 1) * columns;
    bool gain = strstr(name, "LayerNorm.weight") != NULL;
    for (size_t i = 0; i < n; i++) {
        t->random = t->random * 1103515245u + 12345u;
        int value = (int)(t->random >> 16 & 255) - 128 + (gain ? 512 : 0);
        uint16_t half = tiny_half(value);
        sbuf_add(&t->numbers, (str){(const char *)&half, sizeof(half)});
    }
    sbuf_printf(&t->head, "%s\"%s\": {\"dtype\": \"F16\", \"shape\": [",
                t->head.n > 1 ? ", " : "", name);
    if (rows > 0)
        sbuf_printf(&t->head, "%zu, ", rows);
    sbuf_printf(&t->head, "%zu], \"data_offsets\": [%zu, %zu]}", columns, from,
                t->numbers.n);
}

static void tiny_pair(struct tiny *t, const char *name, size_t rows, size_t columns)
{
    struct arena *a = t->head.arena;
    tiny_tensor(t, arena_printf(a, "%s.weight", name).p, rows, columns);
    tiny_tensor(t, arena_printf(a, "%s.bias", name).p, 0, rows > 0 ? rows : columns);
}

static void tiny_layer(struct tiny *t, int number)
{
    static const struct {
        const char *name;
        size_t rows, columns;
    } parts[] = {
        {"attention.self.query", TINY_WIDTH, TINY_WIDTH},
        {"attention.self.key", TINY_WIDTH, TINY_WIDTH},
        {"attention.self.value", TINY_WIDTH, TINY_WIDTH},
        {"attention.output.dense", TINY_WIDTH, TINY_WIDTH},
        {"attention.output.LayerNorm", 0, TINY_WIDTH},
        {"intermediate.dense", TINY_INNER, TINY_WIDTH},
        {"output.dense", TINY_WIDTH, TINY_INNER},
        {"output.LayerNorm", 0, TINY_WIDTH},
    };
    for (size_t i = 0; i < COUNT_OF(parts); i++)
        tiny_pair(
            t,
            arena_printf(t->head.arena, "encoder.layer.%d.%s", number, parts[i].name).p,
            parts[i].rows, parts[i].columns);
}

/* The weights as a safetensors file. */
static inline str tiny_weights(struct arena *a)
{
    struct tiny t = {SBUF_ON(a), SBUF_ON(a), 1};
    sbuf_char(&t.head, '{');
    tiny_tensor(&t, "embeddings.word_embeddings.weight", TINY_WORDS, TINY_WIDTH);
    tiny_tensor(&t, "embeddings.position_embeddings.weight", TINY_POSITIONS, TINY_WIDTH);
    tiny_tensor(&t, "embeddings.token_type_embeddings.weight", 2, TINY_WIDTH);
    tiny_pair(&t, "embeddings.LayerNorm", 0, TINY_WIDTH);
    for (int i = 0; i < TINY_LAYERS; i++)
        tiny_layer(&t, i);
    sbuf_char(&t.head, '}');
    struct sbuf file = SBUF_ON(a);
    uint64_t n = t.head.n;
    sbuf_add(&file, (str){(const char *)&n, sizeof(n)});
    sbuf_add(&file, sbuf_str(&t.head));
    sbuf_add(&file, sbuf_str(&t.numbers));
    return sbuf_str(&file);
}

/* The file of the model. */
static inline str tiny_model(struct arena *a)
{
    str image;
    struct err err = {0};
    if (!model_build(a, &tiny_recipe, tiny_weights(a), str_c(tiny_tokenizer), &image,
                     &err))
        BUG("%s", err.msg);
    return image;
}
