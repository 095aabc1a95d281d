/*
 * rand - random bytes nobody can guess, from the kernel.
 */
#pragma once

#include <stddef.h>

/* Fill n bytes; a system that cannot is a BUG(). */
void rand_bytes(void *out, size_t n);
