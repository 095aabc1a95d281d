/* Whatever an embeddings server answers: vectors of the length 1, or an error. */
#include "fetch/embeddings_read.h"

#include <math.h>

#include "fetch/embeddings.h"

enum { TEXTS = 2 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_vector(const float *v, unsigned numbers)
{
    double squares = 0;
    for (unsigned i = 0; i < numbers; i++)
        squares += (double)v[i] * (double)v[i];
    if (!(fabs(squares - 1) < 1e-3))
        BUG("a vector of the length %g", sqrt(squares));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a = {0};
    struct err err;
    float *vectors;
    unsigned numbers = 0;
    if (embeddings_read(&a, (str){(const char *)data, size}, TEXTS, &vectors, &numbers,
                        &err)) {
        if (numbers == 0 || numbers > EMBEDDINGS_NUMBERS)
            BUG("%u numbers", numbers);
        for (size_t i = 0; i < TEXTS; i++)
            check_vector(vectors + i * numbers, numbers);
    }
    arena_release(&a);
    return 0;
}
