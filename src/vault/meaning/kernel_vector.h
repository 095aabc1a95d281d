/*
 * kernel_vector - 8 numbers at a time, in the vectors of the compiler. Functions that take
 * or return them are inlined, so it does not matter how a call would pass them.
 */
#pragma once

#include <stdint.h>

typedef float f32x8 __attribute__((vector_size(32)));
typedef int32_t i32x8 __attribute__((vector_size(32)));
typedef uint32_t u32x8 __attribute__((vector_size(32)));
typedef uint16_t u16x8 __attribute__((vector_size(16)));
typedef int8_t i8x8 __attribute__((vector_size(8)));

/* The same in memory, anywhere. */
typedef f32x8 f32x8_loose __attribute__((aligned(4), may_alias));
typedef u16x8 u16x8_loose __attribute__((aligned(2), may_alias));
typedef i8x8 i8x8_loose __attribute__((aligned(1), may_alias));

/* A short loop whose count is known. clang does so by itself. */
#ifdef __clang__
#define KERNEL_UNROLL
#else
#define KERNEL_UNROLL _Pragma("GCC unroll 8")
#endif
