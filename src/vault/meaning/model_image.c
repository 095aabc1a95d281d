#include "vault/meaning/model_image.h"

#include <errno.h>

#include "base/fs.h"
#include "base/os/memory.h"
#include "base/utf8.h"
#include "vault/index/image.h"
#include "vault/meaning/kernel.h"
#include "vault/meaning/tokens.h"

static const char magic[8] = "vaultd\nM";

_Static_assert(sizeof(struct model_head) % 8 == 0, "parts begin at a multiple of 8");

void model_head_sign(struct model_head *h)
{
    memcpy(h->magic, magic, sizeof(magic));
    h->version = MODEL_VERSION;
}

str model_label(const char label[MODEL_LABEL])
{
    return (str){label, strnlen(label, MODEL_LABEL)};
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
           h->positions <= MODEL_POSITIONS_MAX && h->layers > 0 &&
           h->layers <= MODEL_LAYERS_MAX && h->width > 0 && h->width <= MODEL_WIDTH_MAX &&
           h->inner > 0 && h->inner <= MODEL_INNER_MAX &&
           h->inner % KERNEL_COLUMNS == 0 && h->heads > 0 && h->heads <= h->width &&
           h->width % h->heads == 0 && h->width / h->heads % KERNEL_COLUMNS == 0;
}

static bool labels_are_text(const struct model_head *h)
{
    return utf8_valid(model_label(h->name)) && utf8_valid(model_label(h->reads)) &&
           utf8_valid(model_label(h->licence));
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
    if (!sizes_fit(h) || !labels_are_text(h))
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

static struct model_matrix take_matrix(struct image_in *in, uint32_t from, uint32_t to)
{
    const float *bias = take_floats(in, to);
    return (struct model_matrix){bias, take_halves(in, from, to), from, to};
}

static void take_vocabulary(struct image_in *in, const struct model_head *h,
                            struct vocabulary *out)
{
    out->starts = image_take(in, h->words + 1, sizeof(*out->starts));
    out->ids = image_take(in, h->words, sizeof(*out->ids));
    out->text = image_take(in, h->words_bytes, 1);
    out->n = h->words;
    out->text_size = h->words_bytes;
    out->unknown = h->unknown;
    out->first = h->first;
    out->last = h->last;
}

static void take_layer(struct image_in *in, const struct model_head *h,
                       struct model_layer *out)
{
    out->attention = take_matrix(in, h->width, 3 * h->width);
    out->mix = take_matrix(in, h->width, h->width);
    out->mixed = take_norm(in, h->width);
    out->widen = take_matrix(in, h->width, h->inner);
    out->narrow = take_matrix(in, h->inner, h->width);
    out->done = take_norm(in, h->width);
}

bool model_image_read(str bytes, struct model_image *out, struct err *err)
{
    struct image_in in = {str_skip(bytes, sizeof(struct model_head)), false};
    const struct model_head *h = (const void *)bytes.p;
    if (bytes.n < sizeof(*h))
        return model_unusable(err, "it is too short");
    if (!check_head(h, bytes, err))
        return false;
    struct model_image m = {.head = h, .lease = MEMORY_NO_LEASE};
    take_vocabulary(&in, h, &m.vocabulary);
    m.words = take_halves(&in, h->words, h->width);
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

static bool map_file(const char *path, str *out, int *lease, struct err *err)
{
    struct file_stat st;
    AUTO_CLOSE int fd = file_open(FILE_CWD, path, FILE_FOLLOW);
    if (fd < 0 || !file_stat(fd, &st))
        return err_sys(err, "the model file cannot be opened");
    if (st.type != FILE_REGULAR || (size_t)st.size < sizeof(struct model_head))
        return model_unusable(err, "it is not a model for vaultd");
    *lease = memory_lease(fd);
    const void *map = *lease != MEMORY_NO_LEASE && file_stat(fd, &st)
                          ? memory_map(fd, (size_t)st.size, MEMORY_READ, 0)
                          : memory_map_copy(fd, (size_t)st.size, 0);
    if (map == NULL) {
        memory_lease_end(*lease);
        return err_sys(err, "the model file cannot be mapped");
    }
    *out = (str){map, (size_t)st.size};
    return true;
}

bool model_image_open(const char *path, struct model_image *out, struct err *err)
{
    str bytes;
    int lease = MEMORY_NO_LEASE;
    if (!map_file(path, &bytes, &lease, err))
        return false;
    if (!model_image_read(bytes, out, err)) {
        memory_lease_end(lease);
        memory_unmap(bytes.p, bytes.n);
        return false;
    }
    out->lease = lease;
    if (lease == MEMORY_NO_LEASE)
        return true;
    /* The check has read all of it; what is needed comes back from the page cache. */
    memory_lease_pages(lease, (void *)(uintptr_t)bytes.p, bytes.n);
    memory_lease_drop_pages(lease, bytes.p, bytes.n);
    return true;
}

void model_image_close(struct model_image *m)
{
    if (m->head != NULL) {
        memory_lease_end(m->lease);
        memory_unmap(m->head, m->head->size);
    }
    m->head = NULL;
}
