#include <stdlib.h>
#include <sys/xattr.h>

#include "base/arena.h"
#include "base/os/file.h"

enum { XATTR_MAX = 64 << 10 };

void file_copy_attributes(int from, int to)
{
    char *names = mem_alloc(XATTR_MAX), *value = mem_alloc(XATTR_MAX);
    ssize_t n = flistxattr(from, names, XATTR_MAX);
    for (ssize_t i = 0; i < n; i += (ssize_t)strlen(names + i) + 1) {
        ssize_t size = fgetxattr(from, names + i, value, XATTR_MAX);
        if (size >= 0)
            (void)fsetxattr(to, names + i, value, (size_t)size, 0);
    }
    free(names);
    free(value);
}
