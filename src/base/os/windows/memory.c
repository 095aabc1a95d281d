/*
 * A file with a view cannot be replaced, truncated or removed, so files are read into memory
 * instead of being mapped. Only what is the file (MEMORY_SHARED) is a view.
 */
#include "base/os/memory.h"

#include <errno.h>

#include "base/os/file.h"
#include "base/os/windows/failure.h"
#include "base/os/windows/fd.h"

static void *memory_view(int fd, size_t size)
{
    const struct fd *f = fd_find(fd);
    HANDLE map =
        f != NULL ? CreateFileMappingW(f->handle, NULL, PAGE_READWRITE,
                                       (DWORD)((uint64_t)size >> 32), (DWORD)size, NULL)
                  : NULL;
    void *p = map != NULL ? MapViewOfFile(map, FILE_MAP_WRITE, 0, 0, size) : NULL;
    if (p == NULL && f != NULL)
        failure();
    if (map != NULL)
        CloseHandle(map); /* the view keeps it */
    return p;
}

static void *memory_reserve(size_t size, uint64_t address)
{
    void *p = VirtualAlloc((void *)(uintptr_t)address, size, MEM_RESERVE | MEM_COMMIT,
                           PAGE_READWRITE);
    if (p == NULL && address != 0) /* it is taken */
        p = VirtualAlloc(NULL, size, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
    if (p == NULL)
        failure();
    return p;
}

/* Bytes beyond the end of the file are 0. */
void *memory_map(int fd, size_t size, enum memory_use use, uint64_t address)
{
    if (use == MEMORY_SHARED)
        return memory_view(fd, size);
    void *p = memory_reserve(size, address);
    if (p != NULL)
        (void)!file_read_at(fd, p, size, 0);
    return p;
}

void *memory_map_copy(int fd, size_t size, uint64_t address)
{
    void *p = memory_reserve(size, address);
    if (p == NULL || file_read_at(fd, p, size, 0) == size)
        return p;
    memory_unmap(p, size);
    errno = EIO;
    return NULL;
}

void memory_unmap(const void *p, size_t size)
{
    void *at = (void *)(uintptr_t)p;
    (void)size;
    if (!UnmapViewOfFile(at))
        VirtualFree(at, 0, MEM_RELEASE);
}

/* They would not come back. */
void memory_drop_pages(const void *p, size_t size)
{
    (void)p, (void)size;
}

size_t memory_page(void)
{
    SYSTEM_INFO info;
    GetSystemInfo(&info);
    return info.dwPageSize;
}
