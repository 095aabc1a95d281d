#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/os/machine.h"

/* The most that it has used so far, which Linux and the BSDs count in KiB. */
uint64_t machine_memory(void)
{
    struct rusage use;
    return getrusage(RUSAGE_SELF, &use) == 0 ? (uint64_t)use.ru_maxrss << 10 : 0;
}

size_t machine_descriptors(void)
{
    enum { LOOKED_AT = 4096 };
    long most = sysconf(_SC_OPEN_MAX);
    size_t n = 0;
    for (int fd = 0; fd < LOOKED_AT && fd < most; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    return n;
}
