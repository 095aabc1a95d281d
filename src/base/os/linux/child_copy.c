#include <fcntl.h>
#include <limits.h>
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "base/os/child.h"
#include "base/os/posix/child_parts.h"

/* Since Linux 5.9. */
bool child_close_range(int first)
{
    return close_range((unsigned)first, ~0U, 0) == 0;
}

void child_end_with_parent(void)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
}

/* Before glibc first shrinks the heap of a thread, it reads /proc/sys/vm/overcommit_memory. */
void child_keep_memory(void)
{
    mallopt(M_TRIM_THRESHOLD, INT_MAX);
}

/* The first number of /proc/self/statm: pages. */
size_t child_mapped(void)
{
    char text[64] = {0};
    int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, text, sizeof(text) - 1) : -1;
    if (fd >= 0)
        close(fd);
    return n > 0 ? strtoull(text, NULL, 10) * (size_t)sysconf(_SC_PAGESIZE) : 0;
}

bool child_time(const struct child *c, uint64_t *ns)
{
    clockid_t clock;
    struct timespec t;
    if (clock_getcpuclockid(c->pid, &clock) != 0 || clock_gettime(clock, &t) != 0)
        return false;
    *ns = (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
    return true;
}
