#include "base/spawn.h"

#include "base/err.h"
#include "base/os/thread.h"

struct request {
    pid_t *pid;
    const char *program;
    const posix_spawn_file_actions_t *actions;
    const posix_spawnattr_t *attr;
    char *const *argv, *const *env;
    int code;
    bool done;
};

/* For the whole process, as the restrictions are. Threads never end. */
static struct spawner {
    struct mutex lock;
    struct cond changed;
    const struct sandbox *children; /* until ready */
    bool on, ready;
    struct request *next; /* waits for the thread */
} spawners[SPAWN_KINDS] = {
    [SPAWN_TOOL] = {.lock = MUTEX_INIT, .changed = COND_INIT},
    [SPAWN_READER] = {.lock = MUTEX_INIT, .changed = COND_INIT},
};

static int start_now(const struct request *r)
{
    return posix_spawn(r->pid, r->program, r->actions, r->attr, r->argv, r->env);
}

static void *serve_requests(void *arg)
{
    struct spawner *s = arg;
    sandbox_narrow(s->children);
    mutex_lock(&s->lock);
    s->ready = true;
    cond_wake_all(&s->changed);
    for (;;) {
        while (s->next == NULL)
            cond_wait(&s->changed, &s->lock);
        s->next->code = start_now(s->next);
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
    mutex_lock(&s->lock);
    bool first = !s->on;
    s->on = true;
    if (first) {
        s->children = children;
        if (!thread_start(&thread, "spawn", serve_requests, s))
            BUG("no thread for programs");
        thread_leave(&thread);
    }
    while (!s->ready)
        cond_wait(&s->changed, &s->lock);
    mutex_unlock(&s->lock);
}

void spawn_only_confined(void)
{
    sandbox_refuse_programs();
}

int spawn_program(enum spawn_kind kind, pid_t *pid, const char *program,
                  const posix_spawn_file_actions_t *actions,
                  const posix_spawnattr_t *attr, char *const argv[], char *const env[])
{
    struct spawner *s = &spawners[kind];
    struct request r = {pid, program, actions, attr, argv, env, 0, false};
    mutex_lock(&s->lock);
    bool here = !s->on;
    while (!here && s->next != NULL)
        cond_wait(&s->changed, &s->lock);
    if (!here) {
        s->next = &r;
        cond_wake_all(&s->changed);
    }
    while (!here && !r.done)
        cond_wait(&s->changed, &s->lock);
    mutex_unlock(&s->lock);
    return here ? start_now(&r) : r.code;
}
