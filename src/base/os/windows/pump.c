#include "base/os/windows/pump.h"

#include <errno.h>

#include "base/arena.h"
#include "base/os/thread.h"
#include "base/os/windows/console.h"
#include "base/os/windows/failure.h"

enum {
    PUMP_BYTES = 64 << 10,
    CANCEL_TRIES = 50, /* to end the call that a thread waits in */
    DRAIN_MS = 2000,   /* without progress, before the process ends */
};

struct pump {
    HANDLE handle, ready;
    enum pump_way way;
    bool console;
    struct mutex lock; /* of what follows */
    struct cond changed;
    struct pump *next; /* of all that write; guarded by pumps_lock */
    HANDLE thread;     /* while it runs */
    bool over, left;
    int error, users;
    size_t from, n; /* of the ring */
    char bytes[PUMP_BYTES];
};

static struct mutex pumps_lock = MUTEX_INIT;
static struct pump *pumps; /* those that write, for the end of the process */

/* --- the list --- */

static void pumps_add(struct pump *p)
{
    static bool registered;
    mutex_lock(&pumps_lock);
    if (!registered)
        atexit(pump_drain_all);
    registered = true;
    p->next = pumps;
    pumps = p;
    mutex_unlock(&pumps_lock);
}

static void pumps_remove(struct pump *p)
{
    mutex_lock(&pumps_lock);
    struct pump **at = &pumps;
    while (*at != NULL && *at != p)
        at = &(*at)->next;
    if (*at == p)
        *at = p->next;
    mutex_unlock(&pumps_lock);
}

/* --- both sides --- */

/* The lock is held. */
static void pump_tell(struct pump *p)
{
    bool of_use = p->over || (p->way == PUMP_READS ? p->n > 0 : p->n < PUMP_BYTES);
    if (of_use)
        SetEvent(p->ready);
    else
        ResetEvent(p->ready);
    cond_wake_all(&p->changed);
}

/* The descriptor and the thread each have it. */
static void pump_release(struct pump *p)
{
    mutex_lock(&p->lock);
    bool last = --p->users == 0;
    mutex_unlock(&p->lock);
    if (!last)
        return;
    pumps_remove(p);
    CloseHandle(p->handle);
    CloseHandle(p->ready);
    mutex_destroy(&p->lock);
    cond_destroy(&p->changed);
    free(p);
}

/* The part of the ring that begins at from, at most n bytes in one piece. */
static size_t pump_piece(size_t from, size_t n)
{
    return n < PUMP_BYTES - from ? n : PUMP_BYTES - from;
}

/* --- the thread --- */

static bool pump_get(const struct pump *p, char *out, size_t size, size_t *got)
{
    DWORD n = 0;
    if (p->console)
        return console_read(p->handle, out, size, got);
    bool ok = ReadFile(p->handle, out, (DWORD)size, &n, NULL);
    *got = n;
    return ok;
}

/* False at the end. The lock is held. */
static bool pump_take_some(struct pump *p)
{
    while (p->n == PUMP_BYTES && !p->left)
        cond_wait(&p->changed, &p->lock);
    if (p->left)
        return false;
    size_t at = (p->from + p->n) % PUMP_BYTES;
    size_t room = pump_piece(at, PUMP_BYTES - p->n);
    size_t got;
    mutex_unlock(&p->lock);
    bool ok = pump_get(p, p->bytes + at, room, &got);
    int error = ok ? 0 : failure_number(GetLastError());
    mutex_lock(&p->lock);
    p->n += got;
    p->over = got == 0;
    p->error = error == EPIPE ? 0 : error; /* the writer is gone: that is the end */
    return !p->over;
}

static bool pump_put_some(struct pump *p)
{
    while (p->n == 0 && !p->left)
        cond_wait(&p->changed, &p->lock);
    if (p->n == 0)
        return false;
    size_t from = p->from, size = pump_piece(p->from, p->n);
    DWORD put = 0;
    mutex_unlock(&p->lock);
    bool ok = WriteFile(p->handle, p->bytes + from, (DWORD)size, &put, NULL);
    mutex_lock(&p->lock);
    p->from = (p->from + put) % PUMP_BYTES;
    p->n -= put;
    if (!ok) {
        p->over = true;
        p->error = EPIPE;
        p->n = 0;
    }
    return ok;
}

static DWORD WINAPI pump_run(void *arg)
{
    struct pump *p = arg;
    mutex_lock(&p->lock);
    while (p->way == PUMP_READS ? pump_take_some(p) : pump_put_some(p))
        pump_tell(p);
    p->over = true;
    pump_tell(p);
    mutex_unlock(&p->lock);
    pump_release(p);
    return 0;
}

struct pump *pump_start(HANDLE handle, enum pump_way way, bool console)
{
    struct pump *p = mem_zero(sizeof(*p));
    p->handle = handle;
    p->way = way;
    p->console = console;
    p->users = 2;
    p->ready = CreateEventW(NULL, TRUE, way == PUMP_WRITES, NULL);
    mutex_init(&p->lock);
    cond_init(&p->changed);
    if (way == PUMP_WRITES)
        pumps_add(p);
    p->thread = CreateThread(NULL, 0, pump_run, p, 0, NULL);
    if (p->thread != NULL)
        return p;
    failure();
    p->users = 1;
    p->handle = NULL;
    pump_release(p);
    return NULL;
}

/* --- the descriptor --- */

HANDLE pump_ready(const struct pump *p)
{
    return p->ready;
}

static bool pump_again(void)
{
    errno = EAGAIN;
    return false;
}

bool pump_read(struct pump *p, void *out, size_t size, bool wait, size_t *got)
{
    *got = 0;
    mutex_lock(&p->lock);
    while (wait && p->n == 0 && !p->over)
        cond_wait(&p->changed, &p->lock);
    bool waits = p->n == 0 && !p->over;
    bool ok = p->n > 0 || p->error == 0;
    errno = p->error;
    for (size_t piece; p->n > 0 && *got < size; *got += piece) {
        piece = pump_piece(p->from, p->n);
        piece = piece < size - *got ? piece : size - *got;
        memcpy((char *)out + *got, p->bytes + p->from, piece);
        p->from = (p->from + piece) % PUMP_BYTES;
        p->n -= piece;
    }
    pump_tell(p);
    mutex_unlock(&p->lock);
    return waits ? pump_again() : ok;
}

bool pump_write(struct pump *p, str bytes, bool wait, size_t *put)
{
    *put = 0;
    mutex_lock(&p->lock);
    while (wait && p->n == PUMP_BYTES && !p->over)
        cond_wait(&p->changed, &p->lock);
    bool over = p->over, full = p->n == PUMP_BYTES;
    for (size_t piece; !over && p->n < PUMP_BYTES && *put < bytes.n; *put += piece) {
        size_t at = (p->from + p->n) % PUMP_BYTES;
        piece = pump_piece(at, PUMP_BYTES - p->n);
        piece = piece < bytes.n - *put ? piece : bytes.n - *put;
        memcpy(p->bytes + at, bytes.p + *put, piece);
        p->n += piece;
    }
    errno = over ? p->error : 0;
    pump_tell(p);
    mutex_unlock(&p->lock);
    return over ? false : full ? pump_again() : true;
}

bool pump_flush(struct pump *p)
{
    mutex_lock(&p->lock);
    while (p->n > 0 && !p->over)
        cond_wait(&p->changed, &p->lock);
    bool ok = !p->over;
    errno = p->error;
    mutex_unlock(&p->lock);
    return ok;
}

/* A thread that is about to wait cannot be told yet. */
static bool pump_has_ended(struct pump *p)
{
    mutex_lock(&p->lock);
    bool over = p->over;
    mutex_unlock(&p->lock);
    return over;
}

void pump_leave(struct pump *p)
{
    mutex_lock(&p->lock);
    p->left = true;
    cond_wake_all(&p->changed);
    mutex_unlock(&p->lock);
    for (int i = 0; p->way == PUMP_READS && i < CANCEL_TRIES && !pump_has_ended(p); i++) {
        CancelSynchronousIo(p->thread);
        Sleep(i < 5 ? 0 : 1);
    }
    CloseHandle(p->thread);
    pump_release(p);
}

/* --- the end of the process --- */

/* Bytes that wait, in all pumps. */
static size_t pumps_left(void)
{
    size_t n = 0;
    mutex_lock(&pumps_lock);
    for (struct pump *p = pumps; p != NULL; p = p->next) {
        mutex_lock(&p->lock);
        n += p->n;
        mutex_unlock(&p->lock);
    }
    mutex_unlock(&pumps_lock);
    return n;
}

void pump_drain_all(void)
{
    size_t before = pumps_left();
    for (unsigned waited = 0; before > 0 && waited < DRAIN_MS; waited++) {
        Sleep(1);
        size_t now = pumps_left();
        waited = now < before ? 0 : waited;
        before = now;
    }
}
