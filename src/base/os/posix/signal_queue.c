/* A thread waits for signals and puts them into a pipe. Handlers would do the same, but
 * libraries replace them. */
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/os/file.h"
#include "base/os/pipe.h"
#include "base/os/posix/signal_parts.h"
#include "base/os/thread.h"

struct signal_queue {
    int ends[2];
    sigset_t set;
    struct thread thread;
    atomic_bool over;
};

static void *signal_queue_collect(void *arg)
{
    struct signal_queue *q = arg;
    for (int number;;) {
        if (sigwait(&q->set, &number) != 0)
            continue;
        if (atomic_load(&q->over))
            return NULL;
        char request = (char)signal_request_of(number);
        (void)!write(q->ends[1], &request, 1);
    }
}

struct signal_queue *signal_queue_open(void)
{
    struct signal_queue *q = mem_zero(sizeof(*q));
    signal_block_requests(&q->set);
    bool ok = pipe_open(q->ends);
    if (ok) {
        pipe_never_wait(q->ends[0]);
        pipe_never_wait(q->ends[1]);
        ok = thread_start(&q->thread, "collect", signal_queue_collect, q);
    }
    if (ok)
        return q;
    pipe_close(&q->ends[0]);
    pipe_close(&q->ends[1]);
    free(q);
    return NULL;
}

void signal_queue_close(struct signal_queue *q)
{
    atomic_store(&q->over, true);
    pthread_kill(q->thread.os, SIGHUP); /* whichever it takes first is the last */
    thread_join(&q->thread);
    pipe_close(&q->ends[0]);
    pipe_close(&q->ends[1]);
    free(q);
}

int signal_queue_fd(const struct signal_queue *q)
{
    return q->ends[0];
}

enum signal_request signal_queue_take(struct signal_queue *q)
{
    char request;
    size_t n;
    bool any = file_read(q->ends[0], &request, 1, &n) && n == 1;
    return any ? (enum signal_request)request : SIGNAL_NONE;
}
