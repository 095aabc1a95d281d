#include "fetch/embeddings_read.h"

#include <math.h>

#include "base/json.h"
#include "fetch/embeddings.h"

static bool wrong_embeddings(struct err *err, const char *what)
{
    return err_set(err, ERR_BUSY, "%s", what);
}

static bool read_numbers(const struct json *list, float *out, struct err *err)
{
    double squares = 0;
    size_t n = 0;
    for (const struct json *at = list->child; at != NULL; at = at->next, n++) {
        double number;
        if (!json_num(at, &number) || !isfinite((float)number))
            return wrong_embeddings(err, "returned a value that is not a number");
        out[n] = (float)number; /* 0 if it is too small for one */
        squares += (double)out[n] * out[n];
    }
    double length = sqrt(squares);
    if (!(length > 0) || !isfinite(length))
        return wrong_embeddings(err, "returned a zero vector");
    for (size_t i = 0; i < n; i++)
        out[i] = (float)(out[i] / length);
    return true;
}

/* The vector of one text, which may come in any order. */
static bool read_row(const struct json *row, size_t n, unsigned numbers, float *out,
                     bool *seen, struct err *err)
{
    const struct json *list = json_get(row, STR("embedding"));
    int64_t index;
    if (!json_int(json_get(row, STR("index")), &index) || index < 0 ||
        (size_t)index >= n || seen[index])
        return wrong_embeddings(err, "returned embeddings without a valid index");
    if (!json_is(list, JSON_ARRAY) || list->n != numbers)
        return wrong_embeddings(err, "returned embeddings of different dimensions");
    seen[index] = true;
    return read_numbers(list, out + (size_t)index * numbers, err);
}

static bool count_numbers(const struct json *row, unsigned *numbers, struct err *err)
{
    const struct json *list = json_get(row, STR("embedding"));
    unsigned n = json_is(list, JSON_ARRAY) ? list->n : 0;
    if (n == 0 || n > EMBEDDINGS_NUMBERS)
        return err_set(err, ERR_BUSY,
                       "returned an embedding of %u dimensions, not of 1 to %d", n,
                       EMBEDDINGS_NUMBERS);
    if (*numbers != 0 && n != *numbers)
        return err_set(err, ERR_BUSY,
                       "returned embeddings of %u dimensions instead of %u: check "
                       "embeddings-dimensions, and restart vaultd if the model changed",
                       n, *numbers);
    *numbers = n;
    return true;
}

static bool read_rows(struct arena *a, struct arena *scratch, const struct json *data,
                      size_t n, float **out, unsigned *numbers, struct err *err)
{
    unsigned width = *numbers;
    if (!json_is(data, JSON_ARRAY))
        return wrong_embeddings(err, "returned no embeddings");
    if (data->n != n)
        return err_set(err, ERR_BUSY, "returned %u embeddings for %zu texts", data->n, n);
    if (!count_numbers(data->child, &width, err))
        return false;
    float *vectors = arena_alloc(a, size_mul(size_mul(n, width), sizeof(float)));
    bool *seen = ARENA_ARRAY(scratch, bool, n);
    for (const struct json *row = data->child; row != NULL; row = row->next)
        if (!read_row(row, n, width, vectors, seen, err))
            return false;
    *out = vectors;
    *numbers = width;
    return true;
}

bool embeddings_read(struct arena *a, str body, size_t n, float **out, unsigned *numbers,
                     struct err *err)
{
    struct arena scratch = {0}; /* the tree is much larger than the vectors */
    const struct json *answer;
    struct err ignored;
    bool ok = json_parse(&scratch, body, &answer, &ignored) ||
              wrong_embeddings(err, "did not answer with JSON");
    ok =
        ok && read_rows(a, &scratch, json_get(answer, STR("data")), n, out, numbers, err);
    arena_release(&scratch);
    return ok;
}
