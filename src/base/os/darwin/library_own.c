#include <stdio.h>

#include "base/os/posix/library_parts.h"

void library_file(char out[LIBRARY_FILE_SIZE], const char *name, int version)
{
    snprintf(out, LIBRARY_FILE_SIZE, "lib%s.%d.dylib", name, version);
}

void library_keep_modules_out(void)
{
}
