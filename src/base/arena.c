/*
 * A list of chunks, newest first. The first is small, each next one twice as
 * large up to CHUNK_MAX; a larger request gets its own chunk.
 * Under ASan free memory is poisoned, so a stale str is caught.
 */
#include "base/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1 /* gcc defines it; clang has a feature test */
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#define POISON(p, n) __asan_poison_memory_region((p), (n))
#define UNPOISON(p, n) __asan_unpoison_memory_region((p), (n))
#else
#define POISON(p, n) ((void)0)
#define UNPOISON(p, n) ((void)0)
#endif

enum { CHUNK_MIN = 4 << 10, CHUNK_MAX = 1 << 20, KEEP_MAX = 64 << 10, ALIGN = 16 };

struct arena_chunk {
    struct arena_chunk *older;
    size_t size; /* of the bytes below */
    _Alignas(ALIGN) char bytes[];
};

size_t size_add(size_t a, size_t b)
{
    size_t sum;
    if (__builtin_add_overflow(a, b, &sum))
        BUG("size overflow");
    return sum;
}

size_t size_mul(size_t a, size_t b)
{
    size_t product;
    if (__builtin_mul_overflow(a, b, &product))
        BUG("size overflow");
    return product;
}

void *mem_alloc(size_t n)
{
    void *p = malloc(n > 0 ? n : 1);
    if (p == NULL)
        BUG("out of memory for %zu bytes", n);
    return p;
}

/* How far it is from the block of malloc() is in the byte before it. */
void *mem_aligned(size_t align, size_t n)
{
    unsigned char *block = mem_alloc(size_add(n, align));
    unsigned char *p = block + align - (uintptr_t)block % align;
    p[-1] = (unsigned char)(p - block);
    return p;
}

void mem_free_aligned(void *p)
{
    unsigned char *at = p;
    if (at != NULL)
        free(at - at[-1]);
}

void *mem_zero(size_t n)
{
    void *p = calloc(1, n > 0 ? n : 1);
    if (p == NULL)
        BUG("out of memory for %zu bytes", n);
    return p;
}

void *mem_grow(void *p, size_t n)
{
    void *grown = realloc(p, n > 0 ? n : 1);
    if (grown == NULL)
        BUG("out of memory for %zu bytes", n);
    return grown;
}

char *mem_str(str s)
{
    char *copy = mem_alloc(size_add(s.n, 1));
    if (s.n > 0)
        memcpy(copy, s.p, s.n);
    copy[s.n] = '\0';
    return copy;
}

static void use_chunk(struct arena *a, struct arena_chunk *chunk)
{
    a->chunk = chunk;
    a->at = chunk->bytes;
    a->end = chunk->bytes + chunk->size;
    POISON(chunk->bytes, chunk->size);
}

static void add_chunk(struct arena *a, size_t need)
{
    size_t size = a->chunk != NULL ? a->chunk->size * 2 : CHUNK_MIN;
    if (size > CHUNK_MAX)
        size = CHUNK_MAX;
    if (size < need)
        size = need;
    struct arena_chunk *chunk = mem_alloc(size_add(sizeof(*chunk), size));
    chunk->older = a->chunk;
    chunk->size = size;
    a->size += sizeof(*chunk) + size;
    use_chunk(a, chunk);
}

static void free_chunk(struct arena_chunk *chunk)
{
    UNPOISON(chunk->bytes, chunk->size);
    free(chunk);
}

void arena_release(struct arena *a)
{
    while (a->chunk != NULL) {
        struct arena_chunk *older = a->chunk->older;
        free_chunk(a->chunk);
        a->chunk = older;
    }
    *a = (struct arena){0};
}

void arena_reset(struct arena *a)
{
    struct arena_chunk *kept = NULL; /* the largest chunk that is not too large to keep */
    for (struct arena_chunk *c = a->chunk, *older; c != NULL; c = older) {
        older = c->older;
        bool better = c->size <= KEEP_MAX && (kept == NULL || c->size > kept->size);
        struct arena_chunk *dropped = better ? kept : c;
        if (better)
            kept = c;
        if (dropped != NULL)
            free_chunk(dropped);
    }
    *a = (struct arena){0};
    if (kept != NULL) {
        kept->older = NULL;
        a->size = sizeof(*kept) + kept->size;
        use_chunk(a, kept);
    }
}

size_t arena_size(const struct arena *a)
{
    return a->size;
}

static size_t aligned(size_t n)
{
    return size_add(n, ALIGN - 1) & ~(size_t)(ALIGN - 1);
}

void *arena_alloc(struct arena *a, size_t n)
{
    size_t need = aligned(n > 0 ? n : 1);
    if ((size_t)(a->end - a->at) < need)
        add_chunk(a, need);
    void *p = a->at;
    a->at += need;
    UNPOISON(p, n);
    return p;
}

void *arena_zero(struct arena *a, size_t n)
{
    return memset(arena_alloc(a, n), 0, n);
}

void *arena_grow(struct arena *a, void *p, size_t old, size_t n)
{
    if (p != NULL && (char *)p + aligned(old > 0 ? old : 1) == a->at &&
        (size_t)(a->end - (char *)p) >= aligned(n)) {
        a->at = (char *)p + aligned(n > 0 ? n : 1);
        UNPOISON(p, n);
        return p;
    }
    void *grown = arena_alloc(a, n);
    if (old > 0)
        memcpy(grown, p, old < n ? old : n);
    return grown;
}

str arena_str(struct arena *a, str s)
{
    char *copy = arena_alloc(a, size_add(s.n, 1));
    if (s.n > 0)
        memcpy(copy, s.p, s.n);
    copy[s.n] = '\0';
    return (str){copy, s.n};
}

str arena_printf(struct arena *a, const char *fmt, ...)
{
    va_list args, again;
    va_start(args, fmt);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    char *text = arena_alloc(a, (size_t)n + 1);
    vsnprintf(text, (size_t)n + 1, fmt, again);
    va_end(again);
    return (str){text, (size_t)n};
}

str arena_count(struct arena *a, size_t n, const char *one, const char *many)
{
    return arena_printf(a, "%zu %s", n, n == 1 ? one : many);
}
