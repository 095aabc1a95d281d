#include "base/os/heap.h"

#include <malloc.h>

void heap_trim(void)
{
    malloc_trim(0);
}
