/*
 * fast_folder - where tests make their temporary folders: TMPDIR, or memory, where syncing is free. Tests do not cut
 * the power; tests of a disk's own behaviour use /tmp.
 */
#pragma once

#include <stdbool.h>
#include <stdlib.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum {
    FAST_FOLDER_MB = 512
}; /* that must be free, for tests with large files; a container may have 64 MB */

static inline const char *fast_folder(void)
{
    struct statvfs fs;
    const char *wanted = getenv("TMPDIR");
    if (wanted != NULL && wanted[0] != '\0')
        return wanted;
    bool roomy = statvfs("/dev/shm", &fs) == 0 &&
                 (unsigned long long)fs.f_bavail * fs.f_frsize >> 20 >= FAST_FOLDER_MB;
    return roomy && access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
}
