#include "app/web/pid1.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { KILLED_BY = 128 }; /* added to the signal, as shells do */

/* Waits for all children that have ended; if the worker is one of them, ends with its
 * status. */
static void reap(pid_t worker)
{
    int status;
    pid_t pid;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
        if (pid == worker)
            _exit(WIFEXITED(status) ? WEXITSTATUS(status) : KILLED_BY + WTERMSIG(status));
}

void init_if_first(void)
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
            reap(worker);
        else
            kill(worker, got);
    }
}
