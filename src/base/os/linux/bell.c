#include <sys/eventfd.h>
#include <unistd.h>

#include "base/os/ready.h"

bool bell_open(struct bell *b)
{
    b->fd = b->ring = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return b->fd >= 0;
}

void bell_ring(const struct bell *b)
{
    (void)eventfd_write(b->ring, 1);
}

void bell_clear(const struct bell *b)
{
    eventfd_t n;
    (void)eventfd_read(b->fd, &n);
}

void bell_close(struct bell *b)
{
    if (b->fd >= 0)
        close(b->fd);
    *b = (struct bell)BELL_NONE;
}
