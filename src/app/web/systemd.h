/*
 * systemd - socket activation, readiness and the watchdog, without libsystemd: the
 * protocol is a few variables and one datagram. Without systemd, every call does nothing.
 */
#pragma once

#include "base/str.h"

enum { SYSTEMD_FIRST_FD = 3 };

/* How many sockets were passed to this process, starting at SYSTEMD_FIRST_FD. */
int systemd_listen_fds(void);

/* "READY=1", "STOPPING=1" and so on. */
void systemd_notify(str state);

/*
 * Notifies the watchdog, but not more often than it requires. Call it several times a
 * second from the loop that must not hang.
 */
struct systemd_watchdog {
    uint64_t every_ms; /* half of the watchdog's interval; 0: no watchdog */
    uint64_t next_ms;  /* time of the next notification, by clock_ms() */
};
struct systemd_watchdog systemd_watchdog_open(void);
void systemd_watchdog_tick(struct systemd_watchdog *w);
