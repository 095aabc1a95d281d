/*
 * Any bytes as a file of weights: they are refused with a reason, or every tensor that is
 * found lies within the file and can be read.
 */
#include "base/arena.h"
#include "vault/meaning/safetensors.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void use(const struct safetensors *s, const struct json *entry)
{
    struct tensor t;
    struct err err = {0};
    float last;
    if (!safetensors_find(s, entry->key, &t, &err)) {
        if (err.code != ERR_INVALID)
            BUG("not found without a reason");
        return;
    }
    size_t width = t.type == TENSOR_F32 ? 4 : 2, n = t.rows * t.columns;
    if (t.bytes < s->bytes.p || t.bytes + n * width > s->bytes.p + s->bytes.n)
        BUG("%zu numbers outside of the file", n);
    for (size_t i = 0; i < n; i++)
        (void)!tensor_read(&t, i, 1, &last);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a = {0};
    struct err err = {0};
    struct safetensors s;
    if (!safetensors_read(&a, (str){(const char *)data, size}, &s, &err)) {
        if (err.code != ERR_INVALID && err.code != ERR_LIMIT)
            BUG("refused without a reason");
    } else {
        for (const struct json *t = s.head->child; t != NULL; t = t->next)
            use(&s, t);
    }
    arena_release(&a);
    return 0;
}
