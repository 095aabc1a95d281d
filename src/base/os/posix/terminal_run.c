#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/os/file.h"
#include "base/os/terminal.h"

/* The signals that the keys of a terminal send to everything that runs in it. */
static const int keys[] = {SIGINT, SIGQUIT};

static void ignore_keys(struct sigaction before[COUNT_OF(keys)])
{
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    for (size_t i = 0; i < COUNT_OF(keys); i++)
        (void)!sigaction(keys[i], &ignore, &before[i]);
}

static void heed_keys(const struct sigaction before[COUNT_OF(keys)])
{
    for (size_t i = 0; i < COUNT_OF(keys); i++)
        (void)!sigaction(keys[i], &before[i], NULL);
}

/* in: its stdin; -1: ours. Returns an errno. */
static int start(const char *command, const char *const *env, int in, pid_t *pid)
{
    const char *argv[] = {"sh", "-c", command, NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    sigset_t usual;
    sigemptyset(&usual);
    for (size_t i = 0; i < COUNT_OF(keys); i++)
        sigaddset(&usual, keys[i]);
    sigaddset(&usual, SIGPIPE);
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&how);
    posix_spawnattr_setsigdefault(&how, &usual);
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGDEF);
    if (in >= 0)
        posix_spawn_file_actions_adddup2(&files, in, STDIN_FILENO);
    int failed = posix_spawn(pid, "/bin/sh", &files, &how, (char *const *)argv,
                             (char *const *)env);
    posix_spawnattr_destroy(&how);
    posix_spawn_file_actions_destroy(&files);
    return failed;
}

static int await(pid_t pid)
{
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Its end of a pipe, and ours; -1: there is no input. */
static bool open_input(str input, int ends[2])
{
    ends[0] = ends[1] = -1;
    return input.p == NULL ||
           (pipe(ends) == 0 && fcntl(ends[0], F_SETFD, FD_CLOEXEC) == 0 &&
            fcntl(ends[1], F_SETFD, FD_CLOEXEC) == 0);
}

bool terminal_run(const char *command, const char *const *env, str input, int *code)
{
    struct sigaction before[COUNT_OF(keys)], pipes,
        ignore = {.sa_handler = SIG_IGN}; /* it may end before it has read all */
    int ends[2];
    pid_t pid;
    if (!open_input(input, ends))
        return false;
    ignore_keys(before);
    (void)!sigaction(SIGPIPE, &ignore, &pipes);
    int failed = start(command, env, ends[0], &pid);
    if (ends[0] >= 0)
        close(ends[0]);
    if (failed == 0 && ends[1] >= 0)
        (void)!file_write(ends[1], input);
    if (ends[1] >= 0)
        close(ends[1]);
    if (failed == 0)
        *code = await(pid);
    (void)!sigaction(SIGPIPE, &pipes, NULL);
    heed_keys(before);
    errno = failed;
    return failed == 0;
}
