#include "vault/meaning/model_make.h"

#include <math.h>

#include "base/hash.h"
#include "base/sbuf.h"
#include "vault/index/image.h"
#include "vault/meaning/safetensors.h"
#include "vault/meaning/tokenizer_json.h"

struct model_making {
    struct arena *arena;
    const struct model_config *shape;
    struct safetensors weights;
    struct model_head head;
    struct sbuf out;
    struct image_out image;
    const char *prefix;
    char layer[60]; /* "bert.encoder.layer.3." before the names of its tensors */
    struct err *err;
};

static void make_write(void *arg, const void *bytes, size_t n)
{
    struct model_making *m = arg;
    sbuf_add(&m->out, (str){bytes, n});
}

/* --- words --- */

static void put_words(struct model_making *m, const struct tokenizer_json *t)
{
    uint32_t n = t->n, at = 0;
    uint32_t *starts = ARENA_ARRAY(m->arena, uint32_t, n + 1);
    uint32_t *ids = ARENA_ARRAY(m->arena, uint32_t, n);
    float *scores = ARENA_ARRAY(m->arena, float, n);
    struct sbuf text = SBUF_ON(m->arena);
    for (uint32_t i = 0; i < n; i++) {
        starts[i] = at;
        ids[i] = t->words[i].id;
        scores[i] = t->words[i].score;
        at += (uint32_t)t->words[i].text.n;
        sbuf_add(&text, t->words[i].text);
    }
    starts[n] = m->head.words_bytes = at;
    image_put(&m->image, starts, (n + 1) * sizeof(*starts));
    image_put(&m->image, ids, n * sizeof(*ids));
    if (t->kind == TOKENS_UNIGRAM) {
        image_put(&m->image, scores, n * sizeof(*scores));
        image_put(&m->image, t->charsmap.p, t->charsmap.n);
    }
    image_put(&m->image, text.p, text.n);
}

static bool make_words(struct model_making *m, str tokenizer)
{
    struct tokenizer_json t;
    struct model_head *h = &m->head;
    if (!tokenizer_json_read(m->arena, tokenizer, m->shape->rows, &t, m->err))
        return false;
    h->words = t.n;
    h->unknown = t.unknown;
    h->first = t.first;
    h->last = t.last;
    h->kind = t.kind;
    h->flags = t.flags;
    h->lowest = t.lowest;
    h->charsmap_bytes = (uint32_t)t.charsmap.n;
    put_words(m, &t);
    return true;
}

/* --- numbers --- */

/* The nearest number of 16 bits, the even one of two; false if it is too large. */
static bool make_half(float x, uint16_t *out)
{
    uint32_t bits, sign;
    memcpy(&bits, &x, sizeof(bits));
    sign = bits >> 16 & 0x8000u;
    bits &= 0x7FFFFFFFu;
    uint32_t half = bits < 0x38800000u /* 2^-14: below it, they are multiples of 2^-24 */
                        ? (uint32_t)lrintf(fabsf(x) * 0x1p24f)
                        : (bits + 0xFFFu + (bits >> 13 & 1) - 0x38000000u) >> 13;
    *out = (uint16_t)(sign | half);
    return half < 0x7C00u;
}

/* n numbers of the tensor, with 32 bits, in the arena. */
static bool make_read(struct model_making *m, const struct tensor *t, size_t from,
                      size_t n, float *out)
{
    return tensor_read(t, from, n, out) ||
           err_set(m->err, ERR_INVALID, "the weights have numbers that are not finite");
}

/* Numbers in rows, as halves, or as bytes with a scale for each row. */
static bool put_halves(struct model_making *m, const float *numbers, size_t n)
{
    struct arena a = {0};
    uint16_t *halves = ARENA_ARRAY(&a, uint16_t, n);
    bool ok = true;
    for (size_t i = 0; i < n; i++)
        ok = make_half(numbers[i], &halves[i]) && ok;
    image_put_piece(&m->image, halves, n * sizeof(*halves));
    arena_release(&a);
    return ok || err_set(m->err, ERR_INVALID,
                         "the weights have numbers that are too large for 16 bits");
}

static float make_scale(const float *row, size_t n)
{
    float most = 0;
    for (size_t i = 0; i < n; i++)
        most = fmaxf(most, fabsf(row[i]));
    return most / 127;
}

static int8_t make_byte(float x, float scale)
{
    return (int8_t)(scale > 0 ? lrintf(x / scale) : 0);
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

/* The first n numbers of one, with 32 bits. */
static bool put_row(struct model_making *m, const char *name, size_t rows, size_t n)
{
    struct tensor t;
    float *floats = ARENA_ARRAY(m->arena, float, n);
    if (!find_tensor(m, name, rows, n, &t) || !make_read(m, &t, 0, n, floats))
        return false;
    image_put_piece(&m->image, floats, n * sizeof(*floats));
    return true;
}

static bool put_norm(struct model_making *m, const char *name)
{
    const char *gain = arena_printf(m->arena, "%s.weight", name).p;
    const char *bias = arena_printf(m->arena, "%s.bias", name).p;
    return put_row(m, gain, 1, m->shape->width) && put_row(m, bias, 1, m->shape->width);
}

/* The scales of all rows, if there are any. */
static bool put_scales(struct model_making *m, const struct tensor *t, float *row)
{
    for (size_t i = 0; i < t->rows && m->head.weights == MODEL_BYTES; i++) {
        if (!make_read(m, t, i * t->columns, t->columns, row))
            return false;
        float scale = make_scale(row, t->columns);
        image_put_piece(&m->image, &scale, sizeof(scale));
    }
    if (m->head.weights == MODEL_BYTES)
        image_pad(&m->image, t->rows * sizeof(float));
    return true;
}

/* The rows of words, or of the positions, which have 16 bits always. */
static bool put_table(struct model_making *m, const char *name, size_t rows,
                      size_t skipped, bool halves)
{
    struct tensor t;
    size_t width = m->shape->width;
    float *row = ARENA_ARRAY(m->arena, float, width);
    int8_t *bytes = ARENA_ARRAY(m->arena, int8_t, width);
    bool ok = find_tensor(m, name, rows + skipped, width, &t) &&
              (halves || put_scales(m, &t, row));
    for (size_t i = skipped; i < skipped + rows && ok; i++) {
        ok = make_read(m, &t, i * width, width, row);
        if (ok && (halves || m->head.weights == MODEL_HALVES)) {
            ok = put_halves(m, row, width);
            continue;
        }
        float scale = make_scale(row, width);
        for (size_t k = 0; k < width; k++)
            bytes[k] = make_byte(row[k], scale);
        image_put_piece(&m->image, bytes, width);
    }
    return ok;
}

/* KERNEL_COLUMNS rows of the tensor, which become columns. */
static bool put_panel(struct model_making *m, const struct tensor *t, size_t at,
                      float *rows, float *panel)
{
    size_t n = t->columns * KERNEL_COLUMNS;
    bool ok = make_read(m, t, at * t->columns, n, rows);
    for (size_t i = 0; i < KERNEL_COLUMNS && ok; i++) {
        const float *row = rows + i * t->columns;
        float scale = m->head.weights == MODEL_BYTES ? make_scale(row, t->columns) : 0;
        for (size_t k = 0; k < t->columns; k++)
            panel[k * KERNEL_COLUMNS + i] =
                m->head.weights == MODEL_BYTES ? make_byte(row[k], scale) : row[k];
    }
    if (!ok || m->head.weights == MODEL_HALVES)
        return ok && put_halves(m, panel, n);
    int8_t *bytes = (int8_t *)rows;
    for (size_t i = 0; i < n; i++)
        bytes[i] = (int8_t)panel[i];
    image_put_piece(&m->image, bytes, n);
    return true;
}

/* Several matrices of the same size, beside each other: biases, scales, numbers. */
static bool put_matrix(struct model_making *m, const char *const *names, size_t n,
                       size_t from, size_t to)
{
    struct tensor t[3];
    struct arena a = {0};
    float *rows = ARENA_ARRAY(&a, float, from *KERNEL_COLUMNS);
    float *panel = ARENA_ARRAY(&a, float, from *KERNEL_COLUMNS);
    bool ok = true;
    for (size_t i = 0; i < n && ok; i++)
        ok = put_row(m, arena_printf(&a, "%s.bias", names[i]).p, 1, to) &&
             find_tensor(m, arena_printf(&a, "%s.weight", names[i]).p, to, from, &t[i]);
    for (size_t i = 0; i < n && ok; i++)
        ok = put_scales(m, &t[i], rows);
    for (size_t i = 0; i < n && ok; i++)
        for (size_t at = 0; at < to && ok; at += KERNEL_COLUMNS)
            ok = put_panel(m, &t[i], at, rows, panel);
    arena_release(&a);
    return ok;
}

/* What the names of all tensors begin with: models that were published with a head have
 * their family there. */
static bool make_prefix(struct model_making *m)
{
    static const char *const prefixes[] = {"", "bert.", "roberta."};
    for (size_t i = 0; i < COUNT_OF(prefixes); i++) {
        str word =
            arena_printf(m->arena, "%sembeddings.word_embeddings.weight", prefixes[i]);
        if (safetensors_has(&m->weights, word)) {
            m->prefix = prefixes[i];
            snprintf(m->layer, sizeof(m->layer), "%s", m->prefix);
            return true;
        }
    }
    return err_set(m->err, ERR_INVALID,
                   "the weights lack embeddings.word_embeddings.weight");
}

static bool make_layer(struct model_making *m, uint32_t number)
{
    static const char *const attention[] = {"attention.self.query", "attention.self.key",
                                            "attention.self.value"};
    static const char *const mix[] = {"attention.output.dense"};
    static const char *const widen[] = {"intermediate.dense"}, *const narrow[] = {
                                                                   "output.dense"};
    size_t width = m->shape->width, inner = m->shape->inner;
    snprintf(m->layer, sizeof(m->layer), "%sencoder.layer.%u.", m->prefix, number);
    return put_matrix(m, attention, COUNT_OF(attention), width, width) &&
           put_matrix(m, mix, 1, width, width) &&
           put_norm(m, "attention.output.LayerNorm") &&
           put_matrix(m, widen, 1, width, inner) &&
           put_matrix(m, narrow, 1, inner, width) && put_norm(m, "output.LayerNorm");
}

static bool make_tables(struct model_making *m)
{
    const struct model_config *c = m->shape;
    return put_table(m, "embeddings.word_embeddings.weight", c->rows, 0, false) &&
           put_table(m, "embeddings.position_embeddings.weight", c->positions, c->offset,
                     true) &&
           put_row(m, "embeddings.token_type_embeddings.weight", c->types, c->width) &&
           put_norm(m, "embeddings.LayerNorm");
}

/* --- the whole --- */

/* False if the text does not fit. */
static bool make_label(struct model_making *m, char *label, size_t room, str text)
{
    if (text.n > room)
        return err_set(m->err, ERR_LIMIT, "'" STR_FMT "...' has more than %zu bytes",
                       STR_ARG(str_slice(text, 0, 40)), room);
    memcpy(label, text.p != NULL ? text.p : "", text.n);
    return true;
}

#define MAKE_LABEL(m, label, text) make_label((m), (label), sizeof(label), (text))

static bool make_head(struct model_making *m, const struct model_recipe *recipe)
{
    struct model_head *h = &m->head;
    const struct model_config *c = m->shape;
    *h = (struct model_head){
        .rows = c->rows,
        .positions = c->positions,
        .width = c->width,
        .layers = c->layers,
        .heads = c->heads,
        .inner = c->inner,
        .weights = recipe->weights,
        .bend = c->bend,
        .pooling = c->pooling,
        .length = c->length,
        .epsilon = c->epsilon,
        .weak = recipe->weak,
        .verified = recipe->verified,
    };
    return MAKE_LABEL(m, h->name, recipe->name) &&
           MAKE_LABEL(m, h->reads, recipe->reads) &&
           MAKE_LABEL(m, h->licence, recipe->licence) &&
           MAKE_LABEL(m, h->languages, recipe->languages) &&
           MAKE_LABEL(m, h->query, c->query) && MAKE_LABEL(m, h->chunk, c->chunk);
}

/* The head is complete when everything else is. */
static str make_finish(struct model_making *m)
{
    struct model_head *h = &m->head;
    h->size = m->out.n;
    model_head_sign(h);
    memcpy(m->out.p, h, sizeof(*h));
    h->sum = hash_content(str_skip(sbuf_str(&m->out), offsetof(struct model_head, size)));
    memcpy(m->out.p, h, sizeof(*h));
    return sbuf_str(&m->out);
}

/* About how long the file becomes, so that it does not move. */
static size_t make_size(const struct model_making *m, str tokenizer)
{
    const struct model_config *c = m->shape;
    size_t width = c->width, inner = c->inner;
    size_t numbers = c->rows * width + c->layers * (4 * width + 2 * inner) * width;
    return numbers * (m->head.weights == MODEL_BYTES ? 1 : sizeof(uint16_t)) +
           (c->rows + c->positions * width + c->layers * (15 * width + 2 * inner)) *
               sizeof(float) +
           tokenizer.n + sizeof(m->head);
}

bool model_build(struct arena *a, const struct model_recipe *recipe, str weights,
                 str tokenizer, str *out, struct err *err)
{
    struct model_making m = {.arena = a, .shape = &recipe->shape, .err = err};
    struct model_image check;
    m.image = (struct image_out){make_write, &m};
    m.out = (struct sbuf)SBUF_ON(a);
    if (!make_head(&m, recipe) || !safetensors_read(a, weights, &m.weights, err) ||
        !make_prefix(&m))
        return false;
    sbuf_room(&m.out, make_size(&m, tokenizer));
    sbuf_add(&m.out, (str){(const char *)&m.head, sizeof(m.head)});
    bool ok = make_words(&m, tokenizer) && make_tables(&m);
    for (uint32_t i = 0; i < m.head.layers && ok; i++)
        ok = make_layer(&m, i);
    if (!ok)
        return false;
    str made = make_finish(&m);
    if (!model_image_read(made, &check, err))
        return false;
    *out = made;
    return true;
}
