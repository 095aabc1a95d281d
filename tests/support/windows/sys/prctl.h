/*
 * prctl - see posix_system.h.
 */
#pragma once

#include "posix_system.h"

#define clock_getcpuclockid(pid, out) posix_none()
