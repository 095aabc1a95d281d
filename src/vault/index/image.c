#include "vault/index/image.h"

enum { ALIGNED = 8 };

void image_put_piece(const struct image_out *out, const void *bytes, uint64_t n)
{
    if (n > 0)
        out->write(out->arg, bytes, n);
}

void image_pad(const struct image_out *out, uint64_t n)
{
    static const char zeros[ALIGNED];
    image_put_piece(out, zeros, -n % ALIGNED);
}

void image_put(const struct image_out *out, const void *bytes, uint64_t n)
{
    image_put_piece(out, bytes, n);
    image_pad(out, n);
}

const void *image_take(struct image_in *in, uint64_t n, size_t size)
{
    uint64_t bytes, padded;
    const void *at = in->rest.p;
    if (in->damaged || __builtin_mul_overflow(n, size, &bytes) ||
        __builtin_add_overflow(bytes, -bytes % ALIGNED, &padded) || padded > in->rest.n) {
        in->damaged = true;
        return NULL;
    }
    in->rest = str_skip(in->rest, padded);
    return at;
}
