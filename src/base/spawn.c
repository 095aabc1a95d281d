#include "base/spawn.h"

#include <errno.h>

#include "base/err.h"
#include "base/lock.h"

struct request {
    const struct child_plan *plan;
    struct child *child;
    bool ok, done;
    int error;
};

/* For the whole process, as the restrictions are. Threads never end. */
static struct spawner {
    struct lock lock;
    struct cond changed;
    const struct sandbox *children; /* until ready */
    bool on, ready;
    struct request *next; /* waits for the thread */
} spawners[SPAWN_KINDS] = {
    [SPAWN_TOOL] = {.lock = LOCK_INIT(LOCK_SPAWN), .changed = COND_INIT},
    [SPAWN_READER] = {.lock = LOCK_INIT(LOCK_SPAWN), .changed = COND_INIT},
};

static void start_now(struct request *r)
{
    r->ok = child_start(r->plan, r->child);
    r->error = errno;
}

static void *serve_requests(void *arg)
{
    struct spawner *s = arg;
    sandbox_narrow(s->children);
    lock_take(&s->lock);
    s->ready = true;
    cond_wake_all(&s->changed);
    for (;;) {
        while (s->next == NULL)
            lock_wait(&s->lock, &s->changed);
        start_now(s->next);
        s->next->done = true;
        s->next = NULL;
        cond_wake_all(&s->changed);
    }
    return NULL;
}

void spawn_confine(enum spawn_kind kind, const struct sandbox *children)
{
    struct spawner *s = &spawners[kind];
    struct thread thread;
    lock_take(&s->lock);
    bool first = !s->on;
    s->on = true;
    if (first) {
        s->children = children;
        if (!thread_start(&thread, "spawn", serve_requests, s))
            BUG("cannot start a thread for programs");
        thread_leave(&thread);
    }
    while (!s->ready)
        lock_wait(&s->lock, &s->changed);
    lock_drop(&s->lock);
}

void spawn_only_confined(void)
{
    sandbox_refuse_programs();
}

bool spawn_program(enum spawn_kind kind, const struct child_plan *plan, struct child *out)
{
    struct spawner *s = &spawners[kind];
    struct request r = {.plan = plan, .child = out};
    lock_check_slow();
    lock_take(&s->lock);
    bool here = !s->on;
    while (!here && s->next != NULL)
        lock_wait(&s->lock, &s->changed);
    if (!here) {
        s->next = &r;
        cond_wake_all(&s->changed);
    }
    while (!here && !r.done)
        lock_wait(&s->lock, &s->changed);
    lock_drop(&s->lock);
    if (here)
        start_now(&r);
    errno = r.error;
    return r.ok;
}
