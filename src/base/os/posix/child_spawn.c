#include "base/os/posix/child_spawn.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

/* We ignore some signals that programs rely on. */
static void set_attributes(posix_spawnattr_t *attr, int flags)
{
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(attr, &none);
    posix_spawnattr_setsigdefault(attr, &all);
    posix_spawnattr_setpgroup(attr, 0);
    posix_spawnattr_setflags(
        attr, (short)(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | flags));
}

static void set_actions(posix_spawn_file_actions_t *actions, const struct child_plan *p)
{
    posix_spawn_file_actions_adddup2(actions, p->in, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(actions, p->out, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(actions, p->errors, STDERR_FILENO);
    if (p->folder != NULL)
        posix_spawn_file_actions_addchdir_np(actions, p->folder);
}

bool child_spawn(const struct child_plan *plan, short flags,
                 void (*more)(posix_spawn_file_actions_t *actions), struct child *out)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attr;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attr);
    set_actions(&actions, plan);
    if (more != NULL)
        more(&actions);
    set_attributes(&attr,
                   flags | (plan->stays ? POSIX_SPAWN_SETSID : POSIX_SPAWN_SETPGROUP));
    int error = posix_spawn(&out->pid, plan->program, &actions, &attr,
                            (char *const *)plan->argv, (char *const *)plan->env);
    posix_spawnattr_destroy(&attr);
    posix_spawn_file_actions_destroy(&actions);
    errno = error;
    return error == 0;
}
