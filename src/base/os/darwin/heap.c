#include "base/os/heap.h"

#include <malloc/malloc.h>

void heap_set_up(void)
{
}

void heap_trim(void)
{
    malloc_zone_pressure_relief(NULL, 0);
}
