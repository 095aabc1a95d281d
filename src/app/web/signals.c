#include "app/web/signals.h"

#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/log.h"
#include "base/os/thread.h"
#include "base/process.h"

struct signals {
    struct signals_config config;
    struct thread thread, reloader;
    int signals, wake, hangup;   /* descriptors: for thread, thread and reloader */
    atomic_bool no_reload, over; /* the threads end */
    atomic_ullong stop_by;       /* clock_ms(); 0: nothing asked us to stop */
    _Atomic(const char *) phase;
    atomic_bool clean;
};

void signals_expect(void)
{
    signal(SIGHUP, SIG_IGN);
}

/* A log that nobody reads must not keep us from ending. */
static bool can_log(void)
{
    struct pollfd p = {.fd = STDERR_FILENO, .events = POLLOUT};
    return poll(&p, 1, 0) == 1 && (p.revents & POLLOUT) != 0;
}

static void end_now(const struct signals *s)
{
    bool clean = atomic_load(&s->clean);
    if (can_log())
        log_event(clean ? LOG_WARN : LOG_ERROR, "stopped_late",
                  LOG_STR("while", str_c(atomic_load(&s->phase))),
                  LOG_INT("ms", SIGNALS_GRACE_MS));
    process_kill_all();
    _exit(clean ? 0 : 1);
}

static void start_grace(struct signals *s)
{
    if (atomic_load(&s->stop_by) == 0)
        atomic_store(&s->stop_by, clock_ms() + SIGNALS_GRACE_MS);
}

static void take_signal(struct signals *s)
{
    struct signalfd_siginfo got;
    if (read(s->signals, &got, sizeof(got)) != sizeof(got))
        return;
    if (got.ssi_signo == SIGHUP) {
        eventfd_write(s->hangup, 1);
        return;
    }
    start_grace(s);
    s->config.stop(s->config.arg);
}

/* Reloading reads files, which may hang, so the thread of signals does not do it. */
static void *reload_when_asked(void *arg)
{
    struct signals *s = arg;
    eventfd_t n;
    while (eventfd_read(s->hangup, &n) == 0 && !atomic_load(&s->no_reload))
        s->config.reload(s->config.arg);
    return NULL;
}

unsigned signals_left(const struct signals *s)
{
    uint64_t by = atomic_load(&s->stop_by), now = clock_ms();
    return by == 0 ? SIGNALS_GRACE_MS : by > now ? (unsigned)(by - now) : 0;
}

static void *wait_for_signals(void *arg)
{
    struct signals *s = arg;
    for (;;) {
        struct pollfd fds[] = {{.fd = s->signals, .events = POLLIN},
                               {.fd = s->wake, .events = POLLIN}};
        bool stopping = atomic_load(&s->stop_by) != 0;
        int ready = poll(fds, 2, stopping ? (int)signals_left(s) : -1);
        eventfd_t n;
        if (fds[1].revents != 0 && eventfd_read(s->wake, &n) == 0 &&
            atomic_load(&s->over))
            return NULL;
        if (stopping && signals_left(s) == 0)
            end_now(s);
        if (ready > 0 && fds[0].revents != 0)
            take_signal(s);
    }
}

struct signals *signals_start(const struct signals_config *config)
{
    struct signals *s = mem_zero(sizeof(*s));
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    signal(SIGHUP, SIG_DFL); /* blocked, and read from the descriptor */
    s->config = *config;
    atomic_store(&s->phase, "serving");
    s->signals = signalfd(-1, &set, SFD_CLOEXEC);
    s->wake = eventfd(0, EFD_CLOEXEC);
    s->hangup = eventfd(0, EFD_CLOEXEC);
    if (s->signals < 0 || s->wake < 0 || s->hangup < 0 ||
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
    eventfd_write(s->wake, 1);
    atomic_store(&s->no_reload, true);
    eventfd_write(s->hangup, 1);
    thread_join(&s->reloader);
    atomic_store(&s->over, true);
    eventfd_write(s->wake, 1);
    thread_join(&s->thread);
    close(s->signals);
    close(s->wake);
    close(s->hangup);
    free(s);
}
