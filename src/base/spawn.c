#include "base/spawn.h"

#include <pthread.h>

#include "base/err.h"
#include "base/thread.h"

struct request {
    pid_t *pid;
    const char *program;
    const posix_spawn_file_actions_t *actions;
    const posix_spawnattr_t *attr;
    char *const *argv, *const *env;
    int code;
    bool done;
};

/* One for the process, as the restrictions are. The thread never ends. */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool on, ready;
    struct request *next; /* waits for the thread */
} spawner = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false, false, NULL};

static int start_now(const struct request *r)
{
    return posix_spawn(r->pid, r->program, r->actions, r->attr, r->argv, r->env);
}

static void *serve_requests(void *children)
{
    sandbox_narrow(children);
    pthread_mutex_lock(&spawner.lock);
    spawner.ready = true;
    pthread_cond_broadcast(&spawner.changed);
    for (;;) {
        while (spawner.next == NULL)
            pthread_cond_wait(&spawner.changed, &spawner.lock);
        spawner.next->code = start_now(spawner.next);
        spawner.next->done = true;
        spawner.next = NULL;
        pthread_cond_broadcast(&spawner.changed);
    }
    return NULL;
}

void spawn_confine(const struct sandbox *children)
{
    pthread_t thread;
    if (!thread_start(&thread, "spawn", serve_requests, (void *)children))
        BUG("no thread for programs");
    pthread_detach(thread);
    pthread_mutex_lock(&spawner.lock);
    while (!spawner.ready)
        pthread_cond_wait(&spawner.changed, &spawner.lock);
    spawner.on = true;
    pthread_mutex_unlock(&spawner.lock);
    sandbox_refuse_programs();
}

int spawn_program(pid_t *pid, const char *program,
                  const posix_spawn_file_actions_t *actions,
                  const posix_spawnattr_t *attr, char *const argv[], char *const env[])
{
    struct request r = {pid, program, actions, attr, argv, env, 0, false};
    pthread_mutex_lock(&spawner.lock);
    bool here = !spawner.on;
    while (!here && spawner.next != NULL)
        pthread_cond_wait(&spawner.changed, &spawner.lock);
    if (!here) {
        spawner.next = &r;
        pthread_cond_broadcast(&spawner.changed);
    }
    while (!here && !r.done)
        pthread_cond_wait(&spawner.changed, &spawner.lock);
    pthread_mutex_unlock(&spawner.lock);
    return here ? start_now(&r) : r.code;
}
