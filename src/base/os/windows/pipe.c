#include "base/os/pipe.h"

#include <errno.h>

#include "base/os/ready.h"
#include "base/os/windows/console.h"
#include "base/os/windows/failure.h"
#include "base/os/windows/file_parts.h"
#include "base/os/windows/net_parts.h"
#include "base/os/windows/pipe_parts.h"

enum { PIPE_BYTES = 64 << 10 };

bool pipe_open(int ends[2])
{
    HANDLE in, out;
    if (!CreatePipe(&in, &out, NULL, PIPE_BYTES))
        return failure();
    ends[0] = fd_add(FD_PIPE, in);
    ends[1] = ends[0] >= 0 ? fd_add(FD_PIPE, out) : -1;
    if (ends[1] >= 0)
        return true;
    if (ends[0] < 0)
        CloseHandle(out);
    file_close(ends[0]);
    return false;
}

void pipe_close(int *fd)
{
    file_close(*fd);
    *fd = -1;
}

void pipe_never_wait(int fd)
{
    struct fd *f = fd_find(fd);
    if (f != NULL)
        f->never_waits = true;
}

struct pump *pipe_pump(struct fd *f, enum pump_way way)
{
    if (f->pump == NULL)
        f->pump = pump_start(f->handle, way, f->kind == FD_CONSOLE);
    return f->pump;
}

/* --- reading --- */

bool pipe_peek(const struct fd *f, bool *ready)
{
    DWORD n = 0;
    bool ok = f->kind == FD_PIPE && f->pump == NULL &&
              PeekNamedPipe(f->handle, NULL, 0, NULL, &n, NULL);
    bool ended = !ok && f->kind == FD_PIPE && f->pump == NULL &&
                 GetLastError() == ERROR_BROKEN_PIPE;
    *ready = n > 0 || ended;
    return ok || ended;
}

static bool pipe_read_now(struct fd *f, void *out, size_t size, size_t *got)
{
    DWORD n = 0;
    if (f->kind == FD_CONSOLE)
        return console_read(f->handle, out, size, got) || failure();
    bool ok =
        ReadFile(f->handle, out, size < PIPE_BYTES ? (DWORD)size : PIPE_BYTES, &n, NULL);
    *got = n;
    return ok || GetLastError() == ERROR_BROKEN_PIPE || failure();
}

bool pipe_read(struct fd *f, void *out, size_t size, size_t *got)
{
    bool ready = true;
    bool known = f->pump == NULL && (!f->never_waits || pipe_peek(f, &ready));
    if (known && ready)
        return pipe_read_now(f, out, size, got);
    if (known) {
        errno = EAGAIN;
        return false;
    }
    return pipe_pump(f, PUMP_READS) != NULL &&
           pump_read(f->pump, out, size, !f->never_waits, got);
}

/* --- writing --- */

bool pipe_write(int fd, str bytes, size_t *put)
{
    struct fd *f = fd_find(fd);
    *put = 0;
    if (f == NULL)
        return false;
    if (f->kind == FD_SOCKET)
        return net_put_some(f, bytes, put);
    bool pumped = f->kind == FD_PIPE && (f->never_waits || f->pump != NULL);
    if (!pumped)
        return file_put_some(f, bytes, put);
    return pipe_pump(f, PUMP_WRITES) != NULL &&
           pump_write(f->pump, bytes, !f->never_waits, put);
}

enum pipe_kind pipe_kind(int fd)
{
    const struct fd *f = fd_find(fd);
    enum fd_kind kind = f != NULL ? f->kind : FD_NONE;
    return kind == FD_PIPE ? PIPE_PLAIN : kind == FD_SOCKET ? PIPE_SOCKET : PIPE_OTHER;
}

bool pipe_offer(int fd, enum pipe_kind kind, str bytes, size_t *put)
{
    struct fd *f = fd_find(fd);
    bool ok = false;
    *put = 0;
    if (f == NULL)
        return false;
    if (kind == PIPE_PLAIN)
        ok = pipe_pump(f, PUMP_WRITES) != NULL && pump_write(f->pump, bytes, false, put);
    else if (kind == PIPE_SOCKET)
        ok = ready_to_write(fd) && net_put_some(f, bytes, put);
    else
        return file_write(fd, bytes) && (*put = bytes.n, true);
    return ok || errno == EAGAIN;
}
