/*
 * Not with fork(): in a program with threads, libraries of macOS may take locks in the child
 * that another thread held.
 */
#include <sys/resource.h>

#include "base/os/posix/child_spawn.h"

/* The flag closes what no action names. */
bool child_start(const struct child_plan *plan, struct child *out)
{
    return child_spawn(plan, POSIX_SPAWN_CLOEXEC_DEFAULT, NULL, out);
}

/* Nothing can limit the memory or the time of another process. */
bool child_limit(const struct child *c, const struct child_plan *plan)
{
    if (plan->nice > 0) /* its children inherit it */
        (void)setpriority(PRIO_PROCESS, (id_t)c->pid, plan->nice);
    return true;
}
