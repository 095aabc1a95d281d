#include "base/os/file.h"

/* POSIX has no extended attributes. */
void file_copy_attributes(int from, int to)
{
    (void)from, (void)to;
}
