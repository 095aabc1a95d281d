/*
 * arena - memory that is freed all at once.
 *
 * One arena per request: what a request needs is taken from it and never freed
 * singly; the transport resets it after the reply. Memory is aligned for any
 * type. malloc failing ends the process: sizes a client controls are checked
 * against a named limit before they get here.
 * Not safe for two threads at a time.
 */
#pragma once

#include <stddef.h>
#include <stdlib.h>

#include "base/str.h"

struct arena_chunk;

struct arena {
    struct arena_chunk *chunk; /* the one in use, older ones behind it */
    char *at, *end;            /* what is left of it */
};

/* {0} is an empty arena, too. release frees everything and leaves it empty. */
void arena_release(struct arena *a);

/* Forget everything; keeps one chunk of up to 64 KiB so that the next request is cheap.
 */
void arena_reset(struct arena *a);

/* Bytes taken from the system so far. */
size_t arena_size(const struct arena *a);

/* n bytes, not initialised; never NULL. */
void *arena_alloc(struct arena *a, size_t n) __attribute__((malloc, alloc_size(2)));

/* n zeroed bytes. */
void *arena_zero(struct arena *a, size_t n) __attribute__((malloc, alloc_size(2)));

/* p grown from old to n bytes: in place while p is the arena's last, else a copy. */
void *arena_grow(struct arena *a, void *p, size_t old, size_t n);

/* A copy of s in the arena, with a NUL behind it that is not counted. */
str arena_str(struct arena *a, str s);

/* printf into the arena. */
str arena_printf(struct arena *a, const char *fmt, ...) PRINTF_LIKE(2, 3);

#define ARENA_NEW(a, type) ((type *)arena_zero((a), sizeof(type)))
#define ARENA_ARRAY(a, type, n) ((type *)arena_zero((a), size_mul((n), sizeof(type))))

/* Sums and products of sizes that end the process when they overflow. */
size_t size_add(size_t a, size_t b);
size_t size_mul(size_t a, size_t b);

/* malloc family that never returns NULL, for long-lived objects; free() ends them. */
void *mem_alloc(size_t n) __attribute__((malloc, alloc_size(1)));
void *mem_zero(size_t n) __attribute__((malloc, alloc_size(1)));
void *mem_grow(void *p, size_t n) __attribute__((alloc_size(2)));
char *mem_str(str s); /* a NUL-terminated copy */
