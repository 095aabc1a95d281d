/* A non-blocking pipe: one that is full has been rung often enough. */
#include <errno.h>
#include <unistd.h>

#include "base/os/pipe.h"
#include "base/os/ready.h"

bool bell_open(struct bell *b)
{
    int ends[2];
    *b = (struct bell)BELL_NONE;
    if (!pipe_open(ends))
        return false;
    *b = (struct bell){.fd = ends[0], .ring = ends[1]};
    pipe_never_wait(b->fd);
    pipe_never_wait(b->ring);
    return true;
}

void bell_ring(const struct bell *b)
{
    int error = errno; /* of what a signal handler interrupts */
    (void)!write(b->ring, "", 1);
    errno = error;
}

void bell_clear(const struct bell *b)
{
    char bytes[64];
    while (read(b->fd, bytes, sizeof(bytes)) > 0)
        continue;
}

void bell_close(struct bell *b)
{
    if (b->fd >= 0) {
        close(b->fd);
        close(b->ring);
    }
    *b = (struct bell)BELL_NONE;
}
