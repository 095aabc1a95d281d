/*
 * POSIX has nothing to give up but limits. They are for the whole process, so they help
 * only one that computes and ends.
 */
#include "base/os/sandbox.h"

#include <sys/resource.h>

struct sandbox_state sandbox_enter(const struct sandbox *request)
{
    (void)request;
    return sandbox_probe();
}

bool sandbox_narrow(const struct sandbox *request)
{
    (void)request;
    return false;
}

bool sandbox_refuse_programs(void)
{
    return false;
}

/* No new descriptor, no byte in a file, and no process (which root can start all the
 * same). */
bool sandbox_only_compute(void)
{
    const struct rlimit none = {0, 0};
    return setrlimit(RLIMIT_NOFILE, &none) == 0 && setrlimit(RLIMIT_FSIZE, &none) == 0 &&
           setrlimit(RLIMIT_NPROC, &none) == 0;
}

struct sandbox_state sandbox_probe(void)
{
    return (struct sandbox_state){0};
}
