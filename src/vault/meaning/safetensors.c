#include "vault/meaning/safetensors.h"

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
    return true;
}

bool safetensors_has(const struct safetensors *s, str name)
{
    return json_get(s->head, name) != NULL;
}

/* The elements of an array of two integers, each from 0 to max. */
static bool read_pair(const struct json *j, int64_t max, size_t out[2])
{
    int64_t first, second;
    if (!json_is(j, JSON_ARRAY) || j->n != 2 || !json_int(j->child, &first) ||
        !json_int(j->child->next, &second) || first < 0 || second < 0 || first > max ||
        second > max)
        return false;
    out[0] = (size_t)first;
    out[1] = (size_t)second;
    return true;
}

static bool read_shape(const struct json *j, size_t out[2])
{
    int64_t only;
    if (read_pair(j, SAFETENSORS_LENGTH, out))
        return true;
    if (!json_is(j, JSON_ARRAY) || j->n != 1 || !json_int(j->child, &only) || only < 0 ||
        only > SAFETENSORS_LENGTH)
        return false;
    out[0] = 1;
    out[1] = (size_t)only;
    return true;
}

bool safetensors_find(const struct safetensors *s, str name, struct tensor *out,
                      struct err *err)
{
    const struct json *j = json_get(s->head, name);
    size_t shape[2], place[2];
    if (j == NULL)
        return err_set(err, ERR_INVALID, "the weights lack " STR_FMT, STR_ARG(name));
    if (!str_eq(json_get_str(j, STR("dtype")), STR("F16")) ||
        !read_shape(json_get(j, STR("shape")), shape) ||
        !read_pair(json_get(j, STR("data_offsets")), (int64_t)s->bytes.n, place) ||
        place[0] > place[1] ||
        place[1] - place[0] != shape[0] * shape[1] * sizeof(uint16_t))
        return err_set(err, ERR_INVALID,
                       "the weights have an unusual " STR_FMT
                       " (16-bit numbers in one or two dimensions are read)",
                       STR_ARG(name));
    *out = (struct tensor){s->bytes.p + place[0], shape[0], shape[1]};
    return true;
}
