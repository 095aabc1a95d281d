/*
 * statvfs - how much room there is: always enough.
 */
#pragma once

struct statvfs {
    unsigned long f_frsize, f_bavail;
};

static inline int statvfs(const char *path, struct statvfs *out)
{
    (void)path;
    *out = (struct statvfs){1 << 20, 1 << 20};
    return 0;
}
