/*
 * systemd - socket activation and readiness, by the protocol itself: two variables and
 * one datagram. Without systemd every call does nothing.
 */
#pragma once

#include "base/str.h"

enum { SYSTEMD_FIRST_FD = 3 };

/* How many sockets were passed to this process, from SYSTEMD_FIRST_FD on. */
int systemd_listen_fds(void);

/* "READY=1", "STOPPING=1" and so on. */
void systemd_notify(str state);
