#include "app/init.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/str.h"

enum { KILLED_BY = 128 }; /* and the signal: the exit status that shells give */

static const int passed_on[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};

static int status_of(int status)
{
    return WIFEXITED(status) ? WEXITSTATUS(status) : KILLED_BY + WTERMSIG(status);
}

/* Wait for whoever has ended; true when it was the child. */
static bool reap(pid_t child, int *status)
{
    pid_t ended;
    bool over = false;
    int how;
    while ((ended = waitpid(-1, &how, WNOHANG)) > 0)
        if (ended == child) {
            *status = how;
            over = true;
        }
    return over;
}

static _Noreturn void look_after(pid_t child, const sigset_t *signals)
{
    int status = 0;
    for (;;) {
        int s = sigwaitinfo(signals, NULL);
        if (s == SIGCHLD && reap(child, &status))
            _exit(status_of(status));
        if (s > 0 && s != SIGCHLD)
            kill(child, s);
    }
}

void init_if_first(void)
{
    sigset_t signals, before;
    if (getpid() != 1)
        return;
    sigemptyset(&signals);
    sigaddset(&signals, SIGCHLD);
    for (size_t i = 0; i < COUNT_OF(passed_on); i++)
        sigaddset(&signals, passed_on[i]);
    sigprocmask(SIG_BLOCK, &signals, &before);
    pid_t child = fork();
    if (child > 0)
        look_after(child, &signals);
    sigprocmask(SIG_SETMASK, &before, NULL); /* the child; or we go on without one */
}
