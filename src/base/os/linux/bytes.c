#include "base/os/bytes.h"

const char *bytes_find(const char *p, size_t n, const char *what, size_t m)
{
    return m == 0 ? p : n < m ? NULL : memmem(p, n, what, m);
}

const char *bytes_find_last(const char *p, char c, size_t n)
{
    return n > 0 ? memrchr(p, c, n) : NULL;
}
