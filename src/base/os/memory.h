/*
 * memory - files as memory.
 */
#pragma once

#include "base/str.h"

enum memory_use {
    MEMORY_READ,     /* what the file has at that moment */
    MEMORY_READ_ALL, /* the same, all of it soon */
    MEMORY_OWN,      /* writable; nobody else sees that */
    MEMORY_SHARED,   /* writable; it is the file */
};

/* The first size bytes of a file: at that address if it is free, 0: anywhere. NULL, and
 * errno, if that fails. Bytes beyond its end must not be touched. */
void *memory_map(int fd, size_t size, enum memory_use use, uint64_t address);
void memory_unmap(const void *p, size_t size);

/* The pages within are not needed for now; they come back from the file, without what was
 * written to them. */
void memory_drop_pages(const void *p, size_t size);
