#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CHILDREN_MAX = 16, PATIENCE_MS = 300 };

void die(const char *why, ...)
{
    va_list args;
    va_start(args, why);
    fprintf(stderr, "%s: ", program_invocation_short_name);
    vfprintf(stderr, why, args);
    fputc('\n', stderr);
    va_end(args);
    exit(1);
}

static double us_of(const struct timespec *t)
{
    return (double)t->tv_sec * 1e6 + (double)t->tv_nsec / 1e3;
}

double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return us_of(&t);
}

/* Who still runs: servers over HTTP do not notice that we are gone. */
static pid_t running[CHILDREN_MAX];

static void kill_running(void)
{
    for (size_t i = 0; i < CHILDREN_MAX; i++)
        if (running[i] != 0)
            kill(running[i], SIGKILL);
}

static void replace_running(pid_t old, pid_t next)
{
    for (size_t i = 0; i < CHILDREN_MAX; i++) {
        if (running[i] == old) {
            running[i] = next;
            return;
        }
    }
    die("more than %d servers at a time", CHILDREN_MAX);
}

void child_start(struct child *c, char *const argv[], const char *input)
{
    int to[2], from[2];
    posix_spawn_file_actions_t files;
    if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0)
        die("no pipe: %m");
    write_all(to[1], input, strlen(input));
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, to[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&files, from[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    errno = posix_spawnp(&c->pid, argv[0], &files, NULL, argv, environ);
    if (errno != 0)
        die("cannot start %s: %m", argv[0]);
    static bool prepared;
    if (!prepared)
        prepared = atexit(kill_running) == 0;
    replace_running(0, c->pid);
    posix_spawn_file_actions_destroy(&files);
    close(to[0]);
    close(from[1]);
    c->in = to[1];
    c->out = from[0];
}

void child_stop(struct child *c)
{
    close(c->in);
    for (int ms = 0; waitpid(c->pid, NULL, WNOHANG) != c->pid; ms++) {
        if (ms == PATIENCE_MS)
            kill(c->pid, SIGKILL);
        usleep(1000);
    }
    replace_running(c->pid, 0);
    close(c->out);
}

double child_cpu_us(const struct child *c)
{
    clockid_t clock;
    struct timespec t;
    if (clock_getcpuclockid(c->pid, &clock) != 0 || clock_gettime(clock, &t) != 0)
        die("process %d is gone", (int)c->pid);
    return us_of(&t);
}

void write_all(int fd, const char *p, size_t n)
{
    while (n > 0) {
        ssize_t k = write(fd, p, n);
        if (k <= 0)
            die("cannot write: %m");
        p += k;
        n -= (size_t)k;
    }
}

int count_of(const char *text, int max)
{
    char *end;
    long n = strtol(text, &end, 10);
    if (*end != '\0' || n < 1 || n > max)
        die("'%s' is not a number from 1 to %d", text, max);
    return (int)n;
}

size_t split_commands(char **argv, char ***commands, size_t max)
{
    size_t n = 0;
    bool begins = true;
    for (; *argv != NULL; argv++) {
        if (strcmp(*argv, "--") == 0) {
            *argv = NULL;
            begins = true;
        } else if (begins) {
            if (n == max)
                die("more than %zu commands", max);
            commands[n++] = argv;
            begins = false;
        }
    }
    return n;
}
