/*
 * bytes - what not every C library does with memory.
 */
#pragma once

#include <stddef.h>
#include <string.h>

/* Overwrite a secret with zeros. The compiler cannot leave this out. */
static inline void bytes_wipe(void *secret, size_t n)
{
    memset(secret, 0, n);
    __asm__ volatile("" : : "r"(secret) : "memory"); /* as if it read the zeros */
}

/* Where the m bytes of what begin in the n at p; NULL: nowhere. What has no bytes begins
 * at p, which may be NULL if n is 0. */
const char *bytes_find(const char *p, size_t n, const char *what, size_t m);

/* The last byte c of the n at p; NULL if there is none. p may be NULL if n is 0. */
const char *bytes_find_last(const char *p, char c, size_t n);
