#include "base/os/ready.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"

enum { LIST_MAX = 4 };

/* What is left of ms after a signal. */
static int time_left(uint64_t began, int ms)
{
    uint64_t spent = clock_ms() - began;
    return ms < 0 ? ms : spent < (uint64_t)ms ? ms - (int)spent : 0;
}

bool ready_wait(struct ready *list, size_t n, int ms)
{
    struct pollfd fds[LIST_MAX];
    uint64_t began = clock_ms();
    int ready;
    if (n > LIST_MAX)
        BUG("%zu descriptors to wait for", n);
    for (size_t i = 0; i < n; i++)
        fds[i] =
            (struct pollfd){.fd = list[i].fd, .events = list[i].write ? POLLOUT : POLLIN};
    do
        ready = poll(fds, (nfds_t)n, time_left(began, ms));
    while (ready < 0 && errno == EINTR);
    if (ready < 0)
        BUG("poll: errno %d", errno);
    for (size_t i = 0; i < n; i++)
        list[i].is = fds[i].revents != 0;
    return ready > 0;
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
    (void)ready_wait(NULL, 0, (int)ms);
}
