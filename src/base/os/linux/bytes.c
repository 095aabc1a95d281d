#include "base/os/bytes.h"

const char *bytes_find_last(const char *p, char c, size_t n)
{
    return n > 0 ? memrchr(p, c, n) : NULL;
}
