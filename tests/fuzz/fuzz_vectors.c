/* Whatever a file of vectors contains: rows that can be used, and more can be added. */
#include "vault/meaning/vectors.h"

#include <stdio.h>
#include <unistd.h>

#include "base/fs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void use_rows(struct vectors *v, struct arena *a)
{
    struct err err;
    float *query = ARENA_ARRAY(a, float, v->numbers);
    query[0] = 1;
    const float *cosines = vectors_cosines(v, a, query);
    for (uint32_t i = 0; i < v->n; i++)
        if ((vectors_kind(v, i) == VECTORS_MADE) != (cosines[i] > VECTORS_NO_COSINE))
            BUG("row %u", i);
    if (!vectors_add(v, (struct hash_content){1, 2}, VECTORS_MADE, query, &err))
        BUG("%s", err.msg);
    vectors_save(v, false);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a = {0};
    struct vectors_model model;
    struct vectors v;
    struct err err;
    char path[64];
    snprintf(path, sizeof(path), "/tmp/fuzz_vectors.%d", (int)getpid());
    if (!fs_replace_file(path, (str){(const char *)data, size}, &err))
        return 0;
    if (vectors_peek(path, &model, &err)) {
        vectors_init(&v, &model, path);
        vectors_load(&v, NULL);
        if (v.numbers > 0)
            use_rows(&v, &a);
        vectors_release(&v);
    }
    unlink(path);
    arena_release(&a);
    return 0;
}
