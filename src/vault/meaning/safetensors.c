#include "vault/meaning/safetensors.h"

#include <math.h>

#include "base/sort.h"

static const struct safetensors_type {
    const char *name;
    size_t size;
    enum tensor_type type;
} safetensors_types[] = {
    {"F16", 2, TENSOR_F16},    {"BF16", 2, TENSOR_BF16},     {"F32", 4, TENSOR_F32},
    {"F64", 8, TENSOR_OTHER},  {"I64", 8, TENSOR_OTHER},     {"I32", 4, TENSOR_OTHER},
    {"I16", 2, TENSOR_OTHER},  {"I8", 1, TENSOR_OTHER},      {"U64", 8, TENSOR_OTHER},
    {"U32", 4, TENSOR_OTHER},  {"U16", 2, TENSOR_OTHER},     {"U8", 1, TENSOR_OTHER},
    {"BOOL", 1, TENSOR_OTHER}, {"F8_E4M3", 1, TENSOR_OTHER}, {"F8_E5M2", 1, TENSOR_OTHER},
};

struct safetensors_place {
    size_t from, to;
};

static const struct safetensors_type *safetensors_type(const struct json *tensor)
{
    str name = json_get_str(tensor, STR("dtype"));
    for (size_t i = 0; i < COUNT_OF(safetensors_types); i++)
        if (str_eq(name, str_c(safetensors_types[i].name)))
            return &safetensors_types[i];
    return NULL;
}

/* The elements of an array of numbers from 0 on; false if there are more than max. */
static bool safetensors_sizes(const struct json *j, size_t max, size_t *out, size_t *n)
{
    int64_t number;
    *n = 0;
    if (!json_is(j, JSON_ARRAY) || j->n > max)
        return false;
    for (const struct json *c = j->child; c != NULL; c = c->next) {
        if (!json_int(c, &number) || number < 0)
            return false;
        out[(*n)++] = (size_t)number;
    }
    return true;
}

static bool safetensors_shape(const struct json *tensor,
                              size_t out[SAFETENSORS_DIMENSIONS], size_t *n,
                              size_t *bytes)
{
    const struct safetensors_type *type = safetensors_type(tensor);
    if (type == NULL || !safetensors_sizes(json_get(tensor, STR("shape")),
                                           SAFETENSORS_DIMENSIONS, out, n))
        return false;
    *bytes = type->size;
    for (size_t i = 0; i < *n; i++)
        if (__builtin_mul_overflow(*bytes, out[i], bytes))
            return false;
    return true;
}

static bool safetensors_place(const struct safetensors *s, const struct json *tensor,
                              struct safetensors_place *out)
{
    size_t shape[SAFETENSORS_DIMENSIONS], place[2], n, bytes;
    if (!safetensors_shape(tensor, shape, &n, &bytes) ||
        !safetensors_sizes(json_get(tensor, STR("data_offsets")), 2, place, &n) ||
        n != 2 || place[0] > place[1] || place[1] > s->bytes.n ||
        place[1] - place[0] != bytes)
        return false;
    *out = (struct safetensors_place){place[0], place[1]};
    return true;
}

static int safetensors_order(const void *a, const void *b)
{
    const struct safetensors_place *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return (x->to > y->to) - (x->to < y->to);
}

static bool safetensors_fill(struct arena *a, const struct safetensors *s,
                             struct err *err)
{
    size_t n = 0, end = 0;
    if (!json_is(s->head, JSON_OBJECT) || s->head->n > SAFETENSORS_TENSORS)
        return err_set(err, ERR_INVALID,
                       "the weights are not a safetensors file of at most %d tensors",
                       SAFETENSORS_TENSORS);
    struct safetensors_place *all = ARENA_ARRAY(a, struct safetensors_place, s->head->n);
    for (const struct json *t = s->head->child; t != NULL; t = t->next)
        if (!str_eq(t->key, STR("__metadata__")) && !safetensors_place(s, t, &all[n++]))
            return err_set(err, ERR_INVALID,
                           "the weights have an unusual " STR_FMT
                           ": its type, shape and place do not match the file",
                           STR_ARG(str_slice(t->key, 0, 100)));
    sort_items(all, n, sizeof(*all), safetensors_order);
    for (size_t i = 0; i < n; end = all[i++].to)
        if (all[i].from != end)
            return err_set(err, ERR_INVALID,
                           "the weights have tensors that overlap, or "
                           "gaps between them");
    return end == s->bytes.n ||
           err_set(err, ERR_INVALID, "the weights have bytes that are of no tensor");
}

bool safetensors_read(struct arena *a, str file, struct safetensors *out, struct err *err)
{
    uint64_t n;
    if (file.n < sizeof(n))
        return err_set(err, ERR_INVALID, "the weights are too short");
    memcpy(&n, file.p, sizeof(n));
    if (n > SAFETENSORS_HEAD || n > file.n - sizeof(n))
        return err_set(err, ERR_INVALID, "the weights are not a safetensors file");
    str head = str_slice(file, sizeof(n), sizeof(n) + n);
    out->bytes = str_skip(file, sizeof(n) + n);
    if (!json_parse(a, head, &out->head, err))
        return err_reword(err, "the weights are not a safetensors file: %s", err->msg);
    return safetensors_fill(a, out, err);
}

bool safetensors_has(const struct safetensors *s, str name)
{
    return json_get(s->head, name) != NULL;
}

bool safetensors_find(const struct safetensors *s, str name, struct tensor *out,
                      struct err *err)
{
    const struct json *j = json_get(s->head, name);
    size_t shape[SAFETENSORS_DIMENSIONS], n, bytes;
    struct safetensors_place place;
    if (j == NULL)
        return err_set(err, ERR_INVALID, "the weights lack " STR_FMT, STR_ARG(name));
    if (!safetensors_shape(j, shape, &n, &bytes) || !safetensors_place(s, j, &place) ||
        n < 1 || n > 2 || safetensors_type(j)->type == TENSOR_OTHER)
        return err_set(err, ERR_INVALID,
                       "the weights have an unusual " STR_FMT
                       " (numbers of 16 or 32 bits in one or two dimensions are read)",
                       STR_ARG(name));
    *out = (struct tensor){s->bytes.p + place.from, safetensors_type(j)->type,
                           n == 2 ? shape[0] : 1, n == 2 ? shape[1] : shape[0]};
    return true;
}

/* --- numbers --- */

static float tensor_single(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof(x));
    return x;
}

/* IEEE 754 with 16 bits; exact for subnormal numbers, too. */
static float tensor_half(uint32_t half)
{
    if ((half & 0x7C00u) == 0x7C00u)
        return NAN;
    float size = tensor_single((half & 0x7FFFu) << 13) * 0x1p112f;
    return (half & 0x8000u) != 0 ? -size : size;
}

bool tensor_read(const struct tensor *t, size_t from, size_t n, float *out)
{
    bool finite = true;
    size_t size = t->type == TENSOR_F32 ? sizeof(uint32_t) : sizeof(uint16_t);
    for (size_t i = 0; i < n; i++) {
        uint16_t half;
        const char *p = t->bytes + (from + i) * size;
        memcpy(&half, p, sizeof(half));
        if (t->type == TENSOR_F32)
            memcpy(&out[i], p, sizeof(*out));
        else
            out[i] = t->type == TENSOR_F16 ? tensor_half(half)
                                           : tensor_single((uint32_t)half << 16);
        finite = finite && isfinite(out[i]);
    }
    return finite;
}
