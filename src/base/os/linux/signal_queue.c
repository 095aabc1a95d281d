#include <stdlib.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/os/posix/signal_parts.h"

struct signal_queue {
    int fd;
};

struct signal_queue *signal_queue_open(void)
{
    struct signal_queue *q = mem_zero(sizeof(*q));
    sigset_t set;
    signal_block_requests(&set);
    q->fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (q->fd >= 0)
        return q;
    free(q);
    return NULL;
}

void signal_queue_close(struct signal_queue *q)
{
    close(q->fd);
    free(q);
}

int signal_queue_fd(const struct signal_queue *q)
{
    return q->fd;
}

enum signal_request signal_queue_take(struct signal_queue *q)
{
    struct signalfd_siginfo got;
    bool any = read(q->fd, &got, sizeof(got)) == sizeof(got);
    return any ? signal_request_of((int)got.ssi_signo) : SIGNAL_NONE;
}
