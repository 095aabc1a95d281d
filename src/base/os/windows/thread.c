#include "base/os/thread.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/os/windows/base.h"
#include "base/os/windows/failure.h"
#include "base/os/windows/wide.h"

_Static_assert(sizeof(SRWLOCK) == sizeof(void *) &&
                   sizeof(CONDITION_VARIABLE) == sizeof(void *) &&
                   sizeof(INIT_ONCE) == sizeof(void *),
               "as native.h says");

/* --- threads --- */

struct start {
    const char *name;
    void *(*body)(void *);
    void *arg;
};

static atomic_int thread_others; /* that thread_start() started and that have not ended */

/* Not in every processthreadsapi.h. */
WINBASEAPI HRESULT WINAPI SetThreadDescription(HANDLE thread, PCWSTR name);

/* Only debuggers show it; Windows has had it since 2016. */
static void thread_set_name(const char *name)
{
    wchar_t *wide = wide_of(str_c(name));
    if (wide != NULL)
        SetThreadDescription(GetCurrentThread(), wide);
    free(wide);
}

static DWORD WINAPI thread_run(void *arg)
{
    struct start start = *(struct start *)arg;
    free(arg);
    thread_set_name(start.name);
    start.body(start.arg);
    atomic_fetch_sub(&thread_others, 1);
    return 0;
}

bool thread_start(struct thread *t, const char *name, void *(*body)(void *), void *arg)
{
    struct start *start = mem_alloc(sizeof(*start));
    *start = (struct start){name, body, arg};
    atomic_fetch_add(&thread_others, 1);
    t->os = CreateThread(NULL, 0, thread_run, start, 0, NULL);
    if (t->os != NULL)
        return true;
    failure();
    free(start);
    atomic_fetch_sub(&thread_others, 1);
    return false;
}

void thread_join(struct thread *t)
{
    WaitForSingleObject(t->os, INFINITE);
    CloseHandle(t->os);
}

void thread_leave(struct thread *t)
{
    CloseHandle(t->os);
}

bool thread_is_alone(void)
{
    return atomic_load(&thread_others) == 0;
}

/* Its disk accesses wait for those of others, too. */
void thread_be_idle(void)
{
    SetThreadPriority(GetCurrentThread(), THREAD_MODE_BACKGROUND_BEGIN);
}

void thread_be_last(void)
{
    SetThreadPriority(GetCurrentThread(), THREAD_PRIORITY_LOWEST);
}

void thread_pause(unsigned us)
{
    Sleep((us + 999) / 1000);
}

uintptr_t thread_self(void)
{
    return GetCurrentThreadId();
}

/* --- locks --- */

static SRWLOCK *srw(void **lock)
{
    return (SRWLOCK *)(void *)lock;
}

void mutex_init(struct mutex *m)
{
    m->os = (mutex_os)MUTEX_OS_INIT;
}

void mutex_init_nested(struct mutex *m)
{
    m->os = (mutex_os){.nested = true};
}

void mutex_destroy(struct mutex *m)
{
    (void)m;
}

/* Only its holder sees its own number in a nested lock. */
void mutex_lock(struct mutex *m)
{
    unsigned long self = m->os.nested ? GetCurrentThreadId() : 0;
    bool again = m->os.nested && __atomic_load_n(&m->os.holder, __ATOMIC_RELAXED) == self;
    if (!again)
        AcquireSRWLockExclusive(srw(&m->os.lock));
    if (m->os.nested) {
        m->os.depth++;
        __atomic_store_n(&m->os.holder, self, __ATOMIC_RELAXED);
    }
}

void mutex_unlock(struct mutex *m)
{
    if (m->os.nested && --m->os.depth > 0)
        return;
    if (m->os.nested)
        __atomic_store_n(&m->os.holder, 0, __ATOMIC_RELAXED);
    ReleaseSRWLockExclusive(srw(&m->os.lock));
}

/* --- waiting for a change --- */

void cond_init(struct cond *c)
{
    c->os = COND_OS_INIT;
}

void cond_destroy(struct cond *c)
{
    (void)c;
}

static bool cond_sleep(struct cond *c, struct mutex *m, DWORD ms)
{
    return SleepConditionVariableSRW((CONDITION_VARIABLE *)(void *)&c->os,
                                     srw(&m->os.lock), ms, 0);
}

void cond_wait(struct cond *c, struct mutex *m)
{
    cond_sleep(c, m, INFINITE);
}

/* Windows counts milliseconds: it wakes late rather than early. */
bool cond_wait_until(struct cond *c, struct mutex *m, uint64_t deadline_ns)
{
    enum { MS = 1000000, LONGEST = 1 << 30 };
    uint64_t now = clock_ns();
    if (now >= deadline_ns)
        return false;
    uint64_t ms = (deadline_ns - now + MS - 1) / MS;
    return cond_sleep(c, m, ms < LONGEST ? (DWORD)ms : LONGEST) || ms >= LONGEST;
}

void cond_wake(struct cond *c)
{
    WakeConditionVariable((CONDITION_VARIABLE *)(void *)&c->os);
}

void cond_wake_all(struct cond *c)
{
    WakeAllConditionVariable((CONDITION_VARIABLE *)(void *)&c->os);
}

/* --- many readers or one writer --- */

/* As in posix/: a writer waits inside the gate, which readers pass before they enter. */

void rwlock_init(struct rwlock *l)
{
    *l = (struct rwlock){0};
}

void rwlock_destroy(struct rwlock *l)
{
    (void)l;
}

void rwlock_read(struct rwlock *l)
{
    AcquireSRWLockExclusive(srw(&l->gate.lock));
    AcquireSRWLockShared(srw(&l->os));
    ReleaseSRWLockExclusive(srw(&l->gate.lock));
}

void rwlock_write(struct rwlock *l)
{
    AcquireSRWLockExclusive(srw(&l->gate.lock));
    AcquireSRWLockExclusive(srw(&l->os));
    l->writing = true;
}

void rwlock_unlock(struct rwlock *l)
{
    if (!l->writing) {
        ReleaseSRWLockShared(srw(&l->os));
        return;
    }
    l->writing = false;
    ReleaseSRWLockExclusive(srw(&l->os));
    ReleaseSRWLockExclusive(srw(&l->gate.lock));
}

/* --- what is done once --- */

static BOOL CALLBACK once_call(INIT_ONCE *once, void *fn, void **context)
{
    (*(void (**)(void))fn)();
    return TRUE;
}

void once_run(struct once *o, void (*fn)(void))
{
    InitOnceExecuteOnce((INIT_ONCE *)(void *)&o->os, once_call, (void *)&fn, NULL);
}
