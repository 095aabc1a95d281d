/*
 * stop_event - requests to this process by name: other programs set "Local\vaultd-stop-PID"
 * or "Local\vaultd-reload-PID", since Windows has no signals. Private to base/os/windows.
 */
#pragma once

#include "base/os/signal.h"
#include "base/os/windows/base.h"

/* The event of a process; NULL if it has none. To be closed. */
HANDLE stop_event_open(DWORD pid, enum signal_request request);

/* That of this process. */
HANDLE stop_event_create(enum signal_request request);
