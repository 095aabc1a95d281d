#include "base/os/pipe.h"
#include "base/os/file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "base/os/posix/net_parts.h"
#include "base/os/ready.h"

enum { ROOM = 4096 }; /* at least, in a pipe that is ready to be written to */

void pipe_close(int *fd)
{
    file_close(*fd);
    *fd = -1;
}

void pipe_never_wait(int fd)
{
    fcntl(fd, F_SETFL, O_NONBLOCK);
}

/* Whether the signal arrived that is blocked; it is gone then. */
static void forget_signal(const sigset_t *one, int number)
{
    sigset_t pending;
    int got;
    if (sigpending(&pending) == 0 && sigismember(&pending, number) == 1)
        sigwait(one, &got);
}

bool pipe_write(int fd, str bytes, size_t *put)
{
    sigset_t pipe_only, before;
    ssize_t n;
    sigemptyset(&pipe_only);
    sigaddset(&pipe_only, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_only, &before);
    do
        n = write(fd, bytes.p, bytes.n);
    while (n < 0 && errno == EINTR);
    int error = errno;
    if (n < 0 && error == EPIPE)
        forget_signal(&pipe_only, SIGPIPE);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = error;
    *put = n > 0 ? (size_t)n : 0;
    return n >= 0;
}

enum pipe_kind pipe_kind(int fd)
{
    struct file_stat st;
    if (!file_stat(fd, &st))
        return PIPE_OTHER;
    return st.type == FILE_PIPE     ? PIPE_PLAIN
           : st.type == FILE_SOCKET ? PIPE_SOCKET
                                    : PIPE_OTHER;
}

/* As write(), but -1 and EAGAIN instead of waiting. */
static ssize_t offer_some(int fd, enum pipe_kind kind, str bytes)
{
    if (kind == PIPE_SOCKET)
        return net_put(fd, bytes, false);
    if (ready_to_write(fd))
        return write(fd, bytes.p, kind == PIPE_PLAIN && bytes.n > ROOM ? ROOM : bytes.n);
    errno = EAGAIN;
    return -1;
}

bool pipe_offer(int fd, enum pipe_kind kind, str bytes, size_t *put)
{
    *put = 0;
    while (*put < bytes.n) {
        ssize_t n = offer_some(fd, kind, str_skip(bytes, *put));
        if (n > 0)
            *put += (size_t)n;
        else if (errno == EAGAIN)
            break;
        else if (errno != EINTR)
            return false;
    }
    return true;
}
