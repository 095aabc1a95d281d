#include "base/os/memory.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/os/file.h"

void *memory_map(int fd, size_t size, enum memory_use use, uint64_t address)
{
    static const struct {
        int protection, flags;
    } uses[] = {
        [MEMORY_READ] = {PROT_READ, MAP_SHARED},
        [MEMORY_OWN] = {PROT_READ | PROT_WRITE, MAP_PRIVATE},
        [MEMORY_SHARED] = {PROT_READ | PROT_WRITE, MAP_SHARED},
    };
    void *p = mmap((void *)(uintptr_t)address, size, uses[use].protection,
                   uses[use].flags, fd, 0);
    return p != MAP_FAILED ? p : NULL;
}

void memory_unmap(const void *p, size_t size)
{
    munmap((void *)(uintptr_t)p, size);
}

void memory_drop_pages(const void *p, size_t size)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t from = ((uintptr_t)p + page - 1) / page * page;
    uintptr_t end = ((uintptr_t)p + size) / page * page;
    if (end > from)
        (void)!madvise((void *)from, end - from, MADV_DONTNEED);
}

void *memory_map_copy(int fd, size_t size, uint64_t address)
{
    void *p = mmap((void *)(uintptr_t)address, size, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        return NULL;
    if (file_read_at(fd, p, size, 0) == size)
        return p;
    munmap(p, size);
    errno = EIO;
    return NULL;
}

size_t memory_page(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}
