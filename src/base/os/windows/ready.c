#include "base/os/ready.h"

#include <errno.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/os/file.h"
#include "base/os/windows/failure.h"
#include "base/os/windows/net_parts.h"
#include "base/os/windows/pipe_parts.h"

enum {
    LIST_MAX = NET_WAIT_MAX,
    LOOK_MS = 10,   /* at sockets, while other things are waited for, too */
    MOMENT_MS = 20, /* for what is on its way through a pump */
};

/* What is waited for, sorted by how. */
struct ready_set {
    HANDLE handles[LIST_MAX];
    struct net_wait sockets[LIST_MAX];
    DWORD n_handles;
    size_t n_sockets;
};

static bool is_set(HANDLE handle, DWORD ms)
{
    return WaitForSingleObject(handle, ms) == WAIT_OBJECT_0;
}

/* What to wait for; NULL: it is always ready, or cannot be waited for. */
static HANDLE ready_handle(const struct ready *r, struct fd *f)
{
    bool stream = f->kind == FD_PIPE || (f->kind == FD_CONSOLE && !r->write);
    if (f->kind == FD_EVENT || f->kind == FD_PROCESS)
        return f->handle;
    if (!stream || pipe_pump(f, r->write ? PUMP_WRITES : PUMP_READS) == NULL)
        return NULL;
    return pump_ready(f->pump);
}

/* Whether it is ready now; soon: nothing else will be waited for. */
static bool ready_look(const struct ready *r, struct fd *f, bool soon)
{
    bool ready;
    if (f->kind == FD_SOCKET)
        return net_wait(&(struct net_wait){.fd = f, .write = r->write}, 1, 0);
    if (!r->write && pipe_peek(f, &ready))
        return ready;
    HANDLE handle = ready_handle(r, f);
    return handle == NULL || is_set(handle, soon && f->pump != NULL ? MOMENT_MS : 0);
}

static bool ready_look_at_all(struct ready *list, size_t n, bool soon)
{
    bool any = false;
    for (size_t i = 0; i < n; i++) {
        struct fd *f = list[i].fd >= 0 ? fd_find(list[i].fd) : NULL;
        /* As poll() does it: one that is not open is "ready", and the next call fails. */
        list[i].is = list[i].fd >= 0 && (f == NULL || ready_look(&list[i], f, soon));
        any |= list[i].is;
    }
    return any;
}

static void ready_gather(const struct ready *list, size_t n, struct ready_set *out)
{
    *out = (struct ready_set){0};
    for (size_t i = 0; i < n; i++) {
        struct fd *f = list[i].fd >= 0 ? fd_find(list[i].fd) : NULL;
        HANDLE handle =
            f != NULL && f->kind != FD_SOCKET ? ready_handle(&list[i], f) : NULL;
        if (handle != NULL)
            out->handles[out->n_handles++] = handle;
        else if (f != NULL && f->kind == FD_SOCKET)
            out->sockets[out->n_sockets++] =
                (struct net_wait){.fd = f, .write = list[i].write};
    }
}

/* Handles and sockets cannot be waited for at once. */
static void ready_sleep(struct ready_set *s, DWORD ms)
{
    DWORD part = s->n_sockets > 0 && s->n_handles > 0 && ms > LOOK_MS ? LOOK_MS : ms;
    if (s->n_handles > 0)
        WaitForMultipleObjects(s->n_handles, s->handles, FALSE, part);
    else if (s->n_sockets > 0)
        net_wait(s->sockets, s->n_sockets, part == INFINITE ? -1 : (int)part);
    else
        Sleep(part);
}

bool ready_wait(struct ready *list, size_t n, int ms)
{
    struct ready_set set;
    uint64_t began = clock_ms();
    if (n > LIST_MAX)
        BUG("%zu descriptors to wait for", n);
    while (!ready_look_at_all(list, n, ms == 0)) {
        uint64_t spent = clock_ms() - began;
        if (ms >= 0 && spent >= (uint64_t)ms)
            return false;
        ready_gather(list, n, &set);
        ready_sleep(&set, ms < 0 ? INFINITE : (DWORD)((uint64_t)ms - spent));
    }
    return true;
}

bool ready_to_read(int fd)
{
    return ready_wait(&(struct ready){.fd = fd}, 1, 0);
}

bool ready_to_write(int fd)
{
    return ready_wait(&(struct ready){.fd = fd, .write = true}, 1, 0);
}

void ready_pause(unsigned ms)
{
    Sleep(ms);
}

/* --- bells --- */

bool bell_open(struct bell *b)
{
    HANDLE event = CreateEventW(NULL, TRUE, FALSE, NULL);
    *b = (struct bell)BELL_NONE;
    if (event == NULL)
        return failure();
    b->fd = b->ring = fd_add(FD_EVENT, event);
    return b->fd >= 0;
}

void bell_ring(const struct bell *b)
{
    const struct fd *f = fd_find(b->ring);
    if (f != NULL)
        SetEvent(f->handle);
}

void bell_clear(const struct bell *b)
{
    const struct fd *f = fd_find(b->fd);
    if (f != NULL)
        ResetEvent(f->handle);
}

void bell_close(struct bell *b)
{
    file_close(b->fd);
    *b = (struct bell)BELL_NONE;
}
