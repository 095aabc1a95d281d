#include "app/web/systemd.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/os/net.h"
#include "base/os/self.h"

static bool env_int(const char *name, int64_t *out)
{
    const char *value = self_variable(name);
    return value != NULL && str_to_int(str_c(value), out);
}

int systemd_listen_fds(void)
{
    enum { FDS_MAX = 64 };
    int64_t pid, n;
    if (!env_int("LISTEN_PID", &pid) || pid != self_pid() || !env_int("LISTEN_FDS", &n) ||
        n < 1 || n > FDS_MAX)
        return 0;
    self_adopt(SYSTEMD_FIRST_FD, (int)n);
    return (int)n;
}

void systemd_notify(str state)
{
    net_notify(str_c(self_variable("NOTIFY_SOCKET")), state);
}

struct systemd_watchdog systemd_watchdog_open(void)
{
    enum { USEC_PER_MS = 1000 };
    int64_t pid, usec;
    bool ours = self_variable("WATCHDOG_PID") == NULL ||
                (env_int("WATCHDOG_PID", &pid) && pid == self_pid());
    if (!ours || !env_int("WATCHDOG_USEC", &usec) || usec < 2 * USEC_PER_MS)
        return (struct systemd_watchdog){0};
    return (struct systemd_watchdog){.every_ms = (uint64_t)usec / 2 / USEC_PER_MS};
}

void systemd_watchdog_tick(struct systemd_watchdog *w)
{
    uint64_t now = clock_ms();
    if (w->every_ms == 0 || now < w->next_ms)
        return;
    systemd_notify(STR("WATCHDOG=1"));
    w->next_ms = now + w->every_ms;
}
