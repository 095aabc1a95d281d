#include "base/os/child.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/os/pipe.h"
#include "base/os/posix/child_parts.h"
#include "base/os/sandbox.h"

void child_close_from(int first)
{
    enum { DESCRIPTORS_MAX = 1 << 16 };
    if (child_close_range(first))
        return;
    long most = sysconf(_SC_OPEN_MAX);
    if (most < 0 || most > DESCRIPTORS_MAX)
        most = DESCRIPTORS_MAX;
    for (int fd = first; fd < most; fd++)
        close(fd);
}

/* --- copies of this process --- */

static void limit_memory(size_t more)
{
    size_t now = child_mapped();
    if (now > 0 && !VAULTD_SANITIZED) /* sanitizers reserve more than any limit */
        (void)setrlimit(RLIMIT_AS, &(struct rlimit){now + more, now + more});
}

/* Nothing is left but memory, time and the pipe, which is its stdout. */
static bool confine_copy(const struct child_bounds *bounds, int pipe)
{
    child_end_with_parent();
    limit_memory(bounds->memory);
    (void)setrlimit(RLIMIT_CPU, &(struct rlimit){bounds->cpu, bounds->cpu});
    (void)setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    if (dup2(pipe, STDOUT_FILENO) < 0)
        return false;
    child_close_from(STDERR_FILENO);
    close(STDIN_FILENO);
    child_keep_memory();
    return sandbox_only_compute();
}

bool child_compute(const struct child_bounds *bounds, int (*body)(void *arg, int out),
                   void *arg, struct child *out, int *pipe)
{
    int ends[2];
    if (!pipe_open(ends))
        return false;
    pid_t pid = fork();
    if (pid == 0)
        _exit(confine_copy(bounds, ends[1]) ? body(arg, STDOUT_FILENO) : 1);
    int error = errno;
    close(ends[1]);
    *pipe = ends[0];
    out->pid = pid;
    if (pid < 0) {
        close(ends[0]);
        errno = error;
    }
    return pid > 0;
}

/* --- until it is reaped --- */

bool child_has_ended(const struct child *c)
{
    siginfo_t info = {0};
    return waitid(P_PID, (id_t)c->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == c->pid;
}

void child_ask_to_end(const struct child *c)
{
    kill(-c->pid, SIGTERM);
}

/* A copy of this process is alone, in our group. */
void child_kill(const struct child *c)
{
    if (kill(-c->pid, SIGKILL) != 0)
        kill(c->pid, SIGKILL);
}

int child_reap(struct child *c)
{
    int status = 0;
    while (waitpid(c->pid, &status, 0) < 0 && errno == EINTR)
        continue;
    c->pid = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : CHILD_KILLED + WTERMSIG(status);
}

bool child_was_stopped(int code)
{
    return code == CHILD_KILLED + SIGXCPU || code == CHILD_KILLED + SIGKILL;
}
