/* There are no leases: files are copied. */
#include "base/err.h"
#include "base/os/memory.h"

int memory_lease(int fd)
{
    (void)fd;
    return MEMORY_NO_LEASE;
}

bool memory_own(void *p, size_t size)
{
    (void)p;
    return size == 0;
}

void memory_lease_pages(int lease, void *p, size_t size)
{
    BUG("lease %d of %zu bytes at %p", lease, size, p);
}

void memory_lease_drop_pages(int lease, const void *p, size_t size)
{
    BUG("lease %d of %zu bytes at %p", lease, size, p);
}

void memory_lease_end(int lease)
{
    if (lease != MEMORY_NO_LEASE)
        BUG("lease %d", lease);
}
