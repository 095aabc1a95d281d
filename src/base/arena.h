/*
 * arena - memory that is freed as a whole.
 *
 * One arena per request: a request allocates from it and frees nothing
 * individually; the transport resets it after the reply. Memory is aligned for any
 * type. If malloc fails the process ends: sizes that a client controls are checked
 * against a named limit before they get here. Not thread-safe.
 */
#pragma once

#include <stddef.h>
#include <stdlib.h>

#include "base/str.h"

struct arena_chunk;

struct arena {
    struct arena_chunk *chunk; /* in use; older chunks follow */
    char *at, *end;            /* the unused part of it */
    size_t size;               /* arena_size() */
};

/* Free everything; the arena is then empty, like {0}, and can be used again. */
void arena_release(struct arena *a);

/* Free everything except one chunk of up to 64 KiB, which makes the next request cheap.
 */
void arena_reset(struct arena *a);

/* Bytes that the arena holds now, including unused ones. */
size_t arena_size(const struct arena *a);

/* n uninitialised bytes; never NULL. */
void *arena_alloc(struct arena *a, size_t n) __attribute__((malloc, alloc_size(2)));

/* n zeroed bytes. */
void *arena_zero(struct arena *a, size_t n) __attribute__((malloc, alloc_size(2)));

/* Grow p from old to n bytes: in place if p is the last allocation, otherwise a copy. */
void *arena_grow(struct arena *a, void *p, size_t old, size_t n);

/* A copy of s in the arena, followed by a NUL that is not counted. */
str arena_str(struct arena *a, str s);

/* printf into the arena. */
str arena_printf(struct arena *a, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* "3 notes", "1 note". */
str arena_count(struct arena *a, size_t n, const char *one, const char *many);

#define ARENA_NEW(a, type) ((type *)arena_zero((a), sizeof(type)))
#define ARENA_ARRAY(a, type, n) ((type *)arena_zero((a), size_mul((n), sizeof(type))))

/* Add and multiply sizes; an overflow ends the process. */
size_t size_add(size_t a, size_t b);
size_t size_mul(size_t a, size_t b);

/* The malloc family for long-lived objects; never returns NULL. Use free(). */
void *mem_alloc(size_t n) __attribute__((malloc, alloc_size(1)));
void *mem_zero(size_t n) __attribute__((malloc, alloc_size(1)));
void *mem_grow(void *p, size_t n) __attribute__((alloc_size(2)));
char *mem_str(str s); /* a NUL-terminated copy */

/* The same at a multiple of align, a power of two up to 128; not for free(). */
void *mem_aligned(size_t align, size_t n) __attribute__((malloc, alloc_size(2)));
void mem_free_aligned(void *p); /* or NULL */
