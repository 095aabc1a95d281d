#include "vault/meaning/model.h"

#include "vault/meaning/kernel.h"
#include "vault/meaning/model_layers.h"
#include "vault/meaning/tokens.h"

enum {
    TEXTS_MAX = 16,
    PIECE_BYTES = 2048, /* more than TOKENS_MAX tokens of prose */
};

struct model {
    struct model_image image;
    const struct kernel *kernel;
    struct arena arena; /* of the texts below */
    str id, about;
};

bool model_open(const char *path, struct model **out, struct err *err)
{
    struct model *m = mem_zero(sizeof(*m));
    if (!model_image_open(path, &m->image, err)) {
        free(m);
        return false;
    }
    const struct model_head *h = m->image.head;
    str name = model_label(h->name);
    m->kernel = kernel_best();
    m->id = arena_printf(&m->arena, STR_FMT " %016llx%016llx", STR_ARG(name),
                         (unsigned long long)h->sum.high, (unsigned long long)h->sum.low);
    m->about = arena_printf(&m->arena, STR_FMT ", inside vaultd", STR_ARG(name));
    *out = m;
    return true;
}

void model_close(struct model *m)
{
    if (m == NULL)
        return;
    model_image_close(&m->image);
    arena_release(&m->arena);
    free(m);
}

const struct model_head *model_head(const struct model *m)
{
    return m->image.head;
}

bool model_is_fast(const char **how)
{
    const struct kernel *k = kernel_best();
    if (how != NULL)
        *how = k->name;
    return k->fast;
}

/* --- the embedder --- */

static bool model_reads(void *arg, str text)
{
    const struct model *m = arg;
    struct tokens t;
    tokens_split(&m->image.vocabulary, text, &t);
    if (t.foreign * 2 > t.letters)
        return false;
    return t.letters < MODEL_JUDGED || t.letters * 10 >= t.pieces * MODEL_LETTERS;
}

static bool model_knows(void *arg, str word)
{
    const struct model *m = arg;
    return vocabulary_find(&m->image.vocabulary, word) != VOCABULARY_NONE;
}

static bool model_embed(void *arg, struct arena *a, enum embed_side side,
                        const str *texts, size_t n, uint64_t deadline_ns, float **out,
                        unsigned *numbers, struct err *err)
{
    const struct model *m = arg;
    const struct model_head *h = m->image.head;
    float *vectors = ARENA_ARRAY(a, float, size_mul(n, h->width));
    for (size_t i = 0; i < n; i++) {
        struct tokens t;
        tokens_split(&m->image.vocabulary, texts[i], &t);
        size_t fits = t.n < h->positions ? t.n : h->positions;
        if (!model_layers_run(&m->image, m->kernel, t.ids, fits, deadline_ns,
                              vectors + i * h->width, err))
            return false;
    }
    *out = vectors;
    *numbers = h->width;
    return true;
}

struct embedder model_embedder(struct model *m)
{
    return (struct embedder){
        .id = m->id,
        .about = m->about,
        .texts_max = TEXTS_MAX,
        .bytes_max = (size_t)TEXTS_MAX * PIECE_BYTES,
        .chunk_bytes = PIECE_BYTES,
        .weak = 0.30f,
        .reads = model_reads,
        .knows = model_knows,
        .embed = model_embed,
        .arg = m,
    };
}
