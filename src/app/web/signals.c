#include "app/web/signals.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/log.h"
#include "base/os/ready.h"
#include "base/os/self.h"
#include "base/os/signal.h"
#include "base/os/thread.h"
#include "base/process.h"

struct signals {
    struct signals_config config;
    struct thread thread, reloader;
    struct signal_queue *queue;
    struct bell wake, hangup;    /* for thread and reloader */
    atomic_bool no_reload, over; /* the threads end */
    atomic_ullong stop_by;       /* clock_ms(); 0: nothing asked us to stop */
    _Atomic(const char *) phase;
    atomic_bool clean;
};

void signals_expect(void)
{
    signal_ignore_reload();
}

static void end_now(const struct signals *s)
{
    bool clean = atomic_load(&s->clean);
    log_event(clean ? LOG_WARN : LOG_ERROR, "stopped_late",
              LOG_STR("while", str_c(atomic_load(&s->phase))),
              LOG_INT("ms", s->config.grace_ms));
    (void)!log_flush(LOG_STOP_MS);
    process_kill_all();
    self_end(clean ? 0 : 1);
}

static void start_grace(struct signals *s)
{
    if (atomic_load(&s->stop_by) == 0)
        atomic_store(&s->stop_by, clock_ms() + s->config.delay_ms + s->config.grace_ms);
}

static void take_signal(struct signals *s)
{
    enum signal_request request = signal_queue_take(s->queue);
    if (request == SIGNAL_RELOAD)
        bell_ring(&s->hangup);
    if (request != SIGNAL_STOP)
        return;
    start_grace(s);
    s->config.stop(s->config.arg);
}

/* Reloading reads files, which may hang, so the thread of signals does not do it. */
static void *reload_when_asked(void *arg)
{
    struct signals *s = arg;
    for (;;) {
        (void)ready_wait(&(struct ready){.fd = s->hangup.fd}, 1, READY_EVER);
        bell_clear(&s->hangup);
        if (atomic_load(&s->no_reload))
            return NULL;
        s->config.reload(s->config.arg);
    }
}

unsigned signals_left(const struct signals *s)
{
    uint64_t by = atomic_load(&s->stop_by), now = clock_ms();
    return by == 0 ? s->config.grace_ms : by > now ? (unsigned)(by - now) : 0;
}

static void *wait_for_signals(void *arg)
{
    struct signals *s = arg;
    for (;;) {
        struct ready fds[] = {{.fd = signal_queue_fd(s->queue)}, {.fd = s->wake.fd}};
        bool stopping = atomic_load(&s->stop_by) != 0;
        (void)ready_wait(fds, 2, stopping ? (int)signals_left(s) : READY_EVER);
        if (fds[1].is) {
            bell_clear(&s->wake);
            if (atomic_load(&s->over))
                return NULL;
        }
        if (stopping && signals_left(s) == 0)
            end_now(s);
        if (fds[0].is)
            take_signal(s);
    }
}

struct signals *signals_start(const struct signals_config *config)
{
    struct signals *s = mem_zero(sizeof(*s));
    s->config = *config;
    atomic_store(&s->phase, "serving");
    s->queue = signal_queue_open();
    if (s->queue == NULL || !bell_open(&s->wake) || !bell_open(&s->hangup) ||
        !thread_start(&s->thread, "signals", wait_for_signals, s) ||
        !thread_start(&s->reloader, "reload", reload_when_asked, s))
        BUG("cannot wait for signals");
    return s;
}

void signals_phase(struct signals *s, const char *phase, bool clean)
{
    atomic_store(&s->phase, phase);
    atomic_store(&s->clean, clean);
}

void signals_end(struct signals *s)
{
    if (s == NULL)
        return;
    start_grace(s); /* in case a reload hangs */
    bell_ring(&s->wake);
    atomic_store(&s->no_reload, true);
    bell_ring(&s->hangup);
    thread_join(&s->reloader);
    atomic_store(&s->over, true);
    bell_ring(&s->wake);
    thread_join(&s->thread);
    signal_queue_close(s->queue);
    bell_close(&s->wake);
    bell_close(&s->hangup);
    free(s);
}
