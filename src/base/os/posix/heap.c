#include "base/os/heap.h"

void heap_trim(void)
{
}
