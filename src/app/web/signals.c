#include "app/web/signals.h"

#include <poll.h>
#include <pthread.h>
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
#include "base/process.h"
#include "base/thread.h"

struct signals {
    struct signals_config config;
    pthread_t thread;
    int signals, quit;     /* descriptors */
    atomic_ullong stop_by; /* clock_ms(); 0: nothing asked us to stop */
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

static void take_signal(struct signals *s)
{
    struct signalfd_siginfo got;
    if (read(s->signals, &got, sizeof(got)) != sizeof(got))
        return;
    if (got.ssi_signo == SIGHUP) {
        s->config.reload(s->config.arg);
        return;
    }
    if (atomic_load(&s->stop_by) == 0)
        atomic_store(&s->stop_by, clock_ms() + SIGNALS_GRACE_MS);
    s->config.stop(s->config.arg);
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
                               {.fd = s->quit, .events = POLLIN}};
        bool stopping = atomic_load(&s->stop_by) != 0;
        int ready = poll(fds, 2, stopping ? (int)signals_left(s) : -1);
        if (fds[1].revents != 0)
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
    s->quit = eventfd(0, EFD_CLOEXEC);
    if (s->signals < 0 || s->quit < 0 ||
        !thread_start(&s->thread, "signals", wait_for_signals, s))
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
    const uint64_t one = 1;
    if (write(s->quit, &one, sizeof(one)) != sizeof(one))
        BUG("cannot end the thread of signals");
    pthread_join(s->thread, NULL);
    close(s->signals);
    close(s->quit);
    free(s);
}
