/*
 * A file of a model, with the size and the sum that its author would give it, is refused or
 * gives vectors.
 */
#include "base/arena.h"
#include "vault/meaning/model_image.h"
#include "vault/meaning/model_layers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SIZE_LIMIT = 1 << 17 };

static void use(const struct model_image *m)
{
    float out[MODEL_WIDTH_MAX];
    struct tokens t;
    struct err err;
    tokens_split(&m->vocabulary, STR("Hello, worlds! unable b\u00E9a"), m->head.length,
                 &t);
    for (size_t i = 0; i < t.n; i++)
        if (t.ids[i] >= m->head.rows)
            BUG("token %u of %u", t.ids[i], m->head.rows);
    (void)!model_layers_run(m, &kernel_plain, t.ids, t.n, 0, out, &err);
    (void)!model_layers_run(m, kernel_best(), t.ids, t.n, 0, out, &err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct model_image m;
    struct err err = {0};
    if (size < offsetof(struct model_head, rows) || size > SIZE_LIMIT)
        return 0;
    struct model_head *h = mem_alloc(size); /* aligned */
    memcpy(h, data, size);
    str file = {(const char *)h, size};
    uint32_t version = h->version; /* 1: the corpus has some */
    model_head_sign(h);
    h->version = version == 1 ? 1 : h->version;
    h->size = size;
    h->sum = hash_content(str_skip(file, offsetof(struct model_head, size)));
    if (model_image_read(file, &m, &err))
        use(&m);
    else if (err.code != ERR_INVALID)
        BUG("refused without a reason");
    free(h);
    return 0;
}
