#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/os/child.h"

/* We ignore some signals that programs rely on. */
static void set_attributes(posix_spawnattr_t *attr, bool stays)
{
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(attr, &none);
    posix_spawnattr_setsigdefault(attr, &all);
    posix_spawnattr_setpgroup(attr, 0);
    posix_spawnattr_setflags(
        attr, (short)(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
                      (stays ? POSIX_SPAWN_SETSID : POSIX_SPAWN_SETPGROUP)));
}

static void set_actions(posix_spawn_file_actions_t *actions, const struct child_plan *p)
{
    posix_spawn_file_actions_adddup2(actions, p->in, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(actions, p->out, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(actions, p->errors, STDERR_FILENO);
    posix_spawn_file_actions_addclosefrom_np(actions, STDERR_FILENO + 1);
    if (p->folder != NULL)
        posix_spawn_file_actions_addchdir_np(actions, p->folder);
}

bool child_start(const struct child_plan *plan, struct child *out)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attr;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attr);
    set_actions(&actions, plan);
    set_attributes(&attr, plan->stays);
    errno = posix_spawn(&out->pid, plan->program, &actions, &attr,
                        (char *const *)plan->argv, (char *const *)plan->env);
    int error = errno;
    posix_spawnattr_destroy(&attr);
    posix_spawn_file_actions_destroy(&actions);
    errno = error;
    return error == 0;
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
