#include "base/os/self.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/os/bytes.h"
#include "base/os/child.h"
#include "base/os/pipe.h"
#include "base/os/ready.h"

extern char **environ;

char **self_start(int *argc, char **argv)
{
    (void)argc;
    return argv;
}

int self_pid(void)
{
    return getpid();
}

const char *const *self_environment(void)
{
    return (const char *const *)environ;
}

const char *self_variable(const char *name)
{
    return getenv(name);
}

void self_forget_variable(const char *name)
{
    char *value = getenv(name);
    if (value != NULL)
        bytes_wipe(value, strlen(value));
    unsetenv(name);
}

void self_adopt(int first, int n)
{
    for (int fd = first; fd < first + n; fd++)
        fcntl(fd, F_SETFD, FD_CLOEXEC);
}

_Noreturn void self_end(int code)
{
    _exit(code);
}

/* --- the first process --- */

/* Waits for all children that have ended; if the worker is one of them, ends with its
 * status. */
static void reap_all(pid_t worker)
{
    int status;
    pid_t pid;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
        if (pid == worker)
            _exit(WIFEXITED(status) ? WEXITSTATUS(status)
                                    : CHILD_KILLED + WTERMSIG(status));
}

void self_init_if_first(void)
{
    sigset_t all, before;
    if (getpid() != 1)
        return;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    pid_t worker = fork();
    if (worker <= 0) { /* the worker; or fork() failed, and we go on without one */
        sigprocmask(SIG_SETMASK, &before, NULL);
        return;
    }
    for (;;) {
        int got;
        if (sigwait(&all, &got) != 0)
            continue;
        if (got == SIGCHLD)
            reap_all(worker);
        else
            kill(worker, got);
    }
}

/* --- the parent --- */

/* A process whose parent ends gets another one. */
bool parent_has_ended(const struct parent *p)
{
    return p->fd >= 0 ? ready_to_read(p->fd) : getppid() != p->pid;
}

void parent_forget(struct parent *p)
{
    pipe_close(&p->fd);
}
