#include <errno.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/os/posix/child_spawn.h"

static void close_others(posix_spawn_file_actions_t *actions)
{
    posix_spawn_file_actions_addclosefrom_np(actions, STDERR_FILENO + 1);
}

bool child_start(const struct child_plan *plan, struct child *out)
{
    return child_spawn(plan, 0, close_others, out);
}

/* One that has ended needs no limit. */
static bool limit_to(const struct child *c, enum __rlimit_resource what, size_t most)
{
    const struct rlimit hard = {most, most};
    return most == 0 || prlimit(c->pid, what, &hard, NULL) == 0 || errno == ESRCH;
}

bool child_limit(const struct child *c, const struct child_plan *plan)
{
    if (plan->nice > 0) /* its children inherit it */
        (void)setpriority(PRIO_PROCESS, (id_t)c->pid, plan->nice);
    return limit_to(c, RLIMIT_AS, plan->memory) && limit_to(c, RLIMIT_CPU, plan->cpu);
}
