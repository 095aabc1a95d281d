#include "faults.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static struct {
    bool armed, lasting;
    long n, seen;
    int error;
    void (*act)(void *);
    void *context;
    char trace[16384];
} fault;

void faults_arm(long n, int error, bool lasting)
{
    fault.armed = true;
    fault.lasting = lasting;
    fault.n = n;
    fault.seen = 0;
    fault.error = error;
    fault.act = NULL;
    fault.trace[0] = '\0';
}

void faults_meanwhile(long n, void (*act)(void *), void *context)
{
    faults_arm(n, 0, false);
    fault.act = act;
    fault.context = context;
}

void faults_disarm(void)
{
    fault.armed = false;
}

long faults_seen(void)
{
    return fault.seen;
}

const char *faults_trace(void)
{
    return fault.trace;
}

static void note(const char *call, int synced)
{
    char link[64], path[256];
    size_t n = strlen(fault.trace);
    snprintf(link, sizeof(link), "/proc/self/fd/%d", synced);
    ssize_t got = synced >= 0 ? readlink(link, path, sizeof(path) - 1) : -1;
    path[got > 0 ? got : 0] = '\0';
    const char *name = strrchr(path, '/');
    snprintf(fault.trace + n, sizeof(fault.trace) - n, "%s%s%s%s ", call,
             name != NULL ? "(" : "", name != NULL ? name + 1 : "",
             name != NULL ? ")" : "");
}

static bool meanwhile(void)
{
    fault.armed = false;
    fault.act(fault.context);
    fault.armed = true;
    return false;
}

/* Whether this call has to fail; then errno is set. */
static bool fails(const char *call, int synced)
{
    if (!fault.armed)
        return false;
    note(call, synced);
    fault.seen++;
    if (fault.seen < fault.n || (fault.seen > fault.n && !fault.lasting))
        return false;
    if (fault.act != NULL)
        return meanwhile();
    if (fault.error == FAULT_KILL)
        kill(getpid(), SIGKILL);
    errno = fault.error;
    return true;
}

#define WRAP(type, name, synced, parameters, arguments)                                  \
    type __real_##name parameters;                                                       \
    type __wrap_##name parameters;                                                       \
    type __wrap_##name parameters                                                        \
    {                                                                                    \
        return fails(#name, synced) ? -1 : __real_##name arguments;                      \
    }

WRAP(ssize_t, write, -1, (int fd, const void *p, size_t n), (fd, p, n))
WRAP(ssize_t, pread64, -1, (int fd, void *p, size_t n, off_t at), (fd, p, n, at))
WRAP(ssize_t, pwrite64, -1, (int fd, const void *p, size_t n, off_t at), (fd, p, n, at))
WRAP(int, fsync, fd, (int fd), (fd))
WRAP(int, fdatasync, fd, (int fd), (fd))
WRAP(int, syncfs, fd, (int fd), (fd))
WRAP(int, ftruncate64, -1, (int fd, off_t size), (fd, size))
WRAP(int, renameat, -1, (int a, const char *from, int b, const char *to),
     (a, from, b, to))
WRAP(int, renameat2, -1, (int a, const char *from, int b, const char *to, unsigned flags),
     (a, from, b, to, flags))
WRAP(int, unlinkat, -1, (int dir, const char *name, int flags), (dir, name, flags))
WRAP(int, mkdirat, -1, (int dir, const char *name, mode_t mode), (dir, name, mode))
/* The mode is passed on even if the caller gave none: then it is ignored. */
WRAP(int, open64, -1, (const char *name, int flags, mode_t mode), (name, flags, mode))
WRAP(int, openat64, -1, (int dir, const char *name, int flags, mode_t mode),
     (dir, name, flags, mode))
