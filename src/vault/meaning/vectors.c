#include "vault/meaning/vectors.h"

#include <math.h>

#include "base/os/file.h"
#include "vault/meaning/dot.h"
#include "vault/meaning/vectors_row.h"

void vectors_init(struct vectors *v, const struct vectors_model *model, const char *path)
{
    *v = (struct vectors){
        .model = *model, .path = path != NULL ? mem_str(str_c(path)) : NULL, .fd = -1};
}

void vectors_release(struct vectors *v)
{
    for (size_t i = 0; i < v->n_chunks; i++)
        mem_free_aligned(v->chunks[i]);
    free(v->chunks);
    free(v->table.slots);
    free(v->path);
    if (v->fd >= 0)
        file_close(v->fd);
    *v = (struct vectors){.fd = -1};
}

/* --- rows --- */

int8_t *vectors_numbers(const struct vectors *v, uint32_t row)
{
    return v->chunks[row / VECTORS_CHUNK]->numbers +
           (size_t)(row % VECTORS_CHUNK) * v->stride;
}

float *vectors_scale(const struct vectors *v, uint32_t row)
{
    return &v->chunks[row / VECTORS_CHUNK]->scales[row % VECTORS_CHUNK];
}

struct hash_content vectors_hash(const struct vectors *v, uint32_t row)
{
    return v->chunks[row / VECTORS_CHUNK]->hashes[row % VECTORS_CHUNK];
}

enum vectors_kind vectors_kind(const struct vectors *v, uint32_t row)
{
    float scale = *vectors_scale(v, row);
    if (scale > 0)
        return VECTORS_MADE;
    if (scale == VECTORS_SCALE_UNREAD)
        return VECTORS_UNREAD;
    return scale == VECTORS_SCALE_REFUSED ? VECTORS_REFUSED : VECTORS_DAMAGED;
}

uint32_t vectors_find(const struct vectors *v, struct hash_content hash)
{
    size_t at = 0;
    for (uint32_t row; (row = map_next(&v->table, hash.low, &at)) != MAP_NONE;)
        if (hash_same(vectors_hash(v, row), hash))
            return row;
    return VECTORS_NONE;
}

static struct vectors_chunk *new_chunk(const struct vectors *v)
{
    size_t size = sizeof(struct vectors_chunk) + (size_t)VECTORS_CHUNK * v->stride;
    return memset(mem_aligned(DOT_ALIGN, size), 0, size);
}

int8_t *vectors_append(struct vectors *v, struct hash_content hash, float scale)
{
    if ((size_t)(v->n + 1) * v->stride > VECTORS_BYTES_MAX)
        return NULL;
    if (v->n % VECTORS_CHUNK == 0) {
        v->chunks = mem_grow((void *)v->chunks, (v->n_chunks + 1) * sizeof(*v->chunks));
        v->chunks[v->n_chunks++] = new_chunk(v);
    }
    uint32_t row = v->n++;
    v->chunks[row / VECTORS_CHUNK]->hashes[row % VECTORS_CHUNK] = hash;
    *vectors_scale(v, row) = scale;
    if (scale != VECTORS_SCALE_DAMAGED)
        map_put(&v->table, NULL, hash.low, row);
    return vectors_numbers(v, row);
}

bool vectors_say_other_length(unsigned numbers, unsigned stored, struct err *err)
{
    return err_set(err, ERR_INVALID,
                   "the model returns embeddings of %u dimensions, but the stored ones "
                   "have %u: run vaultd embeddings clear to rebuild them",
                   numbers, stored);
}

bool vectors_set_numbers(struct vectors *v, unsigned numbers, struct err *err)
{
    if (numbers == 0 || numbers > VECTORS_NUMBERS_MAX)
        return err_set(err, ERR_INVALID,
                       "embeddings of %u dimensions; at most %d are supported", numbers,
                       VECTORS_NUMBERS_MAX);
    if (v->numbers != 0 && v->numbers != numbers)
        return vectors_say_other_length(numbers, v->numbers, err);
    v->numbers = numbers;
    v->stride = (numbers + DOT_ALIGN - 1) / DOT_ALIGN * DOT_ALIGN;
    return true;
}

/* As int8 with one scale; a vector of zeros has the scale 1. */
static float shorten(const float *vector, size_t n, int8_t *out)
{
    float max = 0;
    for (size_t i = 0; i < n; i++)
        max = fmaxf(max, fabsf(vector[i]));
    float scale = max > 0 ? max / INT8_MAX : 1;
    for (size_t i = 0; i < n; i++)
        out[i] = (int8_t)lrintf(vector[i] / scale);
    return scale;
}

bool vectors_add(struct vectors *v, struct hash_content hash, enum vectors_kind kind,
                 const float *vector, struct err *err)
{
    if (v->numbers == 0)
        BUG("a row before the length of rows is known");
    float scale = kind == VECTORS_UNREAD ? VECTORS_SCALE_UNREAD : VECTORS_SCALE_REFUSED;
    int8_t *numbers = vectors_append(v, hash, scale);
    if (numbers == NULL)
        return err_set(
            err, ERR_LIMIT,
            "the embeddings of this vault need more than %zu MiB: exclude folders "
            "or use fewer dimensions",
            VECTORS_BYTES_MAX >> 20);
    if (kind == VECTORS_MADE)
        *vectors_scale(v, v->n - 1) = shorten(vector, v->numbers, numbers);
    return true;
}

/* --- questions --- */

float *vectors_cosines(const struct vectors *v, struct arena *a, const float *query)
{
    float *out = arena_alloc(a, size_mul(v->n + 1, sizeof(*out)));
    int8_t *space = arena_zero(a, v->stride + DOT_ALIGN);
    int8_t *q = space + (-(uintptr_t)space % DOT_ALIGN);
    int32_t sums[VECTORS_CHUNK];
    dot_rows *dot = dot_best();
    float scale = shorten(query, v->numbers, q);
    for (uint32_t row = 0; row < v->n; row += VECTORS_CHUNK) {
        const struct vectors_chunk *c = v->chunks[row / VECTORS_CHUNK];
        size_t n = v->n - row < VECTORS_CHUNK ? v->n - row : VECTORS_CHUNK;
        dot(q, c->numbers, v->stride, n, sums);
        for (size_t i = 0; i < n; i++)
            out[row + i] = c->scales[i] > 0 ? (float)sums[i] * scale * c->scales[i]
                                            : VECTORS_NO_COSINE;
    }
    return out;
}

float vectors_cosine(const struct vectors *v, uint32_t x, uint32_t y)
{
    int32_t sum;
    dot_best()(vectors_numbers(v, x), vectors_numbers(v, y), v->stride, 1, &sum);
    return (float)sum * *vectors_scale(v, x) * *vectors_scale(v, y);
}

void vectors_sum(const struct vectors *v, uint32_t row, float *sum)
{
    const int8_t *numbers = vectors_numbers(v, row);
    float scale = *vectors_scale(v, row);
    for (size_t i = 0; i < v->numbers; i++)
        sum[i] += (float)numbers[i] * scale;
}
