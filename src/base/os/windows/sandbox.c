/*
 * Nothing is confined: Windows restricts what a process may do when it is started, and not
 * when it runs. `vaultd doctor` says so.
 */
#include "base/os/sandbox.h"

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

/* No copy of this process computes here: child_compute() refuses it. */
bool sandbox_only_compute(void)
{
    return false;
}

struct sandbox_state sandbox_probe(void)
{
    return (struct sandbox_state){0};
}
