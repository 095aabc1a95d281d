#include "base/os/heap.h"

void heap_set_up(void)
{
}

void heap_trim(void)
{
}
