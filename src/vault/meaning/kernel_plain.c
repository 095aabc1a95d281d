/* For any machine: SSE2 on x86-64, NEON on arm64. */
#include "vault/meaning/kernel.h"
#include "vault/meaning/kernel_vector.h"

#ifdef __aarch64__
#define KERNEL_ROWS 4
#else
#define KERNEL_ROWS 2
#endif
#define KERNEL_TARGET

/* The exponent and the fraction moved to where 32 bits have them make a number that is
 * 2^112 times too small; this is exact for subnormal numbers, too. */
static inline __attribute__((always_inline)) f32x8 kernel_widen8(const uint16_t *halves)
{
    u32x8 bits = __builtin_convertvector(*(const u16x8_loose *)halves, u32x8);
    f32x8 size = (f32x8)((bits & 0x7FFFu) << 13) * 0x1p112f;
    return (f32x8)((u32x8)size | (bits & 0x8000u) << 16);
}

static inline __attribute__((always_inline)) f32x8
kernel_widen_bytes8(const int8_t *bytes)
{
    return __builtin_convertvector(*(const i8x8_loose *)bytes, f32x8);
}

#include "vault/meaning/kernel_body.h"

const struct kernel kernel_plain = {
#ifdef __aarch64__
    .name = "NEON",
    .fast = true,
#else
    .name = "portable",
#endif
    .widen = kernel_widen,
    .widen_bytes = kernel_widen_bytes,
    .product = kernel_multiply,
    .bend = {kernel_gelu, kernel_gelu_tanh, kernel_relu},
    .softmax = kernel_softmax,
    .norm = kernel_norm,
};
