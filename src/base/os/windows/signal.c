#include "base/os/signal.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/os/ready.h"
#include "base/os/thread.h"
#include "base/os/windows/stop_event.h"

enum { CLOSE_MS = 5000 }; /* the process is ended when the handler returns, or then */

struct signal_queue {
    HANDLE stop, reload, over; /* events: of others, and of signal_queue_close() */
    struct thread thread;
    struct mutex lock;
    struct bell bell;
    bool stops, reloads; /* what has not been taken yet */
};

/* Global, because a handler cannot be given an argument. */
static struct mutex queue_lock = MUTEX_INIT;
static struct signal_queue *queue;

/* There is nothing of the kind. */
void signal_ignore_reload(void)
{
}

void signal_ignore_pipes(void)
{
}

static void queue_put(struct signal_queue *q, enum signal_request request)
{
    mutex_lock(&q->lock);
    q->stops |= request == SIGNAL_STOP;
    q->reloads |= request == SIGNAL_RELOAD;
    bell_ring(&q->bell);
    mutex_unlock(&q->lock);
}

/* On a thread of its own: Ctrl-C, Ctrl-Break, the window is closed, the user logs off. */
static BOOL WINAPI on_console(DWORD what)
{
    mutex_lock(&queue_lock);
    bool ours = queue != NULL;
    if (ours)
        queue_put(queue, SIGNAL_STOP);
    mutex_unlock(&queue_lock);
    if (ours && what != CTRL_C_EVENT && what != CTRL_BREAK_EVENT)
        Sleep(CLOSE_MS);
    return ours;
}

static void *queue_collect(void *arg)
{
    struct signal_queue *q = arg;
    const HANDLE events[] = {q->over, q->stop, q->reload};
    for (DWORD got;
         (got = WaitForMultipleObjects(3, events, FALSE, INFINITE)) != WAIT_OBJECT_0;)
        queue_put(q, got == WAIT_OBJECT_0 + 1 ? SIGNAL_STOP : SIGNAL_RELOAD);
    return NULL;
}

static void queue_free(struct signal_queue *q)
{
    bell_close(&q->bell);
    CloseHandle(q->stop);
    CloseHandle(q->reload);
    CloseHandle(q->over);
    mutex_destroy(&q->lock);
    free(q);
}

static void queue_set(struct signal_queue *q)
{
    mutex_lock(&queue_lock);
    queue = q;
    mutex_unlock(&queue_lock);
}

struct signal_queue *signal_queue_open(void)
{
    struct signal_queue *q = mem_zero(sizeof(*q));
    mutex_init(&q->lock);
    q->stop = stop_event_create(SIGNAL_STOP);
    q->reload = stop_event_create(SIGNAL_RELOAD);
    q->over = CreateEventW(NULL, TRUE, FALSE, NULL);
    if (bell_open(&q->bell) && q->stop != NULL && q->reload != NULL && q->over != NULL &&
        thread_start(&q->thread, "collect", queue_collect, q)) {
        queue_set(q);
        SetConsoleCtrlHandler(on_console, TRUE);
        return q;
    }
    queue_free(q);
    return NULL;
}

/* The handler stays: requests are without effect, except that a window closes. */
void signal_queue_close(struct signal_queue *q)
{
    queue_set(NULL);
    SetEvent(q->over);
    thread_join(&q->thread);
    queue_free(q);
}

int signal_queue_fd(const struct signal_queue *q)
{
    return q->bell.fd;
}

enum signal_request signal_queue_take(struct signal_queue *q)
{
    mutex_lock(&q->lock);
    enum signal_request out = q->stops     ? SIGNAL_STOP
                              : q->reloads ? SIGNAL_RELOAD
                                           : SIGNAL_NONE;
    q->stops = false;
    q->reloads = q->reloads && out == SIGNAL_STOP;
    if (!q->reloads)
        bell_clear(&q->bell);
    mutex_unlock(&q->lock);
    return out;
}
