#include "vault/meaning/model_image.h"

#include "base/utf8.h"
#include "vault/index/image.h"
#include "vault/meaning/charsmap.h"
#include "vault/meaning/kernel.h"
#include "vault/meaning/mapped.h"
#include "vault/meaning/tokens.h"

static const char magic[8] = "vaultd\nM";

/* The head of version 1 is the beginning of that of version 2. */
enum { HEAD_1 = offsetof(struct model_head, rows) };
_Static_assert(sizeof(struct model_head) % 8 == 0 && HEAD_1 % 8 == 0,
               "parts begin at a multiple of 8");

void model_head_sign(struct model_head *h)
{
    memcpy(h->magic, magic, sizeof(magic));
    h->version = MODEL_VERSION;
}

str model_text(const char *label, size_t n)
{
    return (str){label, strnlen(label, n)};
}

static bool model_unusable(struct err *err, const char *why)
{
    return err_set(err, ERR_INVALID, "the model file cannot be used: %s", why);
}

/* --- checks --- */

/* Numbers that are within their limits make sizes that do not overflow. */
static bool sizes_fit(const struct model_head *h)
{
    return h->words > 0 && h->words <= MODEL_WORDS_MAX &&
           h->words_bytes <= MODEL_WORDS_BYTES && h->positions > 0 &&
           h->positions <= MODEL_POSITIONS_MAX && h->layers > 0 && h->rows > 0 &&
           h->rows <= MODEL_WORDS_MAX && h->charsmap_bytes <= CHARSMAP_MAX &&
           h->layers <= MODEL_LAYERS_MAX && h->width > 0 && h->width <= MODEL_WIDTH_MAX &&
           h->inner > 0 && h->inner <= MODEL_INNER_MAX &&
           h->inner % KERNEL_COLUMNS == 0 && h->heads > 0 && h->heads <= h->width &&
           h->width % h->heads == 0 && h->width / h->heads % KERNEL_COLUMNS == 0;
}

static bool choices_are_known(const struct model_head *h)
{
    return h->weights < MODEL_WEIGHTS && h->bend < KERNEL_BENDS &&
           h->pooling < MODEL_POOLINGS && h->length >= 2 && h->length <= TOKENS_MAX &&
           h->length <= h->positions && h->epsilon > 0 && h->epsilon < 1 &&
           h->weak >= 0 && h->weak <= 1 &&
           (h->kind == TOKENS_UNIGRAM || h->charsmap_bytes == 0);
}

static bool labels_are_text(const struct model_head *h)
{
    return utf8_valid(model_label(h->name)) && utf8_valid(model_label(h->reads)) &&
           utf8_valid(model_label(h->licence)) && utf8_valid(model_label(h->query)) &&
           utf8_valid(model_label(h->chunk)) && utf8_valid(model_label(h->languages));
}

/* The head of version 1, or of the newest one. Version 1 was only for all-MiniLM-L6-v2. */
static size_t read_head(str bytes, struct model_head *h)
{
    enum { LENGTH_1 = 256 };
    memcpy(h, bytes.p, HEAD_1);
    if (h->version != 1) {
        memcpy(h, bytes.p, bytes.n < sizeof(*h) ? HEAD_1 : sizeof(*h));
        return sizeof(*h);
    }
    h->version = MODEL_VERSION;
    h->rows = h->words;
    h->flags = TOKENS_BERT;
    h->length = h->positions < LENGTH_1 ? h->positions : LENGTH_1;
    h->epsilon = 1e-12f;
    h->weak = 0.30f;
    h->verified = true;
    memcpy(h->languages, "en", 2);
    return HEAD_1;
}

static bool check_head(const struct model_head *h, str bytes, struct err *err)
{
    if (memcmp(h->magic, magic, sizeof(magic)) != 0)
        return model_unusable(err, "it is not a model for vaultd");
    if (h->version > MODEL_VERSION)
        return model_unusable(err, "it was made for a newer vaultd");
    if (h->version != MODEL_VERSION)
        return model_unusable(err, "it was made for an older vaultd; install it again");
    if (h->size != bytes.n)
        return model_unusable(err, "it is not complete; install it again");
    size_t summed = offsetof(struct model_head, size);
    if (!hash_same(hash_content(str_skip(bytes, summed)), h->sum))
        return model_unusable(err, "it is damaged; install it again");
    if (!sizes_fit(h) || !choices_are_known(h) || !labels_are_text(h))
        return model_unusable(err, "its sizes are not those of a model");
    return true;
}

/* --- parts --- */

static const float *take_floats(struct image_in *in, size_t n)
{
    return image_take(in, n, sizeof(float));
}

static const uint16_t *take_halves(struct image_in *in, size_t rows, size_t n)
{
    return image_take(in, rows * n, sizeof(uint16_t));
}

static struct model_norm take_norm(struct image_in *in, size_t n)
{
    const float *gain = take_floats(in, n);
    return (struct model_norm){gain, take_floats(in, n)};
}

static struct model_numbers take_numbers(struct image_in *in, const struct model_head *h,
                                         size_t scales, size_t n)
{
    struct model_numbers out = {0};
    if (h->weights == MODEL_HALVES) {
        out.halves = take_halves(in, scales, n);
        return out;
    }
    out.scales = take_floats(in, scales);
    out.bytes = image_take(in, scales * n, 1);
    return out;
}

static struct model_matrix take_matrix(struct image_in *in, const struct model_head *h,
                                       uint32_t from, uint32_t to)
{
    const float *bias = take_floats(in, to);
    return (struct model_matrix){bias, take_numbers(in, h, to, from), from, to};
}

static void take_vocabulary(struct image_in *in, const struct model_head *h,
                            struct vocabulary *out)
{
    out->starts = image_take(in, h->words + 1, sizeof(*out->starts));
    out->ids = image_take(in, h->words, sizeof(*out->ids));
    if (h->kind == TOKENS_UNIGRAM) {
        out->scores = take_floats(in, h->words);
        out->charsmap = (str){image_take(in, h->charsmap_bytes, 1), h->charsmap_bytes};
    }
    out->text = image_take(in, h->words_bytes, 1);
    out->n = h->words;
    out->rows = h->rows;
    out->text_size = h->words_bytes;
    out->kind = h->kind;
    out->flags = h->flags;
    out->lowest = h->lowest;
    out->unknown = h->unknown;
    out->first = h->first;
    out->last = h->last;
}

static void take_layer(struct image_in *in, const struct model_head *h,
                       struct model_layer *out)
{
    out->attention = take_matrix(in, h, h->width, 3 * h->width);
    out->mix = take_matrix(in, h, h->width, h->width);
    out->mixed = take_norm(in, h->width);
    out->widen = take_matrix(in, h, h->width, h->inner);
    out->narrow = take_matrix(in, h, h->inner, h->width);
    out->done = take_norm(in, h->width);
}

bool model_image_read(str bytes, struct model_image *out, struct err *err)
{
    struct model_image m = {0};
    const struct model_head *h = &m.head;
    if (bytes.n < HEAD_1)
        return model_unusable(err, str_starts((str){magic, sizeof(magic)},
                                              str_slice(bytes, 0, sizeof(magic)))
                                       ? "it is too short"
                                       : "it is not a model for vaultd");
    struct image_in in = {str_skip(bytes, read_head(bytes, &m.head)), false};
    if (!check_head(h, bytes, err))
        return false;
    take_vocabulary(&in, h, &m.vocabulary);
    m.words = take_numbers(&in, h, h->rows, h->width);
    m.positions = take_halves(&in, h->positions, h->width);
    m.every = take_floats(&in, h->width);
    m.norm = take_norm(&in, h->width);
    for (uint32_t i = 0; i < h->layers; i++)
        take_layer(&in, h, &m.layers[i]);
    if (in.damaged || in.rest.n > 0)
        return model_unusable(err, "its parts do not have the sizes it says");
    if (!vocabulary_is_sound(&m.vocabulary))
        return model_unusable(err, "its list of words is not in order");
    *out = m;
    return true;
}

/* --- files --- */

bool model_image_open(const char *path, struct model_image *out, struct err *err)
{
    struct mapped file;
    if (!mapped_open(path, "model file", &file, err))
        return false;
    if (!model_image_read(file.bytes, out, err)) {
        mapped_close(&file);
        return false;
    }
    out->file = file;
    /* The check has read all of it; what is needed comes back from the page cache. */
    mapped_rest(&file);
    return true;
}

void model_image_close(struct model_image *m)
{
    mapped_close(&m->file);
}
