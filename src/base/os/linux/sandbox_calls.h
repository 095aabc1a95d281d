/*
 * sandbox_calls - filters for system calls. Private to sandbox.
 */
#pragma once

#include <stdbool.h>

/* What the server and the programs that it runs use; on all threads. */
bool sandbox_filter_calls(bool programs);

/* Refuse this thread sockets, signals and everything else that affects other
 * processes. */
bool sandbox_isolate(void);
