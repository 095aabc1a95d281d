#include "base/err.h"
#include "base/os/posix/thread_parts.h"

void thread_set_name(const char *name)
{
}

void thread_be_idle(void)
{
}

void thread_be_last(void)
{
}

/* --- many readers or one writer --- */

/* A writer waits inside the gate, which readers pass before they enter: those that come
 * later wait for it. */

void rwlock_init(struct rwlock *l)
{
    l->writing = false;
    if (pthread_rwlock_init(&l->os, NULL) != 0 || pthread_mutex_init(&l->gate, NULL) != 0)
        BUG("no lock");
}

void rwlock_destroy(struct rwlock *l)
{
    pthread_rwlock_destroy(&l->os);
    pthread_mutex_destroy(&l->gate);
}

void rwlock_read(struct rwlock *l)
{
    pthread_mutex_lock(&l->gate);
    pthread_rwlock_rdlock(&l->os);
    pthread_mutex_unlock(&l->gate);
}

void rwlock_write(struct rwlock *l)
{
    pthread_mutex_lock(&l->gate);
    pthread_rwlock_wrlock(&l->os);
    l->writing = true;
}

/* While there are readers, there is no writer, and readers do not change that. */
void rwlock_unlock(struct rwlock *l)
{
    bool writing = l->writing;
    if (writing)
        l->writing = false;
    pthread_rwlock_unlock(&l->os);
    if (writing)
        pthread_mutex_unlock(&l->gate);
}
