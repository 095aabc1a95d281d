/*
 * memory - files as memory.
 */
#pragma once

#include "base/str.h"

enum memory_use {
    MEMORY_READ,   /* what the file has at that moment */
    MEMORY_OWN,    /* writable; private to this process */
    MEMORY_SHARED, /* writable; it is the file */
};

/* The first size bytes of a file: at that address if it is free, 0: anywhere. NULL, and
 * errno, if that fails. Bytes beyond its end must not be touched. */
void *memory_map(int fd, size_t size, enum memory_use use, uint64_t address);
void memory_unmap(const void *p, size_t size);

/* The pages within are not needed for now; they come back from the file, without what was
 * written to them. */
void memory_drop_pages(const void *p, size_t size);

/* The first size bytes of a file as memory of our own; like memory_map() otherwise. A
 * file that is shorter is an error (EIO). */
void *memory_map_copy(int fd, size_t size, uint64_t address);

size_t memory_page(void); /* bytes */

/*
 * A mapped file that another program truncates ends the process that touches it. A lease
 * prevents that: such a program waits until the pages that still come from the file are
 * copied. Take it first, then map the file, and use memory_own() for what will be
 * written; from memory_lease_pages() on, the rest is copied when the lease is broken.
 * Without one (the file system, the owner of the file or another writer does not allow
 * it), read the file with memory_map_copy(). Pages are whole ones, and those of the lease
 * are never written.
 */
enum { MEMORY_NO_LEASE = -1 };
int memory_lease(int fd);
MUST_CHECK bool memory_own(void *p, size_t size); /* false: there is no memory */
void memory_lease_pages(int lease, void *p, size_t size);
void memory_lease_drop_pages(int lease, const void *p,
                             size_t size); /* as memory_drop_pages() */
void memory_lease_end(int lease); /* before memory_unmap(); also of MEMORY_NO_LEASE */
