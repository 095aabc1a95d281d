/*
 * Leases (fcntl(2), F_SETLEASE): a process that opens the file for writing, or truncates
 * it, waits until the lease is gone, and this process gets SIGIO. The handler copies the
 * pages and puts the copies where they were, which other threads do not notice. It runs
 * on the main thread, because all others block signals, and whatever it calls is a system
 * call.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/os/memory.h"
#include "base/os/thread.h"

enum { LEASES_MAX = 256 };

/* BUSY: one thread, or the handler, has it. */
enum lease_state { LEASE_FREE, LEASE_BUSY, LEASE_KEPT };

/* Global, because a signal handler cannot be given an argument. */
static struct lease {
    atomic_int state;
    int fd;
    void *p;
    size_t size; /* of the pages that come from the file */
    bool kept;   /* memory_lease_pages() was called */
} leases[LEASES_MAX];

bool memory_own(void *p, size_t size)
{
    if (size == 0)
        return true;
    void *copy =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (copy == MAP_FAILED)
        return false;
    memcpy(copy, p, size);
    if (mremap(copy, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, p) != MAP_FAILED)
        return true;
    munmap(copy, size);
    return false;
}

static bool take_lease(struct lease *l, enum lease_state from)
{
    int expected = (int)from;
    return atomic_compare_exchange_strong(&l->state, &expected, LEASE_BUSY);
}

/* Copy the pages if a process waits for the lease. The lease is BUSY. */
static void yield_lease(struct lease *l)
{
    if (l->size == 0 || fcntl(l->fd, F_GETLEASE) == F_RDLCK)
        return;
    (void)!memory_own(l->p, l->size);
    fcntl(l->fd, F_SETLEASE, F_UNLCK);
    l->size = 0;
}

static void on_broken_lease(int number)
{
    int error = errno;
    for (size_t i = 0; i < LEASES_MAX; i++)
        if (take_lease(&leases[i], LEASE_KEPT)) {
            yield_lease(&leases[i]);
            atomic_store(&leases[i].state, LEASE_KEPT);
        }
    errno = error;
    (void)number;
}

/* Also looks again: a signal that came while it was BUSY was not for us. */
static void return_lease(struct lease *l)
{
    do {
        yield_lease(l);
        atomic_store(&l->state, LEASE_KEPT);
    } while (l->size > 0 && fcntl(l->fd, F_GETLEASE) != F_RDLCK &&
             take_lease(l, LEASE_KEPT));
}

static void wait_for_lease(struct lease *l)
{
    while (l->kept && !take_lease(l, LEASE_KEPT))
        thread_pause(100); /* the main thread copies it */
}

static bool has_handler(void)
{
    struct sigaction now, ours = {.sa_handler = on_broken_lease, .sa_flags = SA_RESTART};
    if (sigaction(SIGIO, NULL, &now) != 0)
        return false;
    if (now.sa_handler == on_broken_lease)
        return true;
    return now.sa_handler == SIG_DFL && sigaction(SIGIO, &ours, NULL) == 0;
}

int memory_lease(int fd)
{
    size_t i = 0;
    while (i < LEASES_MAX && !take_lease(&leases[i], LEASE_FREE))
        i++;
    if (i == LEASES_MAX)
        return MEMORY_NO_LEASE;
    struct lease *l = &leases[i];
    l->fd = has_handler() ? fcntl(fd, F_DUPFD_CLOEXEC, 0) : -1;
    l->size = 0;
    l->kept = false;
    if (l->fd >= 0 && fcntl(l->fd, F_SETLEASE, F_RDLCK) == 0)
        return (int)i;
    if (l->fd >= 0)
        close(l->fd);
    atomic_store(&l->state, LEASE_FREE);
    return MEMORY_NO_LEASE;
}

void memory_lease_pages(int lease, void *p, size_t size)
{
    struct lease *l = &leases[lease];
    l->p = p;
    l->size = size;
    l->kept = true;
    return_lease(l);
}

void memory_lease_drop_pages(int lease, const void *p, size_t size)
{
    struct lease *l = &leases[lease];
    wait_for_lease(l);
    yield_lease(l);
    if (l->size > 0)
        memory_drop_pages(p, size);
    return_lease(l);
}

void memory_lease_end(int lease)
{
    if (lease == MEMORY_NO_LEASE)
        return;
    struct lease *l = &leases[lease];
    wait_for_lease(l);
    close(l->fd); /* and with it the lease */
    atomic_store(&l->state, LEASE_FREE);
}
