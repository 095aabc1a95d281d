#include "base/os/heap.h"

#include <malloc.h>

enum { LARGE = 1 << 20 }; /* bytes */

/* glibc raises this limit with every large block that is freed, up to 32 MB. The blocks of a
 * first index then leave holes among smaller ones, which it cannot give back. */
void heap_set_up(void)
{
    mallopt(M_MMAP_THRESHOLD, LARGE);
}

/* Sanitizers have a heap of their own. glibc's is unused then, and two threads that call it
 * first at the same moment set it up twice, which ends the process. */
void heap_trim(void)
{
    if (!VAULTD_SANITIZED)
        malloc_trim(0);
}
