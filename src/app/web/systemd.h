/*
 * systemd - socket activation, readiness and the watchdog, by the protocol itself: a few
 * variables and one datagram. Without systemd every call does nothing.
 */
#pragma once

#include "base/str.h"

enum { SYSTEMD_FIRST_FD = 3 };

/* How many sockets were passed to this process, from SYSTEMD_FIRST_FD on. */
int systemd_listen_fds(void);

/* "READY=1", "STOPPING=1" and so on. */
void systemd_notify(str state);

/*
 * Tell the watchdog that we are well, at most as often as it wants to hear; to be called
 * several times a second by what must not hang.
 */
struct systemd_watchdog {
    uint64_t every_ms; /* half of what is asked for, to be in time; 0: nobody asks */
    uint64_t next_ms;  /* when to tell again, by clock_ms() */
};
struct systemd_watchdog systemd_watchdog_open(void);
void systemd_watchdog_tick(struct systemd_watchdog *w);
