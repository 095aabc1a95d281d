/*
 * The thread sleeps until there are events, it is stopped, or a look at
 * everything is due. Events accumulate for GATHER_MS before they are read, so a file that
 * is written in many small pieces wakes the thread at most 200 times a second, and the
 * kernel merges equal events.
 */
#include "vault/watch.h"

#include <limits.h>
#include <stdatomic.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/os/ready.h"
#include "base/os/thread.h"
#include "vault/watch_paths.h"
#include "vault/watch_tree.h"

enum {
    GATHER_MS = 5,    /* too short to fill the kernel's queue of 16,384 events */
    POLL_MS_MIN = 10, /* regardless of the configuration */
    POLL_REST = 20,   /* pause between polls, as a multiple of the last one's duration */
};
static const uint64_t NEVER = UINT64_MAX;

struct watch {
    struct watch_config config;
    struct bell stop;
    struct thread thread;
    atomic_int how;
    atomic_size_t folders;
    /* used only by the watcher's thread */
    struct watch_tree tree;
    struct watch_paths paths;
    uint64_t look_due; /* clock_ms() of the next look at everything */
    uint64_t root_due; /* clock_ms() of the next call of reopened */
    unsigned opened;
};

enum wake { WAKE_STOP, WAKE_EVENTS, WAKE_TIME };

/* Sleep until fd has events (-1: no fd), the time is due, or the watcher is stopped. */
static enum wake sleep_until(const struct watch *w, int fd, uint64_t due)
{
    for (;;) {
        struct ready fds[] = {{.fd = w->stop.fd}, {.fd = fd}};
        uint64_t now = clock_ms(), left = due > now ? due - now : 0;
        int timeout = due == NEVER ? READY_EVER : left < INT_MAX ? (int)left : INT_MAX;
        if (ready_wait(fds, COUNT_OF(fds), timeout))
            return fds[0].is ? WAKE_STOP : WAKE_EVENTS;
        if (left < INT_MAX)
            return WAKE_TIME;
    }
}

static uint64_t min(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static void poll_from_now_on(struct watch *w, const struct err *why)
{
    bool expected = why->code == ERR_INVALID; /* a file system that reports no changes */
    log_event(expected ? LOG_INFO : LOG_WARN, "the vault's folder is polled",
              LOG_STR("reason", str_c(why->msg)), LOG_STR("detail", str_c(why->detail)));
    watch_tree_close(&w->tree);
    w->folders = 0;
    w->how = WATCH_POLL;
}

static void set_watches(struct watch *w)
{
    struct err err = {0};
    if (watch_tree_open(&w->tree, w->config.root, &err))
        w->folders = w->tree.table.n;
    else
        poll_from_now_on(w, &err);
}

static void look_at_everything(struct watch *w)
{
    watch_paths_clear(&w->paths);
    w->config.changed(w->config.arg, NULL, 0);
    w->look_due = w->config.safety_ms > 0 ? clock_ms() + w->config.safety_ms : NEVER;
}

static void watch_report(struct watch *w)
{
    if (w->paths.everything) {
        watch_tree_close(&w->tree);
        if (w->how == WATCH_EVENTS)
            set_watches(w);
        look_at_everything(w);
        return;
    }
    watch_paths_sort(&w->paths);
    w->config.changed(w->config.arg, w->paths.list.keys, w->paths.list.n);
    watch_paths_clear(&w->paths);
}

static void read_events(struct watch *w)
{
    struct err err = {0};
    if (watch_tree_read(&w->tree, &w->paths, &err)) {
        w->folders = w->tree.table.n;
        return;
    }
    poll_from_now_on(w, &err);
    watch_paths_add_all(&w->paths);
}

/* If the root means another folder now, everything in it is new. */
static void look_at_root(struct watch *w)
{
    uint64_t now = clock_ms();
    if (now < w->root_due)
        return;
    if (w->config.reopened(w->config.arg, &w->opened))
        watch_paths_add_all(&w->paths);
    w->root_due = now + w->config.root_ms;
}

/* Gather the paths of one burst. False if the watcher is stopped. */
static bool gather(struct watch *w)
{
    uint64_t due = w->look_due, end = 0;
    do {
        enum wake wake = sleep_until(w, w->tree.table.watcher.fd, min(due, w->root_due));
        if (wake == WAKE_EVENTS)
            wake = sleep_until(w, -1, clock_ms() + GATHER_MS);
        if (wake == WAKE_STOP)
            return false;
        size_t before = w->paths.added;
        look_at_root(w);
        read_events(w);
        if (w->paths.added > before) {
            uint64_t now = clock_ms();
            if (before == 0)
                end = now + w->config.burst_ms;
            due = min(now + w->config.quiet_ms, end);
        }
    } while (w->how == WATCH_EVENTS && clock_ms() < due);
    if (w->paths.added == 0)
        watch_paths_add_all(&w->paths); /* no events: the look at everything is due */
    return true;
}

static void *watch_run(void *arg)
{
    struct watch *w = arg;
    while (w->how == WATCH_EVENTS) {
        if (!gather(w))
            return NULL;
        watch_report(w);
    }
    uint64_t rest = w->config.poll_ms;
    for (;;) {
        if (rest < POLL_MS_MIN)
            rest = POLL_MS_MIN;
        if (sleep_until(w, -1, clock_ms() + rest) == WAKE_STOP)
            return NULL;
        uint64_t begin = clock_ms();
        if (w->config.reopened != NULL)
            (void)w->config.reopened(w->config.arg, &w->opened);
        look_at_everything(w);
        rest = (clock_ms() - begin) * POLL_REST;
        if (rest < w->config.poll_ms)
            rest = w->config.poll_ms;
    }
}

static void free_watch(struct watch *w)
{
    watch_tree_close(&w->tree);
    watch_paths_release(&w->paths);
    bell_close(&w->stop);
    free(w);
}

bool watch_start(const struct watch_config *config, struct watch **out, struct err *err)
{
    struct watch *w = mem_zero(sizeof(*w));
    w->config = *config;
    w->tree.table.watcher.fd = -1;
    w->look_due = config->safety_ms > 0 ? clock_ms() + config->safety_ms : NEVER;
    w->root_due = config->reopened != NULL ? clock_ms() + config->root_ms : NEVER;
    w->how = config->poll ? WATCH_POLL : WATCH_EVENTS;
    bool ok = bell_open(&w->stop);
    if (ok && !config->poll)
        set_watches(w);
    if (!ok || !thread_start(&w->thread, "watch", watch_run, w)) {
        err_sys(err, "the vault's folder cannot be watched");
        free_watch(w);
        return false;
    }
    *out = w;
    return true;
}

void watch_stop(struct watch *w)
{
    if (w == NULL)
        return;
    bell_ring(&w->stop);
    thread_join(&w->thread);
    free_watch(w);
}

enum watch_how watch_how(const struct watch *w)
{
    return (enum watch_how)w->how;
}

size_t watch_folders(const struct watch *w)
{
    return w->folders;
}
