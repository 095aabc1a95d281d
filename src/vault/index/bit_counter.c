#include "vault/index/bit_counter.h"

#include "base/os/machine.h"

enum { LANE_WORDS = 4, FEW_PLANES = 3, ALL_PLANES = 8 };

/* The compiler uses the widest registers that the function may use. */
typedef uint64_t lane __attribute__((vector_size(8 * LANE_WORDS)));

/*
 * Plane p has bit p of each count. Counting begins so that the planes overflow when least
 * is reached, which is remembered.
 */
static inline __attribute__((always_inline)) void
bit_counter_planes(const struct bit_counter_row *rows, size_t n, unsigned least,
                   unsigned planes, uint64_t out[BIT_COUNTER_WORDS])
{
    const unsigned from = (1u << planes) - least;
    for (size_t at = 0; at < BIT_COUNTER_WORDS; at += LANE_WORDS) {
        lane counts[ALL_PLANES], reached = {0};
        for (unsigned p = 0; p < planes; p++)
            counts[p] = (lane){0} - (from >> p & 1); /* all ones, or zeros */
        for (size_t i = 0; i < n; i++) {
            lane carry;
            memcpy(&carry, rows[i].bits + at, sizeof(carry));
            carry ^= rows[i].flip;
            for (unsigned p = 0; p < planes; p++) {
                lane before = counts[p];
                counts[p] = before ^ carry;
                carry &= before;
            }
            reached |= carry;
        }
        memcpy(out + at, &reached, sizeof(reached));
    }
}

static inline __attribute__((always_inline)) void
bit_counter_any(const struct bit_counter_row *rows, size_t n, unsigned least,
                uint64_t out[BIT_COUNTER_WORDS])
{
    if (least < 1u << FEW_PLANES)
        bit_counter_planes(rows, n, least, FEW_PLANES, out);
    else
        bit_counter_planes(rows, n, least, ALL_PLANES, out);
}

#ifdef __x86_64__
__attribute__((target("avx2"))) static void tally_avx2(const struct bit_counter_row *rows,
                                                       size_t n, unsigned least,
                                                       uint64_t out[BIT_COUNTER_WORDS])
{
    bit_counter_any(rows, n, least, out);
}
#endif

void bit_counter_least(const struct bit_counter_row *rows, size_t n, unsigned least,
                       uint64_t out[BIT_COUNTER_WORDS])
{
#ifdef __x86_64__
    if (machine_can(MACHINE_AVX2)) {
        tally_avx2(rows, n, least, out);
        return;
    }
#endif
    bit_counter_any(rows, n, least, out);
}
