/*
 * rand - unpredictable random bytes, from the kernel.
 */
#pragma once

#include <stddef.h>

/* Fill n bytes; a failure is a BUG(). */
void rand_bytes(void *out, size_t n);
