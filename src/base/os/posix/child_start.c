/*
 * With fork(), since posix_spawn() can neither set limits nor close what is left open.
 * Other threads are not in the child, which may therefore call only what takes no lock.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/os/child.h"
#include "base/os/pipe.h"
#include "base/os/posix/child_parts.h"

enum { REPORT = STDERR_FILENO + 1 };

/* We ignore some signals that programs rely on. */
static void reset_signals(void)
{
    const struct sigaction usual = {.sa_handler = SIG_DFL};
    sigset_t none;
    for (int i = 1; i < NSIG; i++)
        sigaction(i, &usual, NULL); /* not SIGKILL and SIGSTOP */
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static bool take_descriptors(const struct child_plan *p, int report)
{
    if (dup2(p->in, STDIN_FILENO) < 0 || dup2(p->out, STDOUT_FILENO) < 0 ||
        dup2(p->errors, STDERR_FILENO) < 0 || dup2(report, REPORT) < 0 ||
        fcntl(REPORT, F_SETFD, FD_CLOEXEC) != 0)
        return false;
    child_close_from(REPORT + 1);
    return true;
}

static bool take_limits(const struct child_plan *p)
{
    const struct rlimit memory = {p->memory, p->memory}, cpu = {p->cpu, p->cpu};
    if (p->nice > 0)
        (void)setpriority(PRIO_PROCESS, 0, p->nice);
    return (p->memory == 0 || setrlimit(RLIMIT_AS, &memory) == 0) &&
           (p->cpu == 0 || setrlimit(RLIMIT_CPU, &cpu) == 0);
}

/* Does not return. Says why if it could not become the program. */
static void become(const struct child_plan *p, int report)
{
    bool alone = p->stays ? setsid() > 0 : setpgid(0, 0) == 0;
    reset_signals();
    if (alone && take_descriptors(p, report) &&
        (p->folder == NULL || chdir(p->folder) == 0) && take_limits(p))
        execve(p->program, (char *const *)p->argv, (char *const *)p->env);
    int error = errno;
    (void)!write(REPORT, &error, sizeof(error));
    _exit(1);
}

/* 0 if it has become the program: then the pipe was closed without a word. */
static int read_report(int pipe)
{
    int error = 0;
    while (read(pipe, &error, sizeof(error)) < 0 && errno == EINTR)
        continue;
    close(pipe);
    return error;
}

bool child_start(const struct child_plan *plan, struct child *out)
{
    int ends[2];
    if (!pipe_open(ends))
        return false;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* our handlers are not for the child */
    pid_t pid = fork();
    int error = pid < 0 ? errno : 0;
    if (pid == 0)
        become(plan, ends[1]);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    close(ends[1]);
    int failed = read_report(ends[0]);
    out->pid = pid;
    if (pid > 0 && failed != 0)
        (void)child_reap(out);
    errno = error != 0 ? error : failed;
    return errno == 0;
}

bool child_limit(const struct child *c, const struct child_plan *plan)
{
    return true; /* since it was started */
}
