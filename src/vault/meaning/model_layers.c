#include "vault/meaning/model_layers.h"

#include <math.h>

#include "base/arena.h"
#include "base/clock.h"

/* The work on one text. Rows are tokens. */
struct pass {
    const struct model_image *model;
    const struct kernel *kernel;
    uint64_t deadline_ns;
    size_t n, width, inner;
    float *x;      /* n x width */
    float *wide;   /* n x (3 width: questions, keys, values; or inner) */
    float *mixed;  /* n x width */
    float *panel;  /* a panel of a matrix, widened */
    float *scores; /* n x padded(n), of one head */
    float *keys;   /* (width / heads) x padded(n): the keys of a head, as columns */
};

static size_t model_layers_padded(size_t n)
{
    return (n + KERNEL_COLUMNS - 1) / KERNEL_COLUMNS * KERNEL_COLUMNS;
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static bool is_late(const struct pass *p)
{
    return p->deadline_ns != 0 && clock_ns() > p->deadline_ns;
}

/* A panel of a matrix, as numbers of 32 bits. */
static void layers_widen(const struct pass *p, const struct model_matrix *m, size_t at)
{
    size_t panel = (size_t)m->in * KERNEL_COLUMNS, from = at / KERNEL_COLUMNS * panel;
    if (m->panels.halves != NULL)
        p->kernel->widen(m->panels.halves + from, panel, p->panel);
    else
        p->kernel->widen_bytes(m->panels.bytes + from, panel, m->panels.scales + at,
                               p->panel);
}

/* to = from x matrix + bias, for all tokens. */
static bool layers_multiply(const struct pass *p, const struct model_matrix *m,
                            const float *from, size_t stride, float *to)
{
    for (size_t at = 0; at < m->out; at += KERNEL_COLUMNS) {
        layers_widen(p, m, at);
        p->kernel->product(&(struct kernel_product){
            .a = from,
            .a_stride = stride,
            .b = p->panel,
            .b_stride = KERNEL_COLUMNS,
            .bias = m->bias + at,
            .out = to + at,
            .out_stride = m->out,
            .rows = p->n,
            .depth = m->in,
        });
    }
    return !is_late(p);
}

/* x = norm(x + more) */
static void layers_join(const struct pass *p, const float *more,
                        const struct model_norm *norm)
{
    for (size_t i = 0; i < p->n * p->width; i++)
        p->x[i] += more[i];
    for (size_t i = 0; i < p->n; i++)
        p->kernel->norm(p->x + i * p->width, p->width, norm->gain, norm->bias,
                        p->model->head.epsilon);
}

/* --- attention --- */

/* The products of each question with each key of a head. */
static void layers_compare(const struct pass *p, const float *questions,
                           const float *keys, size_t size)
{
    size_t columns = model_layers_padded(p->n), stride = 3 * p->width;
    for (size_t k = 0; k < size; k++)
        for (size_t i = 0; i < columns; i++)
            p->keys[k * columns + i] = i < p->n ? keys[i * stride + k] : 0;
    for (size_t at = 0; at < columns; at += KERNEL_COLUMNS)
        p->kernel->product(&(struct kernel_product){
            .a = questions,
            .a_stride = stride,
            .b = p->keys + at,
            .b_stride = columns,
            .out = p->scores + at,
            .out_stride = columns,
            .rows = p->n,
            .depth = size,
        });
}

static void layers_head(const struct pass *p, size_t head)
{
    size_t size = p->width / p->model->head.heads, columns = model_layers_padded(p->n);
    const float *questions = p->wide + head * size;
    const float *keys = questions + p->width, *values = keys + p->width;
    layers_compare(p, questions, keys, size);
    for (size_t i = 0; i < p->n; i++)
        p->kernel->softmax(p->scores + i * columns, p->n, 1 / sqrtf((float)size));
    for (size_t at = 0; at < size; at += KERNEL_COLUMNS)
        p->kernel->product(&(struct kernel_product){
            .a = p->scores,
            .a_stride = columns,
            .b = values + at,
            .b_stride = 3 * p->width,
            .out = p->mixed + head * size + at,
            .out_stride = p->width,
            .rows = p->n,
            .depth = p->n,
        });
}

static bool layers_attend(const struct pass *p, const struct model_layer *l)
{
    if (!layers_multiply(p, &l->attention, p->x, p->width, p->wide))
        return false;
    for (size_t i = 0; i < p->model->head.heads; i++)
        layers_head(p, i);
    if (!layers_multiply(p, &l->mix, p->mixed, p->width, p->wide))
        return false;
    layers_join(p, p->wide, &l->mixed);
    return true;
}

static bool layers_bend(const struct pass *p, const struct model_layer *l)
{
    if (!layers_multiply(p, &l->widen, p->x, p->width, p->wide))
        return false;
    p->kernel->bend[p->model->head.bend](p->wide, p->n * p->inner);
    if (!layers_multiply(p, &l->narrow, p->wide, p->inner, p->mixed))
        return false;
    layers_join(p, p->mixed, &l->done);
    return true;
}

/* --- the ends --- */

/* The row of a word. */
static void layers_word(const struct pass *p, uint32_t id, float *row)
{
    const struct model_numbers *words = &p->model->words;
    float scales[KERNEL_COLUMNS];
    if (words->halves != NULL) {
        p->kernel->widen(words->halves + id * p->width, p->width, row);
        return;
    }
    for (size_t i = 0; i < COUNT_OF(scales); i++)
        scales[i] = words->scales[id];
    p->kernel->widen_bytes(words->bytes + id * p->width, p->width, scales, row);
}

static void layers_begin(const struct pass *p, const uint32_t *ids)
{
    const struct model_image *m = p->model;
    for (size_t i = 0; i < p->n; i++) {
        float *row = p->x + i * p->width;
        layers_word(p, ids[i], row);
        p->kernel->widen(m->positions + i * p->width, p->width, p->mixed);
        for (size_t j = 0; j < p->width; j++)
            row[j] += p->mixed[j] + m->every[j];
        p->kernel->norm(row, p->width, m->norm.gain, m->norm.bias, m->head.epsilon);
    }
}

static bool layers_end(const struct pass *p, float *out, struct err *err)
{
    double length = 0;
    size_t n = p->model->head.pooling == MODEL_FIRST ? 1 : p->n;
    for (size_t j = 0; j < p->width; j++) {
        double sum = 0;
        for (size_t i = 0; i < n; i++)
            sum += (double)p->x[i * p->width + j];
        p->mixed[j] = (float)(sum / (double)n);
        length += (double)p->mixed[j] * (double)p->mixed[j];
    }
    length = sqrt(length);
    if (!isfinite(length) || length < 1e-12)
        return err_set(err, ERR_INVALID, "the model returned no embedding for this text");
    for (size_t j = 0; j < p->width; j++)
        out[j] = (float)((double)p->mixed[j] / length);
    return true;
}

/* Beginning at a line of the cache, so that no vector of a panel is in two of them. */
static float *floats(struct arena *a, size_t rows, size_t columns)
{
    enum { LINE = 64 };
    size_t bytes = size_mul(size_mul(rows, columns), sizeof(float));
    char *p = arena_alloc(a, size_add(bytes, LINE));
    return (float *)(void *)(p + (LINE - (uintptr_t)p % LINE) % LINE);
}

bool model_layers_run(const struct model_image *m, const struct kernel *k,
                      const uint32_t *ids, size_t n, uint64_t deadline_ns, float *out,
                      struct err *err)
{
    const struct model_head *h = &m->head;
    struct arena a = {0};
    size_t widest = larger(3 * (size_t)h->width, h->inner);
    struct pass p = {
        .model = m,
        .kernel = k,
        .deadline_ns = deadline_ns,
        .n = n,
        .width = h->width,
        .inner = h->inner,
        .x = floats(&a, n, h->width),
        .wide = floats(&a, n, widest),
        .mixed = floats(&a, n, h->width),
        .panel = floats(&a, larger(h->width, h->inner), KERNEL_COLUMNS),
        .scores = floats(&a, n, model_layers_padded(n)),
        .keys = floats(&a, h->width / h->heads, model_layers_padded(n)),
    };
    layers_begin(&p, ids);
    bool ok = !is_late(&p);
    for (uint32_t i = 0; i < h->layers && ok; i++)
        ok = layers_attend(&p, &m->layers[i]) && layers_bend(&p, &m->layers[i]);
    ok = ok ? layers_end(&p, out, err)
            : err_named(err, E_TIMEOUT, "the model was not ready in time");
    arena_release(&a);
    return ok;
}
