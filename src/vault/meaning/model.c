#include "vault/meaning/model.h"

#include "vault/meaning/kernel.h"
#include "vault/meaning/model_layers.h"
#include "vault/meaning/tokens.h"

enum {
    TEXTS_MAX = 16,
    PIECE_BYTES = 2048, /* chunks end earlier, by their number of words (chunks.h) */
    PIECE_TOKENS = 256, /* a model that reads less gets shorter chunks */
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
    const struct model_head *h = &m->image.head;
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
    return &m->image.head;
}

bool model_is_fast(const char **how)
{
    const struct kernel *k = kernel_best();
    if (how != NULL)
        *how = k->name;
    return k->fast;
}

void model_tokens(const struct model *m, struct arena *a, enum embed_side side, str text,
                  struct tokens *out)
{
    const struct model_head *h = &m->image.head;
    str prefix = side == EMBED_QUERY ? model_label(h->query) : model_label(h->chunk);
    if (prefix.n > 0)
        text = arena_printf(a, STR_FMT STR_FMT, STR_ARG(prefix), STR_ARG(text));
    tokens_split(&m->image.vocabulary, text, h->length, out);
}

/* --- the embedder --- */

static bool model_reads(void *arg, str text)
{
    const struct model *m = arg;
    const struct model_head *h = &m->image.head;
    struct tokens t;
    tokens_split(&m->image.vocabulary, text, TOKENS_MAX, &t);
    if (t.unknown * MODEL_UNKNOWN > t.n)
        return false;
    if (!str_eq(model_label(h->languages), STR("en")))
        return true;
    if (t.foreign * 2 > t.letters)
        return false;
    return t.letters < MODEL_JUDGED || t.letters * 10 >= t.pieces * MODEL_LETTERS;
}

static bool model_knows(void *arg, str word)
{
    const struct model *m = arg;
    return vocabulary_has_word(&m->image.vocabulary, word);
}

static bool model_embed(void *arg, struct arena *a, enum embed_side side,
                        const str *texts, size_t n, uint64_t deadline_ns, float **out,
                        unsigned *numbers, struct err *err)
{
    const struct model *m = arg;
    const struct model_head *h = &m->image.head;
    float *vectors = ARENA_ARRAY(a, float, size_mul(n, h->width));
    for (size_t i = 0; i < n; i++) {
        struct tokens t;
        model_tokens(m, a, side, texts[i], &t);
        if (!model_layers_run(&m->image, m->kernel, t.ids, t.n, deadline_ns,
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
        .reads_names = m->image.head.languages[0] != '\0'
                           ? model_label(m->image.head.reads)
                           : STR(""),
        .reads_codes = model_label(m->image.head.languages),
        .texts_max = TEXTS_MAX,
        .bytes_max = (size_t)TEXTS_MAX * PIECE_BYTES,
        .chunk_bytes =
            m->image.head.length < PIECE_TOKENS ? m->image.head.length * 4 : PIECE_BYTES,
        .weak = m->image.head.weak,
        .reads = model_reads,
        .knows = model_knows,
        .embed = model_embed,
        .arg = m,
    };
}
